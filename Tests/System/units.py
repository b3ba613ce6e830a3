"""Tests of the units, run as root inside a freshly booted systemd that the daemon is installed into.

Prints `ok` or `not ok` with the name of each, and fails when one failed.
"""

import json
import mmap
import os
import pwd
import select
import shutil
import socket
import stat
import struct
import subprocess
import sys
import time

SOCKET = "/run/bearingd/io.bearing"
SERVICE = "bearingd.service"
SOCKET_UNIT = "bearingd.socket"
# Seconds that a slow machine, or one that stands still for a while, may take for what must happen.
PATIENCE = 180


def run(*command):
    """The command's exit status and all that it said."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout.strip()


def must(*command):
    status, said = run(*command)
    assert status == 0, f"{' '.join(command)}: {said}\n{journal()}"
    return said


def journal():
    return run("journalctl", "--no-pager", "-o", "cat", "-n", "20", "-u", SERVICE)[1]


def show(unit, name):
    return must("systemctl", "show", "--value", "-p", name, unit)


def call(method, parameters=None):
    """One Varlink call to the installed socket."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(PATIENCE)
        connection.connect(SOCKET)
        request = {"method": method, "parameters": parameters or {}}
        connection.sendall(json.dumps(request).encode() + b"\0")
        reply = b""
        while not reply.endswith(b"\0"):
            piece = connection.recv(65536)
            assert piece, f"closed after {reply!r}"
            reply += piece
    return json.loads(reply[:-1])


