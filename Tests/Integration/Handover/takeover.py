"""What streams have of the daemon before, case by case: usage takeover.py BEARINGD CASE."""

import json
import os
import select
import signal
import socket
import sys
import tempfile
import time

from manager import DEADLINE, Manager, Stream

SIMULATION = "[Location]\nSource=simulation\n[Accelerometer]\nSource=simulation\n"
LOCATION = "io.bearing.location.Subscribe"


def at(latitude):
    """Whether a reply has the fix of that latitude."""
    return lambda reply: reply.get("fix", {}).get("latitude") == latitude


def keep(manager, count):
    """Waits until so many streams are kept."""
    while manager.kept() < count:
        manager.until(lambda lines: "FDSTORE" in lines)


def filters(manager, path, receiver):
    """A stream's filters hold on, also when they have let nothing pass since it was opened."""
    first = Stream(path, LOCATION)
    receiver.accept()
    receiver.stay(47)
    first.next(at(47))
    # It leaves its place to the next.
    other = Stream(path, LOCATION, {"distanceFilter": 1})
    receiver.stay(47.0001)
    other.next(at(47.0001))
    keep(manager, 2)
    other.socket.close()
    manager.until(lambda lines: "FDSTOREREMOVE" in lines)
    filtered = Stream(path, LOCATION, {"minInterval": 3_600_000})
    assert at(47.0001)(filtered.next())
    last = Stream(path, LOCATION)
    keep(manager, 3)
    for latitude in [47.0002, 47.0003]:
        manager.kill()
        manager.start()
        manager.ready()
        receiver.accept()
        receiver.stay(latitude)
        last.next(at(latitude))
        # Each fix goes to the older stream first.
        assert not any(map(at(latitude), filtered.there())), "the filter is gone"


def quick(manager, path, _):
    """Streams go on when a process ends as soon as it is ready, and so do calls behind them."""
    beat = {"heartbeat": 100}
    methods = [
        "location.Subscribe", "location.SubscribeSky", "accelerometer.Subscribe",
        "accelerometer.SubscribeOrientation", "accelerometer.SubscribeMotion",
        "daemon.SubscribeStatus", "regions.Subscribe", "preferences.Subscribe",
    ]
    streams = [Stream(path, "io.bearing." + method, beat) for method in methods]
    for stream in streams:
        stream.next()
        stream.send("io.bearing.daemon.GetStatus")  # waits behind the stream
    keep(manager, len(streams))
    for signal_number in [signal.SIGKILL, signal.SIGTERM] * 3:
        manager.kill(signal_number)
        assert manager.kept() == len(streams), manager.store
        manager.start()
        manager.ready()
    for stream in streams:
        stream.next(lambda reply: reply.get("repeated"))


def limits(manager, path, _):
    """Streams that are there go on past a lower limit, and count."""
    streams = [Stream(path, LOCATION) for _ in range(4)]
    for stream in streams:
        stream.next()
    keep(manager, 4)
    manager.kill()
    with open(f"{os.path.dirname(path)}/bearingd.conf", "a") as file:
        file.write("[Limits]\nConnectionsOfRoot=2\nConnectionsPerUser=2\n")
        file.write("StreamsOfRoot=2\nStreamsPerUser=2\n")
    for stream in streams:
        stream.there()
    manager.start()
    manager.ready()
    for stream in streams:
        stream.next()
    for stream in streams[1:]:
        stream.socket.close()
        manager.until(lambda lines: "FDSTOREREMOVE" in lines)
    within = Stream(path)
    assert within.call("io.bearing.daemon.GetStatus")["clients"] == 2
    beyond = Stream(path)
    beyond.send("io.bearing.daemon.GetStatus")
    beyond.receive()
    assert b"QuotaExceeded" in beyond.pending, beyond.pending


def losses(manager, path, _):
    """What a slow reader lost before a restart is counted once."""
    watcher = Stream(path)
    stream = Stream(path, "io.bearing.accelerometer.Subscribe", {"rate": 1000})

    def lost():
        clients = watcher.call("io.bearing.daemon.ListClients")["clients"]
        return max(client["dropped"] for client in clients)

    while lost() == 0:
        pass
    keep(manager, 1)
    manager.kill()
    manager.start()
    manager.ready()
    watcher = Stream(path)
    told, end = 0, time.monotonic() + DEADLINE
    while True:
        told += sum(reply.get("dropped", 0) for reply in stream.there())
        count = lost()
        if told == count > 0:
            return
        assert time.monotonic() < end, f"{count} lost, {told} told"


