"""Opens a ring of samples and tries all there is to change it; prints what worked.

python ring_attacks.py SOCKET
"""

import ctypes
import fcntl
import json
import mmap
import os
import socket
import sys

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
PAGE, READ, WRITE, SHARED = 4096, 1, 2, 1
PUNCH_HOLE, KEEP_SIZE = 2, 1
F_ADD_SEALS, F_SEAL_WRITE = 1033, 8


def done(result):
    return result not in (-1, ctypes.c_void_p(-1).value)


def address_of(fd, protection):
    """A shared mapping made past Python's own checks."""
    return libc.mmap(None, PAGE, protection, SHARED, fd, 0)


def protect(fd):
    """Makes a mapping for reading one for writing."""
    address = address_of(fd, READ)
    return done(address) and done(libc.mprotect(ctypes.c_void_p(address), PAGE, READ | WRITE))


def received(fd):
    """Has the kernel write into it from another descriptor."""
    reader, writer = os.pipe()
    os.write(writer, b"x" * 64)
    return os.splice(reader, fd, 64, offset_dst=0) > 0


def attempts(fd):
    size = os.fstat(fd).st_size
    return {
        "write": lambda: os.write(fd, b"x") > 0,
        "pwrite": lambda: os.pwrite(fd, b"x", 64) > 0,
        "map to write": lambda: done(address_of(fd, READ | WRITE)),
        "map to write alone": lambda: done(address_of(fd, WRITE)),
        "protect": lambda: protect(fd),
        "cut": lambda: os.ftruncate(fd, 0) is None,
        "cut by a page": lambda: os.ftruncate(fd, size - PAGE) is None,
        "grow": lambda: os.ftruncate(fd, size + PAGE) is None,
        "fill": lambda: os.posix_fallocate(fd, size, PAGE) is None,
        "punch": lambda: done(
            libc.fallocate64(fd, PUNCH_HOLE | KEEP_SIZE, ctypes.c_int64(0), ctypes.c_int64(PAGE))
        ),
        "splice": lambda: received(fd),
        "seal": lambda: fcntl.fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE) == 0,
    }


def reopened(fd, flags):
    try:
        return os.open(f"/proc/self/fd/{fd}", flags)
    except OSError:
        return None


def control():
    """What does not even work on memory that is not protected."""
    failed = []
    for name in attempts(0):
        fd = os.memfd_create("control", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.ftruncate(fd, 4 * PAGE)
        try:
            if attempts(fd)[name]():
                continue
        except OSError:
            pass
        failed.append(name)
    return failed


def main():
    daemon = socket.socket(socket.AF_UNIX)
    daemon.connect(sys.argv[1])
    call = {"method": "io.bearing.accelerometer.OpenRing", "parameters": {"rate": 100}}
    daemon.sendall(json.dumps(call).encode() + b"\0")
    reply, fds, _, _ = socket.recv_fds(daemon, 4096, 4)
    fd = fds[0]
    before = mmap.mmap(fd, 0, prot=mmap.PROT_READ)[:24]
    targets = {"the descriptor": fd}
    for name, flags in {
        "reopened": os.O_RDWR, "reopened to write": os.O_WRONLY, "cut open": os.O_RDWR | os.O_TRUNC
    }.items():
        if (again := reopened(fd, flags)) is not None:
            targets[name] = again
    worked, refused = [], 0
    for target, number in targets.items():
        for name, attempt in attempts(number).items():
            try:
                if attempt():
                    worked.append(f"{name} by {target}")
                    continue
            except OSError:
                pass
            refused += 1
    try:
        os.fchmod(fd, 0o666)
        mode = "its mode can be set"
    except OSError:
        mode = "its mode stays"
    same = mmap.mmap(fd, 0, prot=mmap.PROT_READ)[:24] == before
    print(json.dumps({
        "control": control(), "worked": worked, "refused": refused, "mode": mode, "opened": sorted(targets), "same": same
    }))


main()
