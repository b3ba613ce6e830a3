"""Tests of the Debian packages, run as root inside a freshly booted Debian 12 that has gpsd."""

import glob
import grp
import json
import os
import pty
import pwd
import random
import re
import select
import shutil
import socket
import subprocess
import sys
import threading
import time
import tty

import exposition
from units import PATIENCE, SERVICE, SOCKET, SOCKET_UNIT, Streams
from units import call, journal, main_pid, must, perform, run, show
from units import wait_for, wait_until_active, wait_until_kept, write

OLD, NEW = sys.argv[1:3]
STATE = "/var/lib/bearingd/state.db"
METRICS = "/var/lib/prometheus/node-exporter/bearingd.prom"
DIVERTED = {
    "/usr/bin/gpsctl": "/usr/bin/gpsctl.gpsd",
    "/usr/share/man/man1/gpsctl.1.gz": "/usr/share/man/man1/gpsctl.gpsd.1.gz",
}
# What installing anything at all leaves: logs, dpkg's own books, and copies of the user database.
BOOKS = re.compile(
    r"/(var/(log|lib/dpkg|cache)/|var/lib/systemd/(catalog|timers|deb-systemd)|etc/\w+-$"
    r"|etc/\.pwd\.lock|etc/(passwd|group|shadow|gshadow|subuid|subgid)$|var/lib/(pam|prometheus)"
    r"|root/|home/ada|tmp/|etc/ld\.so)"
)


def files():
    """Every path of the tree itself, with what regular files are by size."""
    found = {}
    for folder, folders, names in os.walk("/"):
        folders[:] = [
            name
            for name in folders
            if not os.path.ismount(os.path.join(folder, name))
            and (folder, name) not in [("/", "proc"), ("/", "sys"), ("/", "run"), ("/", "dev")]
        ]
        for name in names + folders:
            path = os.path.join(folder, name)
            status = os.lstat(path)
            found[path] = (status.st_mode, status.st_uid) + (
                (status.st_size,) if name in names else ()
            )
    return found


def contents(path):
    with open(path, "rb") as file:
        return file.read()


def install(version):
    debs = sorted(glob.glob(f"/mnt/in/*_{version}_*.deb"))
    assert len(debs) == 2, debs
    must("dpkg", "--install", *debs)


def receiver():
    """The name of a pseudo-terminal that sends a recording again and again."""
    master, slave = pty.openpty()
    tty.setraw(slave)
    os.chmod(os.ttyname(slave), 0o666)
    lines = contents("/mnt/in/antimeridian.log").splitlines(keepends=True)

    def feed():
        due = time.monotonic()
        while True:
            for line in lines:
                if line.startswith(b"$GPRMC"):
                    due += 0.5
                    select.select([], [], [], max(0.0, due - time.monotonic()))
                os.write(master, line)

    threading.Thread(target=feed, daemon=True).start()
    return os.ttyname(slave)


class Gpsd:
    """A real gpsd with a receiver."""

    def __init__(self):
        # Below those that the kernel gives to clients, any of which could take it meanwhile.
        self.port = random.randrange(20000, 30000)
        self.process = subprocess.Popen(["gpsd", "-N", "-n", "-S", str(self.port), receiver()])
        wait_for("fix of gpsd", self.has_fix)

    def has_fix(self):
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=10) as one:
                one.sendall(b'?WATCH={"enable":true,"json":true};\n')
                return any(b'"mode":3' in one.recv(65536) for _ in range(20))
        except OSError:  # not yet there, or silent
            return False


before = {}
originals = {}
gpsd = None


# They run in this order, each on what the one before has left.


def test_gpsd_has_a_fix_before_anything_is_installed():
    global gpsd
    # What they start would write files of its own.
    must("systemctl", "stop", "*.timer")
    os.mkdir("/home/ada", 0o755)
    write("/tmp/open", "anybody's")
    must("systemctl", "mask", "--now", "gpsd.socket", "gpsd.service")
    gpsd = Gpsd()
    originals.update({path: contents(path) for path in DIVERTED})
    before.update(files())


def test_installing_starts_the_daemon_and_enables_its_units():
    install(OLD)
    for unit in (SERVICE, SOCKET_UNIT):
        assert show(unit, "ActiveState") == "active", journal()
        assert must("systemctl", "is-enabled", unit) == "enabled"
    assert run("systemctl", "is-enabled", "bearingd-metrics.timer")[1] == "disabled"
    assert pwd.getpwnam("bearingd").pw_shell.endswith("nologin")


