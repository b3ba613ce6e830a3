"""Accelerometer chips on a pretend I²C bus (i2c-stub): the kernel's own drivers find them there.

A chip's values are what its registers hold. It has no interrupt, so no trigger of its own.
"""

import contextlib
import glob
import os
import subprocess


class Chip:
    """A chip: its address, its driver's module, its name, its first data register, what identifies it."""

    def __init__(self, address, module, name, data, identity, words=False):
        self.address, self.module, self.name, self.data = address, module, name, data
        self.identity = identity
        # Whether the driver reads two bytes as a word, of which i2c-stub keeps one a register.
        self.words = words

    @property
    def client(self):
        return f"/sys/bus/i2c/devices/{bus()}-{self.address:04x}"

    @property
    def device(self):
        """The IIO device's name now."""
        (path,) = glob.glob(f"{self.client}/iio:device*")
        return os.path.basename(path)

    def plug(self):
        """Plugs it in; its registers keep what they held."""
        subprocess.run(["modprobe", self.module], check=True)
        for register, value in self.identity:
            self._put(register, value, "b")
        with open(f"/sys/bus/i2c/devices/i2c-{bus()}/new_device", "w") as file:
            file.write(f"{self.name} {self.address:#x}")
        return self.device

    def unplug(self):
        with open(f"/sys/bus/i2c/devices/i2c-{bus()}/delete_device", "w") as file:
            file.write(f"{self.address:#x}")

    @contextlib.contextmanager
    def plugged(self, *values):
        """Plugged in and done with by udev, with these values; its IIO device's name."""
        device = self.plug()
        try:
            self.hold(*values)
            subprocess.run(["udevadm", "settle"], check=True)
            yield device
        finally:
            if os.path.exists(self.client):
                self.unplug()

    def hold(self, *values):
        """Puts 12-bit values into the data registers, shifted by 4 as the chip has them."""
        for index, value in enumerate(values):
            element = (value & 0xFFF) << 4
            register = self.data + 2 * index
            if self.words:
                self._put(register, element, "w")
            else:
                self._put(register, element & 0xFF, "b")
                self._put(register + 1, element >> 8, "b")

    def _put(self, register, value, kind):
        command = ["i2cset", "-f", "-y", bus(), hex(self.address), hex(register), hex(value), kind]
        subprocess.run(command, check=True)


# Registers and identities as in Linux' st_accel_core.c and kxcjk-1013.c. The second's driver stamps
# all samples alike on a trigger that is not its own.
LIS3DH = Chip(0x18, "st_accel_i2c", "lis3dh", 0xA8, [(0x8F, 0x33)])
KXCJK1013 = Chip(0x0E, "kxcjk-1013", "kxcjk1013", 0x06, [(0x0F, 0x11)], words=True)


def bus():
    """The pretend bus' number; it is made at the first call, for every chip known here."""
    for place in glob.glob("/sys/bus/i2c/devices/i2c-*"):
        with open(f"{place}/name") as file:
            if file.read().strip() == "SMBus stub driver":
                return place.rpartition("-")[2]
    addresses = ",".join(hex(chip.address) for chip in (LIS3DH, KXCJK1013))
    subprocess.run(["modprobe", "i2c-dev"], check=True)
    subprocess.run(["modprobe", "i2c-stub", f"chip_addr={addresses}"], check=True)
    return bus()
