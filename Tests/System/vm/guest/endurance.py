"""An accelerometer for a long time, run as root in the virtual machine: endurance.py SECONDS

Samples at the highest rate that the emulated machine gives, each with a running number: none may be
lost and times must rise. Then the sensor is unplugged and plugged in again, many times. Neither may
leave descriptors or memory behind. Prints figures; fails when something is not as it should be.
"""

import os
import shutil
import sys
import time

from client import Hub, Stream, listed, read, wait_for
from units import SERVICE, SOCKET_UNIT, main_pid, must, write

G = 9.80665
STEP = 0.001 * G
RATES = (1000, 500, 333, 250, 200, 100)
# Seconds in which a rate must show that it can be had; at most this share of reports is late.
TRIAL, LEFT_OUT = 6, 0.01
UNPLUGGINGS = 20
# Kibibytes: what the memory allocator's own ways can make of difference.
NOISE = 128


def usage():
    """The daemon's descriptors, threads, memory of its own (KiB) and processor time (s)."""
    place = f"/proc/{main_pid()}"
    memory = 0
    for line in read(f"{place}/smaps_rollup").splitlines():
        if line.startswith(("Private_Dirty:", "Private_Clean:")):
            memory += int(line.split()[1]) * line.startswith("Private_Dirty:")
    fields = read(f"{place}/stat").rpartition(")")[2].split()
    seconds = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return {
        "descriptors": len(os.listdir(f"{place}/fd")),
        "threads": len(os.listdir(f"{place}/task")),
        "memory": memory,
        "processor": seconds,
    }


def reports(hub):
    _, sent, _, left_out = hub.tell("status")
    return int(sent), int(left_out)


def fastest(hub):
    """The highest rate at which this machine's sensor keeps up with itself."""
    for rate in RATES:
        stream = Stream("Subscribe", rate=rate, maxLatency=100)
        stream.state("live")
        before = reports(hub)
        stream.samples(TRIAL)
        after = reports(hub)
        is_slow = stream.dropped > 0
        stream.close()
        left_out = after[1] - before[1]
        if left_out <= LEFT_OUT * (after[0] - before[0]) and not is_slow:
            return rate
    raise AssertionError("the machine is too slow for any rate")


class Numbers:
    """Follows samples by the sensor's running number, the daemon's sequence, and their times.

    Where both leave the same out, it was not lost between sensor and daemon.
    """

    def __init__(self):
        self.count = self.lost = self.left_out = self.backward = 0
        self.number = self.sequence = self.time = None
        self.gaps = []

    def add(self, sample):
        # HID hubs have the axis that points up negative.
        number = round(-sample["x"] / STEP)
        moment = sample["bootTimestamp"]
        if self.number is not None:
            left_out = sample["sequence"] - self.sequence - 1
            self.left_out += left_out
            self.lost += abs(number - self.number - 1 - left_out)
            self.backward += moment <= self.time
            self.gaps.append(moment - self.time)
        self.count += 1
        self.number, self.sequence, self.time = number, sample["sequence"], moment


def capture(hub, rate, seconds):
    stream = Stream("Subscribe", rate=rate, maxLatency=100)
    stream.state("live")
    hub.tell("count on")
    stream.until(lambda reply: any(abs(s["x"]) < rate * STEP for s in reply["samples"]))
    assert listed(Hub.NAME)["mode"] == "buffer", listed(Hub.NAME)
    numbers, marks, late = Numbers(), [], []
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        for sample in stream.samples(min(left, seconds / 10)):
            numbers.add(sample)
        marks.append(usage())
    first, last = marks[0], marks[-1]
    gaps = sorted(numbers.gaps)
    # A few samples that are still under way are not counted.
    sent, late = reports(hub)
    stream.close()
    mean = 1e6 * len(gaps) / sum(gaps)
    processor = last["processor"] - first["processor"]
    print(f"{numbers.count} samples in {seconds:g} s at {rate} Hz, {mean:.2f} Hz by their times")
    print(f"lost {numbers.lost}, times that did not rise {numbers.backward}")
    print(f"sent {sent}; left out by the emulated sensor, which was late, {late}")
    print(f"left out for this program, which was slow, {numbers.left_out}; told {stream.dropped}")
    print("gaps in ms: median {:.2f}, 99 % {:.2f}, longest {:.2f}".format(
        *(gaps[min(len(gaps) - 1, int(len(gaps) * part))] / 1000 for part in (0.5, 0.99, 1))
    ))
    print(f"processor {100 * processor / (seconds * 0.9):.1f} % of one, emulated")
    print(f"memory KiB {[mark['memory'] for mark in marks]}")
    print(f"descriptors {[mark['descriptors'] for mark in marks]}", flush=True)
    assert numbers.lost == 0 and numbers.backward == 0
    assert stream.dropped >= numbers.left_out
    assert last["descriptors"] == first["descriptors"] and last["threads"] == first["threads"]
    assert last["memory"] - first["memory"] <= NOISE


def unplug(hub, rate):
    stream = Stream("Subscribe", rate=rate, maxLatency=100)
    stream.state("live")
    marks, told, back = [], [], []
    for _ in range(UNPLUGGINGS):
        start = time.monotonic()
        hub.unplug()
        stream.state("noSensor")
        told.append(time.monotonic() - start)
        start = time.monotonic()
        hub.plug()
        stream.state("live")
        back.append(time.monotonic() - start)
        assert listed(Hub.NAME)["mode"] == "buffer", listed(Hub.NAME)
        marks.append(usage())
    stream.close()
    print(f"unplugged {UNPLUGGINGS} times: told within {max(told):.2f} s, "
          f"live again within {max(back):.2f} s")
    print(f"memory KiB {[mark['memory'] for mark in marks]}")
    print(f"descriptors {[mark['descriptors'] for mark in marks]}", flush=True)
    # The first ones fill the allocator's lists.
    early, last = marks[UNPLUGGINGS // 4], marks[-1]
    assert last["descriptors"] == early["descriptors"] and last["threads"] == early["threads"]
    assert last["memory"] - early["memory"] <= NOISE


def main(seconds):
    shutil.copytree("/mnt/in/root", "/", dirs_exist_ok=True)
    must("systemd-sysusers")
    must("systemd-tmpfiles", "--create")
    must("udevadm", "control", "--reload")
    os.makedirs("/etc/bearingd/bearingd.conf.d", exist_ok=True)
    write("/etc/bearingd/bearingd.conf.d/test.conf", "[Location]\nSource=none\n")
    must("systemctl", "daemon-reload")
    must("systemctl", "start", SOCKET_UNIT, SERVICE)
    hub = Hub()
    rate = fastest(hub)
    idle = usage()
    capture(hub, rate, seconds)
    unplug(hub, rate)
    wait_for("idle descriptors", lambda: usage()["descriptors"] <= idle["descriptors"])
    hub.end()
    print("endured")


if __name__ == "__main__":
    main(float(sys.argv[1]))