class Receiver:
    """A gpsd with one receiver, for each process of the daemon anew."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port, self.second = self.listener.getsockname()[1], 0

    def accept(self):
        self.client = self.listener.accept()[0]
        self.say({"class": "VERSION", "release": "3.22", "proto_major": 3, "proto_minor": 14})
        self.client.recv(4096)
        device = {"class": "DEVICE", "path": "/dev/fake0", "activated": "2024-01-01T00:00:00.000Z"}
        self.say({"class": "DEVICES", "devices": [device]})

    def say(self, report):
        self.client.sendall(json.dumps(report).encode() + b"\n")

    def stay(self, latitude):
        for _ in range(5):
            hours, rest = divmod(self.second, 3600)
            time = f"2026-11-30T{hours:02}:{rest // 60:02}:{rest % 60:02}.000Z"
            fix = {"class": "TPV", "device": "/dev/fake0", "mode": 3, "lat": latitude, "lon": 8.5}
            self.say(fix | {"eph": 5, "time": time})
            self.second += 1


def regions(manager, path, receiver):
    """A reader of region events that is behind has, after a restart, each of them once."""
    owner = Stream(path)
    for number in range(100):
        place = {"latitude": 47, "longitude": 8.5, "radius": 50}
        owner.call("io.bearing.regions.Add", {"identifier": f"place {number}"} | place)
    receiver.accept()
    reader = Stream(path, "io.bearing.regions.Subscribe")
    assert reader.next()["events"] == []
    watcher = Stream(path, "io.bearing.regions.Subscribe")
    keep(manager, 2)

    def waiting():
        clients = owner.call("io.bearing.daemon.ListClients")["clients"]
        return any(client["queuedBytes"] > 0 for client in clients)

    last = 0
    for latitude in [47, 47.004] * 4:
        receiver.stay(latitude)
        goal = last + 100
        while last < goal:
            last = watcher.next()["last"]
        if waiting():
            break
    else:
        raise AssertionError("the reader never was behind")
    manager.kill()
    watcher.there()
    manager.start()
    manager.ready()
    sequences = []
    while not sequences or sequences[-1] < last:
        sequences += [event["sequence"] for event in reader.next()["events"]]
    assert sequences == list(range(1, last + 1)), sequences


def layouts(manager, path, _):
    """Memory that is not as it should be is let go, with its streams, and new ones are served."""

    def another_layout(memory, data):
        name = b'"layout":'
        os.pwrite(memory, b"9", data.index(name) + len(name))

    ways = [
        another_layout,
        lambda memory, data: os.pwrite(memory, b"another", 0),
        lambda memory, data: os.pwrite(memory, b"\xff" * 8, 8),  # how many slots there are
        lambda memory, data: os.ftruncate(memory, len(data) // 2),
        lambda memory, data: os.ftruncate(memory, 0),
        lambda memory, data: os.pwrite(memory, b"\xff" * 4096, 64),
    ]
    for way in ways:
        stream = Stream(path, LOCATION)
        stream.next()
        keep(manager, 1)
        manager.kill()
        (memory,) = [number for name, number in manager.store if name.startswith("streams-")]
        way(memory, os.pread(memory, os.fstat(memory).st_size, 0))
        manager.start()
        manager.ready()
        assert manager.kept() == 0, manager.store
        end = time.monotonic() + DEADLINE
        while not stream.ended:
            left = end - time.monotonic()
            assert left > 0 and select.select([stream.socket], [], [], left)[0], "it goes on"
            stream.receive()
    Stream(path, LOCATION).next()


CASES = {case.__name__: case for case in (filters, quick, limits, losses, regions, layouts)}


def main():
    program, case = sys.argv[1], sys.argv[2]
    with tempfile.TemporaryDirectory() as folder:
        receiver = Receiver()
        gpsd = f"[Location]\nGpsdHost=127.0.0.1\nGpsdPort={receiver.port}\n"
        with open(f"{folder}/bearingd.conf", "w") as file:
            is_gpsd = case in ("filters", "regions")
            file.write(gpsd + "[Accelerometer]\nSource=none\n" if is_gpsd else SIMULATION)
        manager = Manager(folder, program)
        manager.start()
        manager.ready()
        path = f"{folder}/io.bearing"
        try:
            CASES[case](manager, path, receiver)
        finally:
            manager.end()
    print(f"{case}: as it is to be")


main()
