internal import BearingCore
internal import Glibc
internal import Varlink

/// Carries out a command line of bearingd.
enum Program {
  /// The configuration is wrong: EX_CONFIG, which systemd does not restart on by our unit.
  private static let configurationExit: Int32 = 78

  /// The exit code: 0 done, 1 failed, 2 usage, 78 configuration.
  static func run(_ arguments: [String]) -> Int32 {
    switch Options.parse(Array(arguments.dropFirst())) {
    case .failure(let message):
      complain("\(message)\nTry `bearingd --help`.")
      return 2
    case .help:
      say(Options.help)
      return 0
    case .version:
      say("bearingd \(Version.text)")
      return 0
    case .run(let options):
      return options.isDemo ? Demo.run() : serve(options)
    }
  }

  private static func serve(_ options: Options) -> Int32 {
    let directories = Directories.ofProcess()
    let (configuration, diagnostics) = Configuration.load(
      file: options.configuration, directory: directories.configuration)
    for diagnostic in diagnostics { complain("\(diagnostic)") }
    if diagnostics.contains(where: { $0.severity == .error }) { return configurationExit }
    if options.isCheck {
      say("The configuration is good.")
      return 0
    }
    Signals.prepare()
    do {
      try refuseSecondOwner(configuration, directories, isForced: options.isForced)
      try directories.create()
      let lock = try InstanceLock(runtimeDirectory: directories.runtime)
      try chooseSources(
        configuration, originals: IIOOriginals(folder: directories.runtime))
      let daemon = try Daemon(
        configuration: configuration, file: options.configuration, directories: directories,
        lock: lock,
        warnings: diagnostics.map(\.description),
        readConfiguration: {
          Configuration.load(
            file: options.configuration, directory: directories.configuration)
        })
      try daemon.run()
      return 0
    } catch {
      complain("bearingd: \(error)")
      return 1
    }
  }

  /// A user's daemon leaves the hardware to the system's while that one answers.
  private static func refuseSecondOwner(
    _ configuration: Configuration, _ directories: Directories, isForced: Bool
  ) throws {
    let system = "/run/bearingd/\(Daemon.socketName)"
    let usesHardware =
      configuration.location.source == .hardware || configuration.accelerometer.source == .hardware
    guard geteuid() != 0, directories.runtime != "/run/bearingd", usesHardware, !isForced,
      (try? Socket.connect(to: system)) != nil
    else { return }
    throw Daemon.StartFailure(
      description: "the system's bearingd owns the hardware and answers at \(system); use that "
        + "socket, choose other sources in the configuration, or start with --force")
  }

  /// Tells the managers what the configuration says that they run on.
  ///
  /// `originals` keeps what sensors were set to.
  static func chooseSources(
    _ configuration: Configuration, originals: IIOOriginals? = nil
  ) throws {
    var location = LocationManager.Setup(configuration.location)
    location.approximateInterval = configuration.access.approximateInterval
    try LocationManager.source.fill(location)
    try Accelerometer.source.fill(
      Accelerometer.Setup(configuration.accelerometer, originals: originals))
  }
}