def test_gpsds_program_of_the_same_name_makes_room_and_is_still_called():
    for path, place in DIVERTED.items():
        assert contents(place) == originals[path]
        assert contents(path) != originals[path]
    own = must("/usr/bin/gpsctl", "--version")
    assert own.startswith(f"gpsctl {OLD}"), own
    assert must("/usr/bin/gpsctl", "-V").startswith("gpsctl: version 3."), own


def test_all_is_well_and_nothing_is_logged():
    lines = run("journalctl", "--no-pager", "-o", "cat", f"_PID={main_pid()}")[1]
    assert lines in ("", "-- No entries --"), lines


def test_a_client_gets_the_receivers_fixes():
    write(
        "/etc/bearingd/bearingd.conf.d/test.conf",
        f"[Location]\nGpsdPort={gpsd.port}\n[Accelerometer]\nSource=simulation\n",
    )
    times = []
    for _ in range(5):
        must("systemctl", "stop", SERVICE)
        must("systemctl", "start", SERVICE)
        times.append(
            int(show(SERVICE, "ActiveEnterTimestampMonotonic"))
            - int(show(SERVICE, "InactiveExitTimestampMonotonic"))
        )
    print(f"    from start to READY: {[round(t / 1000, 1) for t in sorted(times)]} ms")
    first = []
    for _ in range(3):
        must("systemctl", "restart", SERVICE)
        start = time.monotonic()
        reply = call("io.bearing.location.GetFix", {"timeout": PATIENCE * 1000 // 2})
        first.append(time.monotonic() - start)
        assert "error" not in reply, reply
        assert abs(reply["parameters"]["fix"]["latitude"] + 17) < 1, reply
    print(
        "    from a first connection to the first fix, a fix each 0.5 s: "
        f"{[round(t, 2) for t in sorted(first)]} s"
    )
    assert "fix" in must("gpsctl", "fix", "--json", "--timeout", f"{PATIENCE}s")


def test_a_user_has_a_fix_once_in_the_group_and_not_before():
    must("useradd", "--no-create-home", "ada")
    fix = ["runuser", "-u", "ada", "--", "gpsctl", "fix", "--json", "--timeout", f"{PATIENCE}s"]
    status, said = run(*fix)
    assert status == 5 and "bearing" in said, said
    must("usermod", "-aG", "bearing", "ada")
    assert abs(json.loads(must(*fix))["fix"]["latitude"] + 17) < 1
    must("userdel", "ada")


def test_the_socket_starts_a_stopped_daemon():
    must("systemctl", "stop", SERVICE)
    call("org.varlink.service.GetInfo")
    wait_until_active()


def test_a_mistake_at_reload_is_in_the_journal_by_kind_file_and_line():
    path = "/etc/bearingd/bearingd.conf.d/mistake.conf"
    write(path, "[Location]\n\nGpsdPort=abc\n")
    must("systemctl", "reload", SERVICE)

    def entry():
        kind = "MESSAGE_ID=56b1314b8b37470d84afe41938343a16"
        said = run("journalctl", "--no-pager", "-o", "json", kind, f"CONFIG_FILE={path}")[1]
        return [json.loads(line) for line in said.splitlines() if line.startswith("{")]

    found = wait_for("entry", entry)[-1]
    assert found["CONFIG_LINE"] == "3" and found["PRIORITY"] == "4", found
    assert found["SYSLOG_IDENTIFIER"] == "bearingd", found
    assert "exit code 78" in must("journalctl", "--no-pager", "-x", "-u", SERVICE)
    os.unlink(path)
    must("systemctl", "reload", SERVICE)


def test_what_is_taken_over_reaches_nothing_else():
    unit = contents("/lib/systemd/system/bearingd.service").decode()
    unit = re.sub(r"(?m)^(Restart|ExecReload|WatchdogSec|Wants|After)\w*=.*\n", "", unit)
    unit = unit.replace("Type=notify", "Type=oneshot")
    probe = f"ExecStart=/usr/bin/python3 -I /mnt/in/sandboxed.py {gpsd.port}"
    write("/run/systemd/system/probe.service", re.sub(r"(?m)^ExecStart=.*", probe, unit))
    must("systemctl", "daemon-reload")
    status, said = run("systemctl", "start", "probe.service")
    output = lambda: run("journalctl", "--no-pager", "-o", "cat", "-u", "probe.service")[1]
    assert status == 0, said + output()
    results = lambda: [line for line in output().splitlines() if line.startswith("{")]
    result = json.loads(wait_for("result", results)[-1])
    done = [name for name, end in result.items() if end == "done"]
    assert done == ["own state", "gpsd", "journal", "udev"], result
    print("    " + ", ".join(f"{name}: {end}" for name, end in result.items() if end != "done"))
    os.unlink("/run/systemd/system/probe.service")
    must("systemctl", "daemon-reload")


def test_of_sysfs_only_devices_can_be_written():
    status, said = run("mount", "-o", "remount,rw,bind", "/sys")
    assert status == 0, said
    must("systemctl", "restart", SERVICE)
    with open(f"/proc/{main_pid()}/mountinfo") as file:
        mounts = {line.split()[4]: line.split()[5].split(",")[0] for line in file}
    assert mounts["/sys"] == "ro" and mounts["/sys/devices"] == "rw", mounts
    must("mount", "-o", "remount,ro,bind", "/sys")
    must("systemctl", "restart", SERVICE)


def test_udev_gives_the_group_what_sets_a_sensor_and_nothing_else():
    rules = contents("/lib/udev/rules.d/60-bearingd.rules").decode()
    assert 'GROUP="bearingd", MODE="0660"' in rules
    # As udev does: these are its substitutions, and the rest is the shell's.
    command = re.search(r'(?m)^RUN\+="/bin/sh -c \'(.*)\'"$', rules).group(1)
    command = command.replace("$sys$devpath", "/tmp/sensor").replace("$$", "$")
    given = {
        "sampling_frequency",
        "buffer/enable",
        "buffer/length",
        "trigger/current_trigger",
        "scan_elements/in_accel_x_en",
        "scan_elements/in_accel_y_en",
    }
    kept = {"name", "in_accel_scale", "in_accel_x_raw", "buffer/data_available", "power/control"}
    for file in given | kept:
        os.makedirs(os.path.dirname(f"/tmp/sensor/{file}"), exist_ok=True)
        write(f"/tmp/sensor/{file}", "1\n")
    must("sh", "-c", command)
    group = grp.getgrnam("bearingd").gr_gid
    is_given = lambda file: (os.stat(file).st_gid, os.stat(file).st_mode & 0o020) == (group, 0o020)
    assert {file for file in given | kept if is_given(f"/tmp/sensor/{file}")} == given


def test_the_timer_writes_metrics_that_can_be_read_while_the_daemon_runs():
    os.makedirs(os.path.dirname(METRICS))
    must("systemctl", "enable", "bearingd-metrics.timer")
    must("systemctl", "restart", SERVICE)
    wait_for("timer", lambda: show("bearingd-metrics.timer", "ActiveState") == "active")
    must("systemctl", "start", "bearingd-metrics.service")
    text = contents(METRICS).decode()
    samples = exposition.read(text)
    for wrong in (text + text, text.replace(" gauge\n", " gauges\n"), text[:-1], text + "x\n"):
        try:
            exposition.read(wrong)
        except ValueError:
            continue
        raise AssertionError(f"taken for good: {wrong}")
    assert samples["bearingd_build_info", f'version="{OLD}"'] == 1, samples
    # The timer may just now be writing them again.
    files_there = lambda: os.listdir(os.path.dirname(METRICS))
    wait_for("metrics alone", lambda: files_there() == ["bearingd.prom"])
    assert os.stat(METRICS).st_mode & 0o777 == 0o644
    said = run("journalctl", "--no-pager", "-o", "cat", "-u", "bearingd-metrics.service")[1]
    assert said in ("", "-- No entries --"), said
    must("systemctl", "stop", SERVICE)
    assert show("bearingd-metrics.timer", "ActiveState") == "inactive"
    must("systemctl", "start", SERVICE)


def ways_around():
    """What gpsctl doctor says of ways around the rules of access."""
    said = run("gpsctl", "doctor", "--json")[1]
    found = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
    return [one for one in found if "from gpsd itself" in one["problem"]]


def test_what_the_doctor_says_closes_the_ways_around_the_rules():
    with socket.socket() as one:
        if one.connect_ex(("127.0.0.1", 2947)) == 0:
            return print("    skipped: the machine has a gpsd of its own, and the network is its")
    settings, units = contents("/etc/default/gpsd"), "/etc/systemd/system"
    write("/etc/default/gpsd", f'DEVICES="{receiver()}"\nGPSD_OPTIONS="-n"\n')
    write("/etc/bearingd/bearingd.conf.d/usual.conf", "[Location]\nGpsdPort=\n")
    must("systemctl", "unmask", "gpsd.socket", "gpsd.service")
    must("systemctl", "start", "gpsd.socket", "gpsd.service")
    must("systemctl", "restart", SERVICE)
    must("gpsctl", "fix", "--timeout", f"{PATIENCE}s")
    before_it = ways_around()
    assert len(before_it) == 1, before_it
    assert "through TCP port 2947 and its shared memory" in before_it[0]["problem"], before_it
    must("sh", "-c", before_it[0]["remedy"].removeprefix("sudo "))
    must("gpsctl", "fix", "--timeout", f"{PATIENCE}s")
    assert ways_around() == []
    with socket.socket() as one:
        assert one.connect_ex(("127.0.0.1", 2947)) != 0
    must("systemctl", "stop", SERVICE, "gpsd.socket", "gpsd.service")
    # systemd 252 forgets the private folder of a service that joins another while it runs.
    for folder in glob.glob("/var/tmp/systemd-private-*-bearingd.service-*"):
        shutil.rmtree(folder)
    os.unlink(f"{units}/multi-user.target.wants/gpsd.service")
    for unit in ("gpsd.socket", "gpsd.service", SERVICE):
        shutil.rmtree(f"{units}/{unit}.d")
    with open("/etc/default/gpsd", "wb") as file:
        file.write(settings)
    os.unlink("/etc/bearingd/bearingd.conf.d/usual.conf")
    must("systemctl", "mask", "gpsd.socket", "gpsd.service")
    must("systemctl", "start", SERVICE)


def test_an_upgrade_keeps_streams_state_and_configuration():
    # In nobody's reach: kept, and never entered.
    region = {"identifier": "home", "latitude": 1.0, "longitude": 2.0, "radius": 100.0}
    reply = call("io.bearing.regions.Add", region)
    assert "error" not in reply, reply
    with open("/etc/bearingd/bearingd.conf", "a") as file:
        file.write("# my own line\n")
    streams = Streams(16)
    streams.live()
    wait_until_kept(16)
    pid, inode = main_pid(), os.stat(SOCKET).st_ino
    install(NEW)
    assert main_pid() not in (0, pid)
    streams.live()
    assert os.stat(SOCKET).st_ino == inode
    assert contents("/etc/bearingd/bearingd.conf").endswith(b"# my own line\n")
    assert regions() == ["home"]
    for path, place in DIVERTED.items():
        assert contents(place) == originals[path]


def regions():
    return [one["identifier"] for one in call("io.bearing.regions.List")["parameters"]["regions"]]


def test_removing_gives_gpsds_program_back_and_keeps_state():
    must("dpkg", "--remove", "gpsctl", "bearingd")
    for path, place in DIVERTED.items():
        assert contents(path) == originals[path]
        assert not os.path.lexists(place)
    assert run("pgrep", "-x", "bearingd")[0] == 1
    assert not os.path.lexists("/run/bearingd")
    assert os.path.exists(STATE)
    install(NEW)
    assert regions() == ["home"]


def test_purging_leaves_nothing_behind():
    must("systemctl", "disable", "bearingd-metrics.timer")
    must("dpkg", "--purge", "gpsctl", "bearingd")
    after = files()
    left = sorted(path for path in after if path not in before and not BOOKS.match(path))
    gone = sorted(path for path in before if path not in after and not BOOKS.match(path))
    changed = sorted(
        path
        for path in after
        if path in before and after[path] != before[path] and not BOOKS.match(path)
    )
    assert (left, gone, changed) == ([], [], []), (left, gone, changed)
    for database in ("passwd", "group"):
        assert "bearing" not in must("getent", database)
    assert "gpsctl" not in must("dpkg-divert", "--list")
    assert run("systemctl", "list-unit-files", "bearingd*")[1].endswith("0 unit files listed.")


if __name__ == "__main__":
    perform(globals(), "of the packages")
