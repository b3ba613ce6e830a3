"""Tries from inside the service's sandbox what a taken-over daemon would; prints a JSON object.

Each member is "done", or the name of the error that the try ended with.
"""

import errno
import json
import mmap
import os
import socket
import struct
import sys

# Not in Python's module (linux/netlink.h); udev's own group of it is 2.
KOBJECT_UEVENT = 15


def attempt(action):
    try:
        action()
        return "done"
    except OSError as error:
        return errno.errorcode.get(error.errno, str(error))


def connect(address, kind=socket.SOCK_STREAM):
    with socket.socket(socket.AF_INET, kind) as one:
        one.settimeout(5)
        one.connect(address)
        one.send(b"\n")


def write(path):
    with open(path, "w") as file:
        file.write("x")


def read(path):
    if os.path.isdir(path):
        return os.listdir(path)
    with open(path, "rb") as file:
        file.read(1)


def writable_code():
    mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)


def take_loopback_down():
    """RTM_SETLINK of interface 1 without IFF_UP, with the kernel's answer asked for (rtnetlink(7))."""
    request = struct.pack("=IHHII", 32, 19, 0x5, 1, 0) + struct.pack("=BxHiII", 0, 0, 1, 0, 1)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as one:
        one.settimeout(5)
        one.bind((0, 0))
        one.send(request)
        error = struct.unpack_from("=i", one.recv(4096), 16)[0]
    if error:
        raise OSError(-error, "RTM_SETLINK")


tries = {
    "own state": lambda: write("/var/lib/bearingd/probe"),
    "gpsd": lambda: connect(("127.0.0.1", int(sys.argv[1]))),
    "journal": lambda: socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).connect(
        "/run/systemd/journal/socket"
    ),
    "another host": lambda: connect(("192.0.2.1", 80)),
    "another host by UDP": lambda: connect(("192.0.2.1", 53), socket.SOCK_DGRAM),
    "udev": lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, KOBJECT_UEVENT).bind((0, 2)),
    "network settings": take_loopback_down,
    "packets": lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0),
    "read /etc/shadow": lambda: read("/etc/shadow"),
    "read /root": lambda: read("/root"),
    "read /home/ada": lambda: read("/home/ada"),
    "read /var/log": lambda: read("/var/log/dpkg.log"),
    "see /tmp/open": lambda: read("/tmp/open"),
    "read /dev/kmsg": lambda: read("/dev/kmsg"),
    "write /etc": lambda: write("/etc/bearingd/probe.conf"),
    "write /usr": lambda: write("/usr/probe"),
    "write /var/lib": lambda: write("/var/lib/probe"),
    "write /sys/kernel": lambda: write("/sys/kernel/mm/ksm/run"),
    "write /proc/sys": lambda: write("/proc/sys/kernel/hostname"),
    "become root": lambda: os.setuid(0),
    "writable code": writable_code,
    "real time": lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)),
    "other host name": lambda: socket.sethostname("probe"),
    "SUID file": lambda: os.chmod("/var/lib/bearingd/probe", 0o4755),
}
print(json.dumps({name: attempt(action) for name, action in tries.items()}))
os.unlink("/var/lib/bearingd/probe")
