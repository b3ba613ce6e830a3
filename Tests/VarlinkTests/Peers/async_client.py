"""A client by asyncvarlink: makes calls without waiting, reads the descriptors that come back, and
hands one over that it then waits for to be closed. Argument: a path."""

import asyncio
import os
import sys

from asyncvarlink import (
    FileDescriptor,
    VarlinkClientProtocol,
    VarlinkInterface,
    connect_unix_varlink,
    varlinkmethod,
)


class Demo(VarlinkInterface, name="org.example.demo"):
    @varlinkmethod(return_parameter="file")
    async def Open(self, *, text: str) -> FileDescriptor: ...

    @varlinkmethod
    async def Take(self, *, file: FileDescriptor) -> None: ...


async def contents(demo: Demo, text: str) -> str:
    with await demo.Open(text=text) as reply:
        with os.fdopen(os.dup(reply["file"].fileno()), "rb") as stream:
            return stream.read().decode()


async def main() -> None:
    transport, protocol = await connect_unix_varlink(VarlinkClientProtocol, sys.argv[1])
    demo = protocol.make_proxy(Demo)
    texts = [f"text {number}" for number in range(20)]
    read = await asyncio.gather(*(contents(demo, text) for text in texts))
    print("read", "all" if read == texts else read)

    reading, writing = os.pipe()
    await demo.Take(file=FileDescriptor(writing))
    os.close(writing)
    # The end comes when nobody holds the writing end any more, the service included.
    print("taken", os.read(reading, 1))
    transport.close()


asyncio.run(main())
