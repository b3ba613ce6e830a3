internal import BearingCore
internal import Varlink

/// `bearingd --demo`: the daemon with both devices simulated, and a client that shows what they give.
enum Demo {
  /// The exit code.
  static func run() -> Int32 {
    Signals.prepare()
    var folder: DemoFolder?
    do {
      let place = try DemoFolder()
      folder = place
      let directories = Directories(everything: place.path)
      var configuration = Configuration()
      configuration.location.source = .simulation
      configuration.accelerometer.source = .simulation
      try Program.chooseSources(configuration)
      let daemon = try Daemon(
        configuration: configuration, directories: directories,
        lock: try InstanceLock(runtimeDirectory: place.path), readConfiguration: nil)
      let socket = daemon.socketPath ?? ""
      say(
        """
        Both devices are simulated. Your programs can connect to
          \(socket)
        such as, in another terminal:
          \(call(ofNeighbour: "gpsctl")) --socket \(socket) watch location
        Ctrl-C ends it.

        """)
      let views = try DemoView.all(on: daemon.loop, socket: socket, unread: daemon.stop)
      try daemon.run()
      withExtendedLifetime(views) {}
      say("\nEnded.")
      folder?.remove()
      return 0
    } catch {
      complain("bearingd: \(error)")
      folder?.remove()
      return 1
    }
  }
}
