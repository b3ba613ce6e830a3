"""Position, acceleration and orientation of this machine, from bearingd, in Python.

One file to copy into a project. It needs Python 3.11 and the package asyncvarlink. As a program it
shows what it can do:

    python bearing.py fix --accuracy 10
    python bearing.py watch --count 3
    python bearing.py samples --rate 50 --count 100
    python bearing.py orientation

In a program of your own:

    async with contextlib.aclosing(Bearing().fixes(distance_filter=10)) as fixes:
        async for fix in fixes:
            print(fix["latitude"], fix["longitude"])

Values are dictionaries with the names and units of the wire (see the .varlink files): degrees,
metres, metres per second; timestamps in microseconds, ages in milliseconds. What is not known is
absent. Times that are given to the functions here are in seconds.

Each call and each iterator has a connection of its own, so any number of them may run at once.
Close an iterator that is left early (contextlib.aclosing does): that is what ends its connection,
and with the last of them the device rests.

When the daemon goes away an iterator waits for it and goes on. Those that give every reply say so,
with {"link": "interrupted"} and then {"link": "resumed"} before the first reply, which tells how
things stand now; fixes and samples just pause. Unreachable is raised where there is no daemon to
begin with.
"""

import argparse
import asyncio
import contextlib
import os
import random
import sys
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any

from asyncvarlink import (
    VarlinkMethodCall,
    VarlinkMethodReply,
    VarlinkProtocol,
    connect_unix_varlink,
)

LOCATION = "io.bearing.location"
ACCELEROMETER = "io.bearing.accelerometer"
DAEMON = "io.bearing.daemon"

# Seconds between attempts to come back: the first pause, doubled up to the last.
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 10


class BearingError(Exception):
    """An error of the daemon: its full name and its parameters."""

    def __init__(self, name: str, parameters: dict[str, Any]):
        super().__init__(name, parameters)
        self.name = name
        self.parameters = parameters

    def __str__(self) -> str:
        told = ", ".join(f"{key}: {value}" for key, value in self.parameters.items())
        return f"{self.name.rpartition('.')[2]} ({told})" if told else self.name


class Denied(BearingError):
    """The caller may not have this; parameters["remedy"] is the command that would grant it."""


class NothingInTime(BearingError):
    """No fix or sample came in the time given; parameters["state"] is the device's state."""


class QuotaExceeded(BearingError):
    """The user has as many connections, streams or regions as it may."""


class Unreachable(Exception):
    """The daemon is not there, or has gone away."""


_ERRORS = {
    "AccessDenied": Denied,
    "PermissionDenied": Denied,
    "Timeout": NothingInTime,
    "QuotaExceeded": QuotaExceeded,
}


def _milliseconds(seconds: float | None) -> int | None:
    return None if seconds is None else round(seconds * 1000)


def standard_socket() -> str:
    """BEARING_SOCKET; else the machine's daemon; else, where only that is, the user's own."""
    if named := os.environ.get("BEARING_SOCKET"):
        return named
    system = "/run/bearingd/io.bearing"
    own = os.path.join(os.environ.get("XDG_RUNTIME_DIR") or "/nonexistent", "bearingd/io.bearing")
    return own if os.path.exists(own) and not os.path.exists(system) else system


