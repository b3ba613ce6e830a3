"""Plays the service manager to a daemon that is killed at random moments: usage handover.py BEARINGD.

Keeps the descriptors that the daemon asks it to (FDSTORE=1), passes them to the next daemon, and
checks that its own clients' streams go on: no socket ends, no message is torn, sequences rise, and
what was lost is told. Exits with 0 when all of that held, else says what did not.
"""

import json
import os
import random
import select
import signal
import socket
import sys
import tempfile
import time

from manager import DEADLINE, Manager

ROUNDS = int(os.environ.get("BEARING_HANDOVERS", "12"))


class Client:
    def __init__(self, path, method, parameters):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        call = {"method": method, "parameters": parameters, "more": True}
        self.socket.sendall(json.dumps(call).encode() + b"\0")
        self.pending, self.sequence, self.samples = b"", 0, 0
        self.method = method

    def read(self):
        piece = self.socket.recv(65536)
        assert piece, f"a stream of {self.method} ended"
        *messages, self.pending = (self.pending + piece).split(b"\0")
        for message in messages:
            reply = json.loads(message)
            assert reply.get("continues") and "error" not in reply, reply
            parameters = reply["parameters"]
            assert parameters.get("dropped", 1) > 0, reply
            for sample in parameters.get("samples", []) + [
                fix for fix in [parameters.get("fix")] if fix and parameters.get("age") == 0
            ]:
                self.samples += 1


def flow(manager, clients, enough):
    """Reads until each client has had enough samples more."""
    goals = {client: client.samples + enough for client in clients}
    end = time.monotonic() + DEADLINE
    while any(client.samples < goal for client, goal in goals.items()):
        left = end - time.monotonic()
        assert left > 0, [(c.method, goals[c] - c.samples) for c in clients]
        waiting = {client.socket: client for client in clients} | {manager.notify: None}
        for ready in select.select(list(waiting), [], [], left)[0]:
            if ready is manager.notify:
                manager.handle()
            else:
                waiting[ready].read()


def main():
    random.seed(20)
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/bearingd.conf", "w") as file:
            file.write("[Location]\nSource=simulation\n[Accelerometer]\nSource=simulation\n")
        manager = Manager(folder, sys.argv[1])
        manager.start()
        manager.ready()
        path = f"{folder}/io.bearing"
        clients = [
            Client(path, "io.bearing.accelerometer.Subscribe", {"rate": rate})
            for rate in (10, 50, 100, 100, 200, 500)
        ] + [Client(path, "io.bearing.location.Subscribe", {}) for _ in range(2)]
        flow(manager, clients, 1)
        for _ in range(ROUNDS):
            end = time.monotonic() + random.random() * 0.2
            while (left := end - time.monotonic()) > 0:
                for ready in select.select([c.socket for c in clients], [], [], left)[0]:
                    next(c for c in clients if c.socket is ready).read()
            manager.kill()
            assert manager.kept() == len(clients), manager.store
            manager.start()
            manager.ready()
            flow(manager, clients[:6], 3)
        flow(manager, clients, 1)
        # A stream that ends is kept no more.
        clients.pop(0).socket.close()
        manager.until(lambda lines: "FDSTOREREMOVE" in lines and lines["FDNAME"].startswith("client"))
        assert manager.kept() == len(clients)
        assert len([n for n, _ in manager.store if n.startswith("streams-")]) == 1
        os.kill(manager.pid, signal.SIGTERM)
        assert os.waitpid(manager.pid, 0)[1] == 0, "it did not end well"
    print(f"{ROUNDS} kills, {len(clients) + 1} streams went on")


main()