def call_as(user, method):
    """The same by another user, as text."""
    client = f"import units; print(units.call({method!r}))"
    done = subprocess.run(["python3", "-c", client], user=user, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


def wait_for(what, condition):
    """systemd, sysfs and /proc tell their state to who asks: ask until it is so, and give the answer."""
    end = time.monotonic() + PATIENCE
    while not (found := condition()):
        assert time.monotonic() < end, f"no {what} within {PATIENCE} s\n{journal()}"
        time.sleep(0.05)
    return found


def wait_until_active():
    """A daemon may answer before systemd has taken note that it is ready."""
    wait_for("active service", lambda: show(SERVICE, "ActiveState") == "active")


def wait_until_kept(count):
    """systemd is told of streams now and then, and keeps those that it knows of."""
    wait_for("kept streams", lambda: int(show(SERVICE, "NFileDescriptorStore")) > count)


def wait_for_next(killed):
    """Waits for the daemon after that of this process number."""
    wait_for("new daemon", lambda: main_pid() not in (0, killed))


def main_pid():
    return int(show(SERVICE, "MainPID"))


# Each test leaves both units stopped or started as the next one's name says; they run in this order.


def test_the_users_and_groups_are_made():
    must("systemd-sysusers")
    assert pwd.getpwnam("bearingd").pw_shell.endswith("nologin")
    for group in ("bearingd", "bearing", "bearing-approximate", "bearing-admin"):
        must("getent", "group", group)


def test_systemd_finds_nothing_wrong_with_the_units():
    must("systemctl", "daemon-reload")
    status, said = run("systemd-analyze", "verify", "--man=no", SERVICE, SOCKET_UNIT)
    mine = [line for line in said.splitlines() if "bearingd" in line]
    assert status == 0 and not mine, said


def test_what_the_units_expose_is_what_the_guide_says():
    for unit, tenths in ((SERVICE, 15), ("bearingd-metrics.service", 12)):
        path = f"/usr/lib/systemd/system/{unit}"
        must("systemd-analyze", "security", "--offline=true", f"--threshold={tenths}", path)


def test_everybody_may_connect_to_the_socket_before_the_daemon_runs():
    must("systemctl", "start", SOCKET_UNIT)
    assert show(SERVICE, "ActiveState") == "inactive"
    mode = os.stat(SOCKET).st_mode
    assert stat.S_ISSOCK(mode) and stat.S_IMODE(mode) == 0o666, oct(mode)


def test_the_first_call_starts_the_daemon_and_is_answered():
    reply = call("org.varlink.service.GetInfo")
    assert "io.bearing.location" in reply["parameters"]["interfaces"], reply
    wait_until_active()


def test_the_daemon_says_when_it_is_ready_and_what_it_does():
    must("systemctl", "stop", SERVICE)
    # Returns only when the daemon has said that it is ready.
    must("systemctl", "start", SERVICE)
    assert show(SERVICE, "SubState") == "running"
    assert show(SERVICE, "StatusText") != ""
    assert call("io.bearing.daemon.GetStatus")["parameters"]["pid"] == main_pid()


def test_it_runs_as_its_own_user_without_privileges():
    with open(f"/proc/{main_pid()}/status") as file:
        status = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
    assert status["Uid"].split("\t")[0] == str(pwd.getpwnam("bearingd").pw_uid)
    assert int(status["CapBnd"], 16) == 0 and int(status["CapEff"], 16) == 0
    assert status["NoNewPrivs"] == "1"


def test_its_state_is_its_own():
    status = os.stat("/var/lib/bearingd")
    assert status.st_uid == pwd.getpwnam("bearingd").pw_uid
    assert stat.S_IMODE(status.st_mode) == 0o700


def test_a_second_daemon_is_told_of_the_first():
    environment = dict(os.environ, RUNTIME_DIRECTORY="/run/bearingd")
    second = subprocess.run(
        ["/usr/sbin/bearingd"], env=environment, capture_output=True, text=True, timeout=PATIENCE
    )
    assert second.returncode == 1, second
    assert f"already running (pid {main_pid()})" in second.stderr, second


def test_a_killed_daemon_is_started_again_on_the_same_socket():
    before, inode = main_pid(), os.stat(SOCKET).st_ino
    must("systemctl", "kill", "-s", "KILL", SERVICE)
    wait_for_next(before)
    assert call("io.bearing.daemon.GetStatus")["parameters"]["pid"] == main_pid() != before
    assert os.stat(SOCKET).st_ino == inode


def test_a_stopped_daemon_leaves_the_socket_which_starts_it_again():
    must("systemctl", "stop", SERVICE)
    assert show(SERVICE, "Result") == "success"
    assert show(SERVICE, "ExecMainStatus") == "0"
    assert stat.S_ISSOCK(os.stat(SOCKET).st_mode)
    call("org.varlink.service.GetInfo")
    wait_until_active()


def test_it_serves_without_the_socket_unit_too():
    must("systemctl", "stop", SERVICE, SOCKET_UNIT)
    must("systemctl", "mask", "--runtime", SOCKET_UNIT)
    must("systemctl", "start", SERVICE)
    assert stat.S_IMODE(os.stat(SOCKET).st_mode) == 0o666
    call("org.varlink.service.GetInfo")
    # What a killed one leaves behind is no obstacle to the next.
    before = main_pid()
    must("systemctl", "kill", "-s", "KILL", SERVICE)
    wait_for_next(before)
    wait_until_active()
    call("org.varlink.service.GetInfo")
    must("systemctl", "stop", SERVICE)
    must("systemctl", "unmask", "--runtime", SOCKET_UNIT)


def test_a_reload_applies_a_rule_and_refuses_a_mistake():
    path = "/etc/bearingd/bearingd.conf.d/access.conf"
    is_denied = lambda: "AccessDenied" in call_as("nobody", "io.bearing.location.GetLastKnown")
    must("systemctl", "start", SERVICE)
    before = main_pid()
    assert is_denied()
    write(path, "[Access]\nUser.nobody=precise\n")
    must("systemctl", "reload", SERVICE)
    wait_for("access", lambda: not is_denied())
    write(path, "[Access]\nUser.nobody=denied\nDefault=everything\n")
    must("systemctl", "reload", SERVICE)
    wait_for("complaint", lambda: f"{path}:3: [Access] Default=everything: expected" in journal())
    assert not is_denied()
    os.unlink(path)
    must("systemctl", "reload", SERVICE)
    wait_for("denial", is_denied)
    assert main_pid() == before


def test_a_gpsd_on_another_machine_needs_one_drop_in():
    folder = "/run/systemd/system/bearingd.service.d"
    allowed = lambda: show(SERVICE, "IPAddressAllow").split()
    alone = allowed()
    os.makedirs(folder)
    shutil.copy("/usr/share/doc/bearingd/examples/gpsd-elsewhere.conf", folder)
    must("systemctl", "daemon-reload")
    assert sorted(allowed()) == sorted(alone + ["192.0.2.7/32"]), (alone, allowed())
    must("systemctl", "restart", SERVICE)
    call("org.varlink.service.GetInfo")
    shutil.rmtree(folder)
    must("systemctl", "daemon-reload")


def test_samples_are_shared_by_memory_from_within_the_sandbox():
    path = "/etc/bearingd/bearingd.conf.d/sensor.conf"
    write(path, "[Accelerometer]\nSource=simulation\n")
    must("systemctl", "restart", SERVICE)
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(PATIENCE)
        connection.connect(SOCKET)
        connection.sendall(b'{"method":"io.bearing.accelerometer.OpenRing"}\0')
        reply, descriptors, _, _ = socket.recv_fds(connection, 4096, 1)
        assert len(descriptors) == 1, reply
        memory = mmap.mmap(descriptors[0], 0, prot=mmap.PROT_READ)
        head, ended = 64, 76
        wait_for("sample", lambda: struct.unpack_from("=Q", memory, head)[0] > 2)
        must("systemctl", "stop", SERVICE)
        assert struct.unpack_from("=I", memory, ended)[0] != 0
    os.unlink(path)
    must("systemctl", "start", SERVICE)


def test_a_mistake_in_the_configuration_stops_the_start_with_its_place():
    path = "/etc/bearingd/bearingd.conf.d/mistake.conf"
    must("systemctl", "stop", SERVICE)
    write(path, "[Location]\nGpsdPort=abc\n")
    status, _ = run("systemctl", "start", SERVICE)
    assert status != 0
    assert show(SERVICE, "ExecMainStatus") == "78"
    complaint = f"{path}:2: [Location] GpsdPort=abc: expected a port number"
    wait_for("complaint", lambda: complaint in journal())
    os.unlink(path)
    must("systemctl", "reset-failed", SERVICE)
    must("systemctl", "start", SERVICE)


def test_a_daemon_that_hangs_is_started_again():
    folder = "/run/systemd/system/bearingd.service.d"
    os.makedirs(folder)
    # Long enough for a daemon that has to wait for its processor.
    write(f"{folder}/watchdog.conf", "[Service]\nWatchdogSec=10\n")
    must("systemctl", "daemon-reload")
    must("systemctl", "restart", SERVICE)
    before = main_pid()
    must("systemctl", "kill", "-s", "STOP", SERVICE)
    wait_for_next(before)
    said = lambda: run("journalctl", "--no-pager", "-u", SERVICE)[1]
    wait_for("word of the watchdog", lambda: "atchdog" in said())


class Streams:
    """Clients that subscribe once and never again, as programs do that know nothing of restarts."""

    def __init__(self, count):
        self.sockets = []
        for _ in range(count):
            connection = socket.socket(socket.AF_UNIX)
            connection.connect(SOCKET)
            connection.sendall(b'{"method":"io.bearing.location.Subscribe","more":true}\0')
            connection.setblocking(False)
            self.sockets.append(connection)
        self.pending = [b""] * count
        self.heard = [time.monotonic()] * count
        self.longest = 0.0

    def read(self, seconds):
        """Reads for that long, and what is there then: the count of fixes of each.

        Torn and ended streams are failures.
        """
        fixes = [0] * len(self.sockets)
        end = time.monotonic() + seconds
        while True:
            left = end - time.monotonic()
            readable = select.select(self.sockets, [], [], max(0, left))[0]
            if left <= 0 and not readable:
                return fixes
            for ready in readable:
                index = self.sockets.index(ready)
                piece = ready.recv(65536)
                assert piece, f"stream {index} ended"
                *messages, self.pending[index] = (self.pending[index] + piece).split(b"\0")
                for message in messages:
                    reply = json.loads(message)  # fails on half a message
                    assert "error" not in reply and reply["continues"], reply
                    fixes[index] += "fix" in reply["parameters"]
                now = time.monotonic()
                self.longest = max(self.longest, now - self.heard[index])
                self.heard[index] = now

    def live(self):
        """Reads until each has a fix again."""
        fixes = [0] * len(self.sockets)
        end = time.monotonic() + PATIENCE
        while min(fixes) == 0:
            assert time.monotonic() < end, f"{fixes.count(0)} streams are silent\n{journal()}"
            fixes = [a + b for a, b in zip(fixes, self.read(0.5))]

    def read_to_the_end(self):
        for connection in self.sockets:
            connection.settimeout(PATIENCE)
            while connection.recv(65536):
                pass


def test_open_streams_go_on_over_restart_kill_and_watchdog_abort():
    with open("/etc/bearingd/bearingd.conf.d/simulation.conf", "w") as file:
        file.write("[Location]\nSource=simulation\n[Accelerometer]\nSource=simulation\n")
    must("systemctl", "restart", SERVICE)
    streams = Streams(64)
    streams.live()
    wait_until_kept(64)
    ways = {
        "restart": lambda: must("systemctl", "restart", SERVICE),
        "kill -9": lambda: must("systemctl", "kill", "-s", "KILL", SERVICE),
        "watchdog abort": lambda: must("systemctl", "kill", "-s", "STOP", SERVICE),
    }

    def die_often():
        # More often than systemd lets a service by default before it gives it up.
        for _ in range(8):
            killed = wait_for("daemon", main_pid)
            must("systemctl", "kill", "-s", "KILL", SERVICE)
            wait_for_next(killed)

    ways["kill -9 eight times"] = die_often
    for name, way in ways.items():
        before, streams.longest = main_pid(), 0.0
        way()
        wait_for_next(before)
        # What the last daemon has sent does not count.
        streams.read(0)
        streams.live()
        clients = call("io.bearing.daemon.ListClients")["parameters"]["clients"]
        assert len([c for c in clients if c.get("stream")]) == 64, clients
        print(f"    {name}: 64 of 64 streams went on, longest silence {streams.longest:.2f} s")
    must("systemctl", "stop", SERVICE)
    streams.read_to_the_end()
    os.unlink("/etc/bearingd/bearingd.conf.d/simulation.conf")
    must("systemctl", "start", SERVICE)


def perform(names, what):
    """Runs the tests among the names, and ends the program."""
    tests = [(name, test) for name, test in names.items() if name.startswith("test_")]
    failed = 0
    for name, test in tests:
        name = name.removeprefix("test_").replace("_", " ")
        try:
            test()
            print(f"ok - {name}", flush=True)
        except Exception as error:  # a failure of any kind is a failed test
            failed += 1
            print(f"not ok - {name}\n    {type(error).__name__}: {error}", flush=True)
    print(f"{len(tests) - failed} of {len(tests)} tests {what} passed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    shutil.copytree("/mnt/in/root", "/", dirs_exist_ok=True)
    perform(globals(), "under systemd")