class Bearing:
    """What the daemon behind a socket serves. Nothing is connected until it is asked for.

    reconnects: whether iterators wait for a daemon that goes away; else they raise Unreachable.
    """

    def __init__(self, socket: str | None = None, reconnects: bool = True):
        self.socket = socket or standard_socket()
        self.reconnects = reconnects

    # Calls

    async def fix(
        self,
        accuracy: float | None = None,
        timeout: float | None = None,
        max_age: float | None = None,
        best_effort: bool = False,
    ) -> dict[str, Any]:
        """One fix: at once when the last one will do, else the first that does.

        accuracy: metres that its horizontal accuracy may have at most. timeout: seconds to wait,
        30 by default. max_age: seconds that a fix may be old that is there already. best_effort:
        take the most accurate one when the time is over, else NothingInTime is raised.
        """
        reply = await self.call(
            f"{LOCATION}.GetFix",
            accuracy=accuracy,
            timeout=_milliseconds(timeout),
            maxAge=_milliseconds(max_age),
            bestEffort=best_effort or None,
        )
        return reply["fix"]

    async def last_known(self) -> dict[str, Any]:
        """The last fix, however old, with age and state; starts nothing."""
        return await self.call(f"{LOCATION}.GetLastKnown")

    async def sky(self) -> dict[str, Any]:
        """The satellites in view as the receiver told last, with age and state."""
        return await self.call(f"{LOCATION}.GetSky")

    async def sensors(self) -> list[dict[str, Any]]:
        """The machine's accelerometers."""
        return (await self.call(f"{ACCELEROMETER}.ListSensors"))["sensors"]

    async def sample(
        self, sensor: str | None = None, timeout: float | None = None
    ) -> dict[str, Any]:
        """The next sample of acceleration: x, y and z in metres per second squared."""
        reply = await self.call(
            f"{ACCELEROMETER}.GetSample", sensor=sensor, timeout=_milliseconds(timeout)
        )
        return reply["sample"]

    async def status(self) -> dict[str, Any]:
        """The daemon's version, its devices and their states."""
        return await self.call(f"{DAEMON}.GetStatus")

    # Streams

    async def fixes(
        self,
        min_interval: float | None = None,
        distance_filter: float | None = None,
        maximum_accuracy: float | None = None,
    ) -> AsyncGenerator[dict[str, Any], None]:
        """Each new fix while it can be relied on. See locations for the filters."""
        last = None
        locations = self.locations(min_interval, distance_filter, maximum_accuracy)
        async with contextlib.aclosing(locations) as updates:
            async for update in updates:
                fix = update.get("fix")
                if update.get("state") != "live" or not fix or fix == last:
                    continue
                # What a stream begins with may be any fix.
                if maximum_accuracy and fix.get("horizontalAccuracy", 1e9) > maximum_accuracy:
                    continue
                last = fix
                yield fix

    async def locations(
        self,
        min_interval: float | None = None,
        distance_filter: float | None = None,
        maximum_accuracy: float | None = None,
        heartbeat: float | None = None,
    ) -> AsyncGenerator[dict[str, Any], None]:
        """Every reply: state, and fix with its age where there is one. The first comes at once.

        A fix is of now only while state is "live". min_interval: seconds; distance_filter and
        maximum_accuracy: metres; 0 is no filter, None the user's preference. heartbeat: after that
        many seconds without news the last reply comes again with repeated true, and a daemon that
        does not even send those is taken for gone.
        """
        replies = self.follow(
            f"{LOCATION}.Subscribe",
            minInterval=_milliseconds(min_interval),
            distanceFilter=distance_filter,
            maximumAccuracy=maximum_accuracy,
            heartbeat=_milliseconds(heartbeat),
        )
        async with contextlib.aclosing(replies):
            async for reply in replies:
                yield reply

    async def skies(
        self, min_interval: float | None = None, heartbeat: float | None = None
    ) -> AsyncGenerator[dict[str, Any], None]:
        """Every reply: state, and sky with its age once a receiver has told of its satellites."""
        replies = self.follow(
            f"{LOCATION}.SubscribeSky",
            minInterval=_milliseconds(min_interval),
            heartbeat=_milliseconds(heartbeat),
        )
        async with contextlib.aclosing(replies):
            async for reply in replies:
                yield reply

    async def samples(
        self, rate: float | None = None, sensor: str | None = None
    ) -> AsyncGenerator[dict[str, Any], None]:
        """Each sample while it can be relied on, rate times a second if the sensor can."""
        replies = self.follow(f"{ACCELEROMETER}.Subscribe", rate=rate, sensor=sensor)
        async with contextlib.aclosing(replies):
            async for reply in replies:
                if reply.get("state") == "live":
                    for sample in reply["samples"]:
                        yield sample

    async def orientations(self, sensor: str | None = None) -> AsyncGenerator[dict[str, Any], None]:
        """orientation and tilt, now and at each change; they count only while state is "live"."""
        replies = self.follow(f"{ACCELEROMETER}.SubscribeOrientation", sensor=sensor)
        async with contextlib.aclosing(replies):
            async for reply in replies:
                yield reply

    # Any method

    async def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """The reply to a method by its full name. Parameters that are None are left out."""
        async with self._connection() as connection:
            connection.send_message(VarlinkMethodCall(method, _given(parameters)).tojson())
            return _checked(await connection.reply())

    async def stream(self, method: str, **parameters: Any) -> AsyncGenerator[dict[str, Any], None]:
        """The replies to a streaming method by its full name; Unreachable when the daemon goes."""
        call = VarlinkMethodCall(method, _given(parameters), more=True)
        heartbeat = parameters.get("heartbeat")
        silence = 2 * heartbeat / 1000 + 5 if heartbeat else None
        async with self._connection() as connection:
            connection.send_message(call.tojson())
            while True:
                async with asyncio.timeout(silence):
                    reply = await connection.reply()
                yield _checked(reply)
                if not reply.continues:
                    return

    async def follow(self, method: str, **parameters: Any) -> AsyncGenerator[dict[str, Any], None]:
        """The same over all connections that it takes, with news of them: see this file's head."""
        link, pause = None, FIRST_PAUSE
        while True:
            try:
                async with contextlib.aclosing(self.stream(method, **parameters)) as replies:
                    async for reply in replies:
                        if link == "interrupted":
                            yield {"link": "resumed"}
                        link, pause = "connected", FIRST_PAUSE
                        yield reply
                return
            except (Unreachable, QuotaExceeded):
                if link is None or not self.reconnects:
                    raise
            if link == "connected":
                link = "interrupted"
                yield {"link": link}
            await asyncio.sleep(pause * random.uniform(0.5, 1))
            pause = min(2 * pause, LONGEST_PAUSE)

    @contextlib.asynccontextmanager
    async def _connection(self) -> AsyncIterator["_Replies"]:
        try:
            transport, replies = await connect_unix_varlink(_Replies, self.socket)
            try:
                yield replies
            finally:
                transport.close()
        except OSError as error:
            raise Unreachable(f"{self.socket}: {error}") from error


