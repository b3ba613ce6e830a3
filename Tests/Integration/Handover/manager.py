"""Plays the service manager to a daemon, as systemd does to a service with FileDescriptorStoreMax=."""

import array
import json
import os
import select
import signal
import socket
import time

DEADLINE = 60  # seconds for anything to happen, on a busy machine


class Manager:
    """Keeps the descriptors that the daemon asks it to, and passes them to the next one."""

    def __init__(self, folder, program):
        self.folder, self.program, self.store, self.pid = folder, program, [], None
        self.path = f"{folder}/notify"
        self.notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.notify.bind(self.path)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(f"{folder}/io.bearing")
        self.listener.listen(128)

    def start(self):
        passed = [("bearingd.socket", self.listener.fileno())] + self.store
        self.pid = os.fork()
        if self.pid == 0:
            # Out of the way of 3 and up first, so that none is overwritten before its turn.
            high = [(name, os.dup2(number, 500 + i)) for i, (name, number) in enumerate(passed)]
            for i, (_, number) in enumerate(high):
                os.dup2(number, 3 + i, inheritable=True)
            os.closerange(3 + len(high), 700)
            environment = {
                "LISTEN_PID": str(os.getpid()),
                "LISTEN_FDS": str(len(high)),
                "LISTEN_FDNAMES": ":".join(name for name, _ in high),
                "NOTIFY_SOCKET": self.path,
            }
            for name in ("RUNTIME", "STATE", "CONFIGURATION"):
                environment[f"{name}_DIRECTORY"] = self.folder
            # Beside any daemon of the machine's.
            os.execve(self.program, ["bearingd", "--force"], environment)

    def handle(self):
        """One notification."""
        data, control, _, _ = self.notify.recvmsg(4096, socket.CMSG_SPACE(64))
        lines = dict(line.split("=", 1) for line in data.decode().splitlines() if "=" in line)
        numbers = array.array("i")
        for level, kind, body in control:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                numbers.frombytes(body[: len(body) - len(body) % numbers.itemsize])
        name = lines.get("FDNAME")
        if "FDSTOREREMOVE" in lines:
            for _, number in [entry for entry in self.store if entry[0] == name]:
                os.close(number)
            self.store = [entry for entry in self.store if entry[0] != name]
        elif "FDSTORE" in lines:
            self.store += [(name, number) for number in numbers]
        return lines

    def until(self, condition):
        """Handles notifications until one fulfils the condition."""
        end = time.monotonic() + DEADLINE
        while True:
            assert select.select([self.notify], [], [], end - time.monotonic())[0], "no notification"
            if condition(self.handle()):
                return

    def settle(self):
        """Handles what has come."""
        while select.select([self.notify], [], [], 0)[0]:
            self.handle()

    def ready(self):
        """Waits until the daemon says that it is ready."""
        self.until(lambda lines: lines.get("READY") == "1")

    def kill(self, by=signal.SIGKILL):
        os.kill(self.pid, by)
        os.waitpid(self.pid, 0)
        self.pid = None
        self.settle()

    def end(self):
        """Ends the daemon, if there is one."""
        if self.pid and os.waitpid(self.pid, os.WNOHANG)[0] == 0:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)

    def kept(self):
        """How many streams' sockets it keeps."""
        return len([name for name, _ in self.store if name.startswith("client-")])


class Stream:
    """A client with one stream, or with calls."""

    def __init__(self, path, method=None, parameters={}):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.pending, self.ended, self.method = b"", False, method
        if method:
            self.send(method, parameters, more=True)

    def send(self, method, parameters={}, more=False):
        call = {"method": method, "parameters": parameters} | ({"more": True} if more else {})
        self.socket.sendall(json.dumps(call).encode() + b"\0")

    def there(self):
        """The parameters of the replies that have come."""
        while not self.ended and select.select([self.socket], [], [], 0)[0]:
            self.receive()
        *messages, self.pending = self.pending.split(b"\0")
        return [json.loads(message)["parameters"] for message in messages]

    def next(self, wanted=lambda reply: True):
        """The parameters of the next reply that is wanted."""
        end = time.monotonic() + DEADLINE
        while True:
            while b"\0" not in self.pending:
                left = end - time.monotonic()
                assert left > 0 and select.select([self.socket], [], [], left)[0], "no reply"
                self.receive()
                assert not self.ended, f"the connection of {self.method} ended"
            message, self.pending = self.pending.split(b"\0", 1)
            reply = json.loads(message)
            assert "error" not in reply, reply
            if wanted(reply["parameters"]):
                return reply["parameters"]

    def call(self, method, parameters={}):
        self.send(method, parameters)
        return self.next()

    def receive(self):
        piece = self.socket.recv(65536)
        self.pending += piece
        self.ended = not piece
