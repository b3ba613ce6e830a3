"""Tests of accelerometers on a real kernel, run as root in the virtual machine.

The daemon is the installed service: its own user, sandboxed, with what our udev rule gives it.
"""

import grp
import os
import select
import shutil
import signal
import stat
import subprocess
import time

from chips import KXCJK1013, LIS3DH
from client import BUS, Hub, Stream, call, listed, read, settings, wait_for
from units import PATIENCE, SERVICE, SOCKET_UNIT
from units import journal, main_pid, must, perform, wait_for_next, wait_until_kept, write

G = 9.80665
# Metres per second squared for a raw step of the HID sensor.
STEP = 0.001 * G
CONFIGURATION = "/etc/bearingd/bearingd.conf.d/test.conf"
ROOTS_SOCKET = "/tmp/daemon/io.bearing"
TIMERS = "/sys/kernel/config/iio/triggers/hrtimer"

hub = None


def rising(samples):
    times = [sample["bootTimestamp"] for sample in samples]
    assert all(a < b for a, b in zip(times, times[1:])), "times do not rise"
    return times


def rate(samples):
    times = rising(samples)
    return 1e6 * (len(times) - 1) / (times[-1] - times[0])


def boot_time():
    """Microseconds, as samples have it."""
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1000


def near(sample, values):
    return all(abs(sample[axis] - value) < 1e-4 for axis, value in zip("xyz", values))


def switches():
    """How often the daemon's threads have gone to sleep."""
    total = 0
    for task in os.listdir(f"/proc/{main_pid()}/task"):
        for line in read(f"/proc/{main_pid()}/task/{task}/status").splitlines():
            if line.startswith("voluntary_ctxt_switches"):
                total += int(line.split()[1])
    return total


# The tests run in this order, and each leaves all sensors but the HID one unplugged.


def test_the_service_starts_without_a_sensor():
    must("systemd-sysusers")
    must("systemd-tmpfiles", "--create")
    must("udevadm", "control", "--reload")
    os.makedirs(os.path.dirname(CONFIGURATION), exist_ok=True)
    write(CONFIGURATION, "[Location]\nSource=none\n")
    must("systemctl", "daemon-reload")
    must("systemctl", "start", SOCKET_UNIT, SERVICE)
    assert call("ListSensors") == {"sensors": [], "state": "off"}


def test_a_chip_without_interrupt_is_polled():
    with LIS3DH.plugged(100, -50, 1000) as device:
        before = settings(device)
        stream = Stream("Subscribe", rate=20)
        stream.state("live")
        sensor = listed("lis3dh")
        assert sensor["mode"] == "polling" and not sensor["simulated"], sensor
        # Debian's kernel has no such timers: they come with a module of this machine.
        assert "cannot make the timer" in sensor["modeReason"], sensor
        # The vector is in metres per second squared, as the driver's own scale has it.
        step = float(read(f"{BUS}/{device}/in_accel_x_scale"))
        sample = call("GetSample")["sample"]
        assert near(sample, [100 * step, -50 * step, 1000 * step]), sample
        rising(stream.next_samples(30))
        stream.close()
        wait_for("old settings", lambda: settings(device) == before)


def test_udev_gives_the_service_the_device_and_the_files_that_set_it():
    global hub
    hub = Hub()
    group = grp.getgrnam("bearingd").gr_gid
    node = os.stat(f"/dev/{hub.device}")
    assert stat.S_IMODE(node.st_mode) == 0o660 and node.st_gid == group, oct(node.st_mode)
    for name in settings(hub.device):
        status = os.stat(f"{BUS}/{hub.device}/{name}")
        assert status.st_gid == group and status.st_mode & stat.S_IWGRP, name
        assert not status.st_mode & stat.S_IWOTH, name


def test_a_sensor_with_a_trigger_fills_the_kernels_buffer():
    hub.tell("set 12 -34 1005")
    before = settings(hub.device)
    start = boot_time()
    stream = Stream("Subscribe", rate=200, maxLatency=100)
    stream.state("live")
    sensor = listed(Hub.NAME)
    assert sensor["mode"] == "buffer" and "modeReason" not in sensor, sensor
    during = settings(hub.device)
    assert during["buffer0/enable"] == "1", during
    assert during["current_timestamp_clock"] == "boottime", during
    # 2 s are kept, 20 ms collected: the watermark is refused before the length is there.
    assert during["buffer0/length"] == "400" and during["buffer0/watermark"] == "4", during
    left_out = lambda: int(hub.tell("status")[3])
    before_it = left_out()
    samples = stream.next_samples(2000)
    # HID hubs have the axis that points up negative.
    assert near(samples[-1], [-12 * STEP, 34 * STEP, -1005 * STEP]), samples[-1]
    assert start < samples[0]["bootTimestamp"], (start, samples[0])
    assert samples[-1]["bootTimestamp"] < boot_time(), samples[-1]
    print(f"    {len(samples)} samples, {rate(samples):.1f} Hz by their times")
    # Unless the pretend hub itself did not keep up.
    assert rate(samples) < 220 and (rate(samples) > 100 or left_out() > before_it), rate(samples)
    stream.close()
    wait_for("old settings", lambda: settings(hub.device) == before)


