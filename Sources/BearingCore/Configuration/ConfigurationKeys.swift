extension ConfigurationKey {
  /// Every key there is, in the order in which they stand in `config/bearingd.conf`.
  static let all: [ConfigurationKey] =
    daemon + location + accelerometer + access
    + PreferenceKeys.all.map(ConfigurationKey.init(fixing:)) + limits

  private static let daemon: [ConfigurationKey] = [
    ConfigurationKey(
      "Daemon", "Socket", optional: \.daemon.socket, .socketPath, .onRestart,
      "The Unix socket to listen on. Empty: io.bearing in the runtime directory. A socket that"
        + " systemd passes is used instead."),
    ConfigurationKey(
      "Daemon", "Eager", \.daemon.isEager, .yesOrNo, .onRestart,
      "Whether the device services are made at start (yes) or when first asked for (no). The devices"
        + " themselves run only while somebody listens."),
  ]

  private static let location: [ConfigurationKey] = [
    ConfigurationKey(
      "Location", "Source", \.location.source, .source(hardware: "gpsd"), .onRestart,
      "Where fixes come from: gpsd, simulation, replay:FILE or none. What is not from gpsd is marked"
        + " as simulated. FILE is what `gpspipe -w` writes."),
    ConfigurationKey(
      "Location", "GpsdHost", \.location.gpsdHost, .word("a host name or address"), .onRestart,
      "The host that gpsd runs on."),
    ConfigurationKey(
      "Location", "GpsdPort", \.location.gpsdPort, .port, .onRestart,
      "The TCP port that gpsd listens on."),
    ConfigurationKey(
      "Location", "Receivers", \.location.receivers, .receivers, .onRestart,
      "Receivers by gpsd's names for them, the best first, with blanks between: the next is used while"
        + " the one before has no fix. DEVICE,FACTOR multiplies the accuracy that the receiver itself"
        + " states by FACTOR, to make it a radius of 68 %. Empty: any receiver that gpsd has."),
    ConfigurationKey(
      "Location", "UseAccelerometer", \.location.useAccelerometer, .word, .onReload,
      "Whether the accelerometer may tell that the machine stands still: opportunistic (while it runs"
        + " for somebody anyway), always (it is started for this) or no."),
  ]

  private static let accelerometer: [ConfigurationKey] = [
    ConfigurationKey(
      "Accelerometer", "Source", \.accelerometer.source, .source(hardware: "iio"), .onRestart,
      "Where samples come from: iio, simulation, replay:FILE or none. What is not from iio is marked"
        + " as simulated. FILE is what `gpsctl watch acceleration --json` writes."),
    ConfigurationKey(
      "Accelerometer", "SysfsRoot", \.accelerometer.sysfsRoot, .path, .onRestart,
      "Where sysfs is mounted. Samples from another tree than /sys are marked as simulated."),
    ConfigurationKey(
      "Accelerometer", "DeviceRoot", \.accelerometer.deviceRoot, .path, .onRestart,
      "The folder of the device nodes. Samples from another one than /dev are marked as simulated."),
    ConfigurationKey(
      "Accelerometer", "UdevRoot", optional: \.accelerometer.udevRoot, .path, .onRestart,
      "A folder of files iio:deviceN.props with a sensor's udev properties, to read instead of the"
        + " device database. Samples are then marked as simulated. Empty: the device database."),
    ConfigurationKey(
      "Accelerometer", "MountMatrix", optional: \.accelerometer.mountMatrix, .matrix, .onRestart,
      "How the sensor is mounted: three rows x,y,z; x,y,z; x,y,z that turn its axes into those of the"
        + " device (x right, y up, z out of the display). Empty: what the system knows of it."),
    ConfigurationKey(
      "Accelerometer", "Bias", optional: \.accelerometer.bias, .vector(-20...20), .onRestart,
      "What is taken from the sensor's x, y and z in its own axes, in metres per second squared, as"
        + " `gpsctl calibrate` finds it. Empty: nothing."),
    ConfigurationKey(
      "Accelerometer", "ScaleFactor", optional: \.accelerometer.scaleFactor, .vector(0.1...10),
      .onRestart,
      "What the sensor's x, y and z are multiplied with then, as `gpsctl calibrate` finds it. Empty:"
        + " nothing."),
    ConfigurationKey(
      "Accelerometer", "Sensor", optional: \.accelerometer.sensor, .word("a name, path or label"),
      .onRestart,
      "The sensor that answers those who name none, by its name, path or label. Empty: one in the"
        + " display, if there is any."),
  ]

  private static let access: [ConfigurationKey] = [
    ConfigurationKey(
      "Access", rules: "User.NAME", \.access.users, .onReload,
      "What the user NAME may know of the location: precise, approximate or denied. One line for each"
        + " user. Rules for users come first."),
    ConfigurationKey(
      "Access", rules: "Group.NAME", \.access.groups, .onReload,
      "The same for the members of the group NAME; of several groups, the first that stands here"
        + " counts."),
    ConfigurationKey(
      "Access", "Default", \.access.standard, .word, .onReload,
      "For everybody else: precise, approximate or denied. Root, the daemon's own user and the groups"
        + " bearing and bearing-approximate have their rights without a rule."),
    ConfigurationKey(
      "Access", "Motion", \.access.motion, .word, .onReload,
      "What everybody may have of the accelerometer: orientation (samples then follow the rules above),"
        + " samples, or denied (all of it follows the rules above)."),
    ConfigurationKey(
      "Access", "ApproximateInterval", \.access.approximateInterval,
      .time(Nanoseconds.second...86_400 * Nanoseconds.second), .onRestart,
      "How often those who may know the position approximately are told which cell of the grid it is"
        + " in. The shorter, the more a border that is crossed tells."),
  ]

  private static let limits: [ConfigurationKey] = [
    limit(
      "ConnectionsPerUser", \.limits.connectionsPerUser, .number(1...1_000_000),
      "Connections of one user."),
    limit(
      "ConnectionsOfRoot", \.limits.connectionsOfRoot, .number(1...1_000_000),
      "Connections of root."),
    limit("Connections", \.limits.connections, .number(1...1_000_000), "Connections in all."),
    limit(
      "SpareDescriptors", \.limits.spareDescriptors, .number(1...1_000),
      "File descriptors that are kept free of connections."),
    limit(
      "RefusalTime", \.limits.refusalTime,
      .time(100 * Nanoseconds.millisecond...60 * Nanoseconds.second),
      "How long a connection past its limit may take to ask, so that it can be told why it is"
        + " refused."),
    limit(
      "RefusalsWaiting", \.limits.refusalsWaiting, .number(0...10_000),
      "Connections past their limit that may wait for that at once."),
    limit(
      "StreamsPerUser", \.limits.streamsPerUser, .number(1...1_000_000),
      "Streams of one user, one a connection at most."),
    limit("StreamsOfRoot", \.limits.streamsOfRoot, .number(1...1_000_000), "Streams of root."),
    limit(
      "RequestSize", \.limits.requestSize, .size(Bytes.kibi...16 * Bytes.mebi),
      "Bytes of one request."),
    limit(
      "RequestDepth", \.limits.requestDepth, .number(4...128),
      "Objects and arrays in one another in one request."),
    limit(
      "RequestTime", \.limits.requestTime, .time(Nanoseconds.second...3600 * Nanoseconds.second),
      "How long a request may take from its first byte to its last."),
    limit(
      "QueuePerClient", \.limits.queuePerClient, .size(16 * Bytes.kibi...64 * Bytes.mebi),
      "Bytes that may wait in the daemon for one client."),
    limit(
      "QueuePerUser", \.limits.queuePerUser, .size(64 * Bytes.kibi...16 * Bytes.gibi),
      "Bytes that may wait for all clients of one user, the sockets' buffers included."),
    limit(
      "QueueOfRoot", \.limits.queueOfRoot, .size(64 * Bytes.kibi...16 * Bytes.gibi),
      "The same for root."),
    limit(
      "StallTime", \.limits.stallTime, .time(Nanoseconds.second...3600 * Nanoseconds.second),
      "How long a client for which something waits may take no byte before it is disconnected."),
  ]

  private static func limit<Value: Sendable & Equatable>(
    _ name: String, _ path: any WritableKeyPath<Configuration, Value> & Sendable,
    _ value: ConfigurationValue<Value>, _ summary: String
  ) -> ConfigurationKey {
    ConfigurationKey("Limits", name, path, value, .onReload, summary)
  }
}
