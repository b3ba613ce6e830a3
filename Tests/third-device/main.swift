// The daemon with a third device, in the folder that is named; for ThirdDeviceTests.
import BearingCore
import Glibc

Signals.prepare()
let folder = CommandLine.arguments[1]
var configuration = Configuration()
configuration.location.source = .simulation
configuration.accelerometer.source = .simulation
let daemon = try Daemon(
  configuration: configuration, directories: Directories(everything: folder),
  lock: InstanceLock(runtimeDirectory: folder),
  registry: Registry(devices: Registry.standard.devices + [Gyroscope.self]),
  readConfiguration: { (configuration, []) })
_ = unsafe write(STDOUT_FILENO, "ready\n", 6)
try daemon.run()