def test_nobody_listens_and_nothing_wakes():
    def is_quiet():
        before = switches()
        waits(2)
        return switches() - before <= 2

    # What the last stream's end has still to do is done first.
    wait_for("quiet", is_quiet)
    before, start = switches(), time.monotonic()
    waits(30)
    count, seconds = switches() - before, time.monotonic() - start
    # systemd's watchdog is told that all is well, each 15 s at the most often.
    assert count <= seconds / 15 + 1, f"{count} times in {seconds:.1f} s"
    assert read(f"{BUS}/{hub.device}/buffer0/enable") == "0"


def waits(seconds):
    """Lets time pass in which nothing is to happen."""
    return select.select([], [], [], seconds)[0]


def test_an_unplugged_sensor_is_told_and_comes_back_under_open_streams():
    methods = ("Subscribe", "SubscribeOrientation", "SubscribeMotion")
    streams = [Stream(method) for method in methods]
    for stream in streams:
        stream.state("live")
    path = listed(Hub.NAME)["path"]
    hub.unplug()
    for stream in streams:
        stream.state("noSensor")
    hub.plug()
    for stream in streams:
        stream.state("live")
    sensor = listed(Hub.NAME)
    assert sensor["path"] == path and sensor["mode"] == "buffer", sensor
    for stream in streams:
        stream.close()


def test_a_buffer_that_another_program_reads_is_left_alone():
    def take():
        try:
            return open(f"/dev/{hub.device}", "rb", buffering=0)
        except OSError:
            return None  # the last stream ends just now

    with wait_for("free device", take):
        before = settings(hub.device)
        stream = Stream("Subscribe", rate=10)
        stream.state("live")
        sensor = listed(Hub.NAME)
        assert sensor["mode"] == "polling", sensor
        assert sensor["modeReason"].endswith("another program reads it"), sensor
        stream.close()
        wait_for("old settings", lambda: settings(hub.device) == before)


def kill_the_daemon():
    """Kills it and waits for the next; gives the time from which samples are the next one's."""
    killed = main_pid()
    os.kill(killed, signal.SIGKILL)
    wait_for_next(killed)
    return boot_time()


def test_a_killed_daemons_streams_have_samples_of_the_next():
    before = settings(hub.device)
    stream = Stream("Subscribe", rate=100)
    stream.state("live")
    wait_until_kept(1)
    start = kill_the_daemon()
    # The stream's connection is kept for the next daemon, which goes on with it.
    stream.until(lambda reply: reply["samples"] and reply["samples"][-1]["bootTimestamp"] > start)
    assert listed(Hub.NAME)["mode"] == "buffer"
    stream.close()
    wait_for("old settings", lambda: settings(hub.device) == before)


def test_what_a_killed_daemon_left_is_put_back_by_the_next_though_nobody_listens():
    before = settings(hub.device)
    stream = Stream("Subscribe", rate=100)
    stream.state("live")
    stream.next_samples(1)
    assert settings(hub.device)["buffer0/enable"] == "1"
    # Gone before the daemon is, which so cannot put anything back.
    os.kill(main_pid(), signal.SIGSTOP)
    stream.close()
    kill_the_daemon()
    wait_for("old settings", lambda: settings(hub.device) == before)


def test_what_another_program_has_set_since_is_not_put_back():
    name = "buffer0/length"
    before = settings(hub.device)
    place = os.path.realpath(f"{BUS}/{hub.device}").removeprefix("/sys")
    note = f"/run/bearingd/settings.{hub.device}"

    def restart_with_a_note():
        must("systemctl", "stop", SERVICE)
        write(note, f"{hub.device}\t{place}\t{name}\t77\n")
        must("systemctl", "start", SERVICE)
        wait_for("end of the note", lambda: not os.path.exists(note))

    with open(f"/dev/{hub.device}", "rb", buffering=0):
        restart_with_a_note()
        after = settings(hub.device)
        assert after == before, (before, after)
    restart_with_a_note()
    after = settings(hub.device)
    assert after[name] == "77", (before, after, journal())
    write(f"{BUS}/{hub.device}/{name}", before[name] + "\n")