class _Replies(VarlinkProtocol):
    """Hands out replies one by one. Reading rests while nobody takes them, so that a daemon with a
    slow reader knows of it and keeps only what is newest."""

    def __init__(self) -> None:
        super().__init__()
        self._arrived: asyncio.Queue[tuple[Any, asyncio.Future[None] | None]] = asyncio.Queue()

    async def reply(self) -> VarlinkMethodReply:
        """The next reply; ConnectionError when there is none any more."""
        arrived, taken = await self._arrived.get()
        if taken is None:
            raise ConnectionResetError("the daemon has closed the connection") from arrived
        taken.set_result(None)
        return VarlinkMethodReply.fromjson(arrived)

    def request_received(self, obj: Any, fds: Any) -> asyncio.Future[None]:
        taken = asyncio.get_running_loop().create_future()
        self._arrived.put_nowait((obj, taken))
        return taken

    def error_received(self, err: Exception, data: bytes, fds: Any) -> None:
        self._arrived.put_nowait((err, None))

    def connection_lost(self, exc: Exception | None) -> None:
        self._arrived.put_nowait((exc, None))

    def eof_received(self) -> None:
        self._arrived.put_nowait((None, None))


def _given(parameters: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in parameters.items() if value is not None}


def _checked(reply: Any) -> dict[str, Any]:
    if reply.error is None:
        return reply.parameters
    kind = _ERRORS.get(reply.error_name, BearingError)
    raise kind(reply.error, reply.parameters)


async def _show(values: AsyncGenerator[Any, None], count: int | None) -> None:
    async with contextlib.aclosing(values):
        async for value in values:
            print(value, flush=True)
            if count is not None:
                count -= 1
                if count <= 0:
                    return


async def _main() -> None:
    parser = argparse.ArgumentParser(description="Shows what bearingd serves.")
    parser.add_argument("what", choices=["status", "fix", "watch", "samples", "orientation"])
    parser.add_argument("--socket", help="the daemon's socket")
    parser.add_argument("--count", type=int, help="end after so many")
    parser.add_argument("--accuracy", type=float, help="metres (fix, watch)")
    parser.add_argument("--rate", type=float, help="hertz (samples)")
    arguments = parser.parse_args()
    bearing = Bearing(arguments.socket)
    match arguments.what:
        case "status":
            print(await bearing.status())
        case "fix":
            print(await bearing.fix(accuracy=arguments.accuracy))
        case "watch":
            await _show(bearing.fixes(maximum_accuracy=arguments.accuracy), arguments.count)
        case "samples":
            await _show(bearing.samples(arguments.rate), arguments.count)
        case "orientation":
            await _show(bearing.orientations(), arguments.count)


if __name__ == "__main__":
    try:
        asyncio.run(_main())
    except (BearingError, Unreachable) as failure:
        sys.exit(f"bearing.py: {failure}")
    except KeyboardInterrupt:
        pass
