#!/usr/bin/python3
"""A HID sensor hub with one accelerometer, made through /dev/uhid; the kernel's own drivers run it.

It brings a trigger of its own. Values are thousandths of a g, in 32 bits. Started as a program it
serves commands from standard input, a line each, and answers each with a line:

  set X Y Z     what it measures
  count on|off  x is the number of the report instead, so that lost ones show
  stall on|off  it is there, and reports nothing
  unplug, plug  (it starts plugged in)
  status        reports sent, and reports left out because this program was late
"""

import os
import select
import struct
import sys
import time

# linux/uhid.h
DESTROY, GET_REPORT, GET_REPORT_REPLY, CREATE, INPUT, SET_REPORT, SET_REPORT_REPLY = (
    1, 9, 10, 11, 12, 13, 14,
)
EVENT_SIZE = 4380
FEATURE = 0
BUS_USB = 3
# HID usages: all events are reported; full power; the state is ready; data is updated.
REPORT_ALL, FULL_POWER, READY, UPDATED = 2, 2, 2, 4
# Seconds that reports may be late before some are left out.
TOO_LATE = 0.25


def usage(number):
    return bytes([0x0A]) + struct.pack("<H", number)


def choice(field, usages, item):
    """A field of one byte whose value is one of the usages, counted from 1 (item: input, feature)."""
    first = usage(field) + bytes([0x15, 1, 0x25, len(usages), 0x75, 8, 0x95, 1, 0xA1, 2])
    return first + b"".join(usage(number) for number in usages) + bytes([item, 0, 0xC0])


def descriptor():
    """The report descriptor: HID Usage Tables, chapter Sensors."""
    input_item, feature_item = 0x81, 0xB1
    text = bytes([0x05, 0x20, 0x09, 0x01, 0xA1, 1, 0x09, 0x73, 0xA1, 0, 0x85, 1])
    text += choice(0x0316, range(0x0840, 0x0846), feature_item)  # reporting state
    text += choice(0x0319, range(0x0850, 0x0856), feature_item)  # power state
    text += usage(0x030E)  # report interval, ms
    text += bytes([0x15, 0, 0x27, 0xFF, 0xFF, 0xFF, 0x7F, 0x75, 32, 0x95, 1, 0x55, 0, 0xB1, 2])
    text += usage(0x1452)  # sensitivity, 10^-3 g
    text += bytes([0x15, 0, 0x26, 0xFF, 0x7F, 0x75, 16, 0x95, 1, 0x55, 0xD, 0xB1, 2])
    text += choice(0x0201, range(0x0800, 0x0807), input_item)  # sensor state
    text += choice(0x0202, range(0x0810, 0x0815), input_item)  # event
    limits = b"\x17" + struct.pack("<i", -(2**31)) + b"\x27" + struct.pack("<i", 2**31 - 1)
    for axis in (0x0453, 0x0454, 0x0455):
        text += usage(axis) + limits + bytes([0x75, 32, 0x95, 1, 0x55, 0xD, 0x81, 2])
    return text + b"\xc0\xc0"


class Sensor:
    def __init__(self):
        self.values = [0, 0, 1000]
        self.counts = self.stalls = False
        self.sent = self.left_out = 0
        self.hub = None
        self.plug()

    def plug(self):
        self.reporting, self.power, self.interval, self.sensitivity = 1, 6, 100, 0
        self.due = None
        self.hub = os.open("/dev/uhid", os.O_RDWR | os.O_NONBLOCK)
        text = descriptor()
        identity = struct.pack("<HHIIII", len(text), BUS_USB, 0x1209, 0x0001, 1, 0)
        names = struct.pack("128s64s64s", b"test sensor hub", b"vmtest/uhid0", b"")
        os.write(self.hub, struct.pack("<I", CREATE) + names + identity + text.ljust(4096, b"\0"))

    def unplug(self):
        os.write(self.hub, struct.pack("<I", DESTROY))
        os.close(self.hub)
        self.hub = None

    def report(self):
        values = [self.sent & 0x7FFFFFFF] + self.values[1:] if self.counts else self.values
        return struct.pack("<BBBiii", 1, READY, UPDATED, *values)

    def hear(self):
        """What the kernel's drivers ask and set."""
        try:
            event = os.read(self.hub, EVENT_SIZE)
        except BlockingIOError:
            return
        kind, number = struct.unpack_from("<II", event)
        if kind == GET_REPORT:
            answer = self.report()
            if event[9] == FEATURE:
                answer = struct.pack(
                    "<BBBIH", 1, self.reporting, self.power, self.interval, self.sensitivity
                )
            head = struct.pack("<IIHH", GET_REPORT_REPLY, number, 0, len(answer))
            os.write(self.hub, head + answer)
        elif kind == SET_REPORT:
            if event[9] == FEATURE:
                _, self.reporting, self.power, self.interval, self.sensitivity = (
                    struct.unpack_from("<BBBIH", event, 12)
                )
            os.write(self.hub, struct.pack("<IIH", SET_REPORT_REPLY, number, 0))

    def send_due(self):
        """Sends the reports that are due; seconds to the next one, None when there is none."""
        runs = self.reporting == REPORT_ALL and self.power == FULL_POWER
        if self.hub is None or self.stalls or not runs:
            self.due = None
            return None
        now, period = time.monotonic(), max(self.interval, 1) / 1000
        if self.due is None:
            self.due = now
        if now - self.due > TOO_LATE:
            late = int((now - self.due) / period)
            self.left_out += late
            self.due += late * period
        while self.due <= now:
            report = self.report()
            os.write(self.hub, struct.pack("<IH", INPUT, len(report)) + report)
            self.sent += 1
            self.due += period
        return max(0, self.due - time.monotonic())

    def obey(self, verb, *words):
        if verb == "set":
            self.values = [int(word) for word in words]
        elif verb == "count":
            self.counts, self.sent = words == ("on",), 0
        elif verb == "stall":
            self.stalls = words == ("on",)
        elif verb == "plug":
            self.plug()
        elif verb == "unplug":
            self.unplug()
        return f"sent {self.sent} left_out {self.left_out}"


def main():
    # Before every other program: hardware does not wait for a processor either.
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    sensor = Sensor()
    while True:
        wait = sensor.send_due()
        ready, _, _ = select.select([0] + [sensor.hub] * (sensor.hub is not None), [], [], wait)
        if sensor.hub in ready:
            sensor.hear()
        if 0 in ready:
            line = sys.stdin.buffer.raw.readline().decode()
            if not line:
                return
            print(sensor.obey(*line.split()), flush=True)


if __name__ == "__main__":
    main()
