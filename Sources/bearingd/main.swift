internal import Glibc

// Not `exit`, which would run destructors under a thread that is stuck in a device.
_exit(Program.run(CommandLine.arguments))