def test_a_silent_buffer_is_left_for_polling():
    hub.tell("stall on")
    stream = Stream("SubscribeOrientation")
    wait_for("polling", lambda: listed(Hub.NAME)["mode"] == "polling")
    reason = listed(Hub.NAME)["modeReason"]
    assert f"buffer: /dev/{hub.device} gave nothing for 2 s" in reason, reason
    # With the first sample, which comes a little later.
    wait_for("word of it in the journal", lambda: "buffer: " in journal())
    stream.close()
    hub.tell("stall off")
    hub.end()


# Timers


def make_timer_possible():
    must("modprobe", "-a", "industrialio-configfs", "iio-trig-hrtimer")
    wait_for("timers", lambda: os.path.isdir(TIMERS))


def test_an_administrators_timer_serves_a_chip_without_interrupt():
    make_timer_possible()
    with LIS3DH.plugged(-2048, 2047, 5) as device:
        name = "bearingd-device" + device.removeprefix("iio:device")
        os.mkdir(f"{TIMERS}/{name}")
        must("udevadm", "settle")
        before = settings(device)
        stream = Stream("Subscribe", rate=100)
        stream.state("live")
        sensor = listed("lis3dh")
        assert sensor["mode"] == "trigger", sensor
        samples = stream.next_samples(500)
        step = float(read(f"{BUS}/{device}/in_accel_x_scale"))
        assert near(samples[-1], [-2048 * step, 2047 * step, 5 * step]), samples[-1]
        print(f"    {len(samples)} samples, {rate(samples):.1f} Hz by their times")
        assert rate(samples) < 150, rate(samples)
        stream.close()
        wait_for("old settings", lambda: settings(device) == before)
        # Unplugged while it is read.
        stream = Stream("Subscribe", rate=100)
        stream.state("live")
        LIS3DH.unplug()
        stream.state("noSensor")
        stream.close()
        os.rmdir(f"{TIMERS}/{name}")


def ours():
    return [name for name in os.listdir(TIMERS) if name.startswith("bearingd-")]


def test_a_daemon_that_may_makes_its_own_timer_and_takes_it_away():
    must("systemctl", "stop", SOCKET_UNIT, SERVICE)
    # All samples are stamped alike by this chip's driver.
    with KXCJK1013.plugged(3, -4, 1000) as device:
        name = "bearingd-device" + device.removeprefix("iio:device")
        daemon, stream = start_as_root()
        assert ours() == [name]
        daemon.kill()
        daemon.wait()
        # One of a sensor that is no longer there.
        os.mkdir(f"{TIMERS}/bearingd-device77")
        assert sorted(ours()) == sorted([name, "bearingd-device77"])
        daemon, stream = start_as_root()
        assert ours() == [name]
        samples = stream.next_samples(500)
        print(f"    {len(samples)} samples, {rate(samples):.1f} Hz by their times")
        assert rate(samples) < 150, rate(samples)
        stream.close()
        wait_for("end of the timer", lambda: ours() == [])
        after = settings(device)
        assert after["buffer0/enable"] == "0" and after["trigger/current_trigger"] == "", after
        # Unplugged while it is read, it leaves no timer either.
        stream = Stream("Subscribe", path=ROOTS_SOCKET, rate=100)
        stream.state("live")
        KXCJK1013.unplug()
        stream.state("noSensor")
        wait_for("end of the timer", lambda: ours() == [])
        stream.close()
        daemon.terminate()
        assert daemon.wait(PATIENCE) == 0


def start_as_root():
    """A daemon of root's own, with a stream that runs."""
    folder = os.path.dirname(ROOTS_SOCKET)
    os.makedirs(folder, exist_ok=True)
    write(f"{folder}/test.conf", "[Location]\nSource=none\n")
    environment = os.environ | {"RUNTIME_DIRECTORY": folder, "STATE_DIRECTORY": folder}
    command = ["/usr/sbin/bearingd", "--config", f"{folder}/test.conf"]
    daemon = subprocess.Popen(command, env=environment)

    def answers():
        try:
            return call("ListSensors", ROOTS_SOCKET)
        except OSError:
            return None  # not yet

    wait_for("daemon", answers)
    stream = Stream("Subscribe", path=ROOTS_SOCKET, rate=100)
    stream.state("live")
    sensor = listed("kxcjk1013", ROOTS_SOCKET)
    assert sensor["mode"] == "trigger", sensor
    return daemon, stream


if __name__ == "__main__":
    shutil.copytree("/mnt/in/root", "/", dirs_exist_ok=True)
    perform(globals(), "on Debian's kernel")
