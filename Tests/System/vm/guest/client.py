"""Clients of the daemon's accelerometer, and the sensors' files beside it."""

import glob
import json
import os
import select
import socket
import subprocess
import sys
import time

from units import PATIENCE, SOCKET, journal, wait_for

BUS = "/sys/bus/iio/devices"
INTERFACE = "io.bearing.accelerometer"


def read(path):
    """A line; one attribute of Linux 6.1 ends in a NUL (current_timestamp_clock)."""
    with open(path) as file:
        return file.read().strip("\0 \n")


class Stream:
    """One call of the accelerometer, or a stream of replies."""

    def __init__(self, method, more=True, path=SOCKET, **parameters):
        self.connection = socket.socket(socket.AF_UNIX)
        self.connection.connect(path)
        self.pending = b""
        # Samples that the daemon says it has left out because this program was slow.
        self.dropped = 0
        request = {"method": f"{INTERFACE}.{method}", "parameters": parameters, "more": more}
        self.connection.sendall(json.dumps(request).encode() + b"\0")

    def next(self, seconds=PATIENCE):
        """The next reply; None when none came in time."""
        end = time.monotonic() + seconds
        while b"\0" not in self.pending:
            left = max(0, end - time.monotonic())
            if not select.select([self.connection], [], [], left)[0]:
                return None
            piece = self.connection.recv(1 << 20)
            assert piece, "the daemon closed the connection"
            self.pending += piece
        message, _, self.pending = self.pending.partition(b"\0")
        reply = json.loads(message)
        assert "error" not in reply, reply
        return reply["parameters"]

    def until(self, accepts):
        """The first reply that is accepted."""
        end = time.monotonic() + PATIENCE
        seen = []
        while (left := end - time.monotonic()) > 0 and (reply := self.next(left)):
            if accepts(reply):
                return reply
            seen = (seen + [reply])[-3:]
        raise AssertionError(f"not within {PATIENCE} s; the last replies: {seen}\n{journal()}")

    def state(self, state):
        return self.until(lambda reply: reply["state"] == state)

    def next_samples(self, count):
        """So many samples or some more, however long they take."""
        samples = []
        while len(samples) < count:
            reply = self.next()
            assert reply, f"{len(samples)} samples, and no more within {PATIENCE} s\n{journal()}"
            samples += reply["samples"]
        return samples

    def samples(self, seconds):
        """All samples of so many seconds."""
        samples = []
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0 and (reply := self.next(left)):
            self.dropped += reply.get("dropped", 0)
            samples += reply["samples"]
        return samples

    def close(self):
        self.connection.close()


def call(method, path=SOCKET, **parameters):
    stream = Stream(method, more=False, path=path, **parameters)
    try:
        return stream.next()
    finally:
        stream.close()


def listed(name, path=SOCKET):
    """What the daemon says of the sensor of that name."""
    (sensor,) = [one for one in call("ListSensors", path)["sensors"] if one["name"] == name]
    return sensor


def devices(name):
    """The IIO devices of that name."""
    found = []
    for path in glob.glob(f"{BUS}/iio:device*"):
        try:
            if read(f"{path}/name") == name:
                found.append(os.path.basename(path))
        except OSError:
            pass  # it goes just now
    return found


def settings(device):
    """What every file says that a capture may change."""
    folder = f"{BUS}/{device}"
    names = ["sampling_frequency", "in_accel_sampling_frequency", "current_timestamp_clock"]
    names += ["trigger/current_trigger"]
    for place in ("buffer0", "buffer", "scan_elements"):
        for end in ("enable", "length", "watermark", "*_en"):
            names += [os.path.relpath(path, folder) for path in glob.glob(f"{folder}/{place}/{end}")]
    return {name: read(f"{folder}/{name}") for name in names if os.path.exists(f"{folder}/{name}")}


class Hub:
    """The HID sensor, a program of its own."""

    NAME = "accel_3d"

    def __init__(self):
        subprocess.run(["modprobe", "uhid"], check=True)
        program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "hidsensor.py")
        self.process = subprocess.Popen(
            [sys.executable, program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.device = self._found()

    def _found(self):
        # Only what udev is done with has its permissions.
        device = wait_for("HID sensor", lambda: devices(self.NAME))[0]
        subprocess.run(["udevadm", "settle"], check=True)
        return device

    def tell(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().split()

    def unplug(self):
        self.tell("unplug")
        wait_for("end of the HID sensor", lambda: not devices(self.NAME))

    def plug(self):
        self.tell("plug")
        self.device = self._found()

    def end(self):
        self.process.stdin.close()
        self.process.wait(PATIENCE)
        wait_for("end of the HID sensor", lambda: not devices(self.NAME))
