"""Acceleration by asyncvarlink, as its own documentation has interfaces: async_watch.py SOCKET RATE."""

import asyncio
import json
import sys
from collections.abc import Iterator
from typing import TypedDict

from asyncvarlink import (
    VarlinkClientProtocol,
    VarlinkInterface,
    connect_unix_varlink,
    varlinkmethod,
)


class Sample(TypedDict):
    sequence: int
    bootTimestamp: int
    x: float
    y: float
    z: float


class Reply(TypedDict, total=False):
    state: str
    sensor: str | None
    actualRate: float | None
    samples: list[Sample]
    repeated: bool | None
    dropped: int | None


class Accelerometer(VarlinkInterface, name="io.bearing.accelerometer"):
    @varlinkmethod
    def Subscribe(self, *, rate: float | None = None) -> Iterator[Reply]: ...


async def main(path: str, rate: float) -> None:
    _, protocol = await connect_unix_varlink(VarlinkClientProtocol, path)
    async for reply in protocol.make_proxy(Accelerometer).Subscribe(rate=rate):
        print(json.dumps(reply), flush=True)


asyncio.run(main(sys.argv[1], float(sys.argv[2])))
