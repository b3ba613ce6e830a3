"""A service by asyncvarlink: counts, and hands out the reading ends of pipes. Argument: a path."""

import asyncio
import collections.abc
import os
import sys

from asyncvarlink import (
    FileDescriptor,
    VarlinkInterface,
    VarlinkInterfaceRegistry,
    create_unix_server,
    varlinkmethod,
)


class Demo(VarlinkInterface, name="org.example.demo"):
    @varlinkmethod(return_parameter="value")
    def Count(self, *, to: int) -> collections.abc.Iterator[int]:
        return iter(range(1, to + 1))

    @varlinkmethod(return_parameter="file")
    def Open(self, *, text: str) -> FileDescriptor:
        reading, writing = os.pipe()
        os.write(writing, text.encode())
        os.close(writing)
        return FileDescriptor(reading)


async def main() -> None:
    registry = VarlinkInterfaceRegistry()
    registry.register_interface(Demo())
    server = await create_unix_server(registry.protocol_factory, sys.argv[1])
    print("Listening", flush=True)
    await server.serve_forever()


asyncio.run(main())
