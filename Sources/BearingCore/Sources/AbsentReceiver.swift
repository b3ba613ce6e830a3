/// No GNSS receiver, by configuration: state noReceiver for as long as somebody listens.
struct AbsentReceiver: Source {
  var summary: String { "no source, by configuration" }
  var isSimulated: Bool { false }

  func run(_ port: SourcePort<GnssReport, GnssDemand>) {
    port.post(state: .connected)
    port.post(state: .receivers([]))
    while !port.isStopping { _ = port.wait() }
  }
}
