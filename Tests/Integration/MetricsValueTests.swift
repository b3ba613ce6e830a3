import TestSupport
import Testing
import Varlink

/// What the metrics say, beside what was done.
@Suite struct MetricsValueTests {
  /// The metrics' values by their names with labels, without what all names begin with.
  private func metrics(_ client: DaemonClient) throws -> [Substring: Double] {
    let reply = try client.call("io.bearing.daemon.GetMetrics")
    let lines = (reply.parameters["text"]?.string ?? "").split(separator: "\n")
    return Dictionary(
      lines.filter { $0.hasPrefix("bearingd_") }.map { line in
        let end = line.lastIndex(of: " ") ?? line.startIndex
        let value = line[end...].dropFirst()
        return (line[..<end].dropFirst("bearingd_".count), Double(value) ?? .nan)
      }, uniquingKeysWith: { first, _ in first })
  }

  private static let sky = """
    {"class":"SKY","device":"/dev/fake0","satellites":[\
    {"PRN":1,"gnssid":0,"svid":1,"el":40,"az":10,"ss":40,"used":true},\
    {"PRN":2,"gnssid":0,"svid":2,"el":50,"az":20,"ss":30,"used":true},\
    {"PRN":3,"gnssid":0,"svid":3,"el":60,"az":30,"ss":20,"used":false}]}
    """

  @Test func theyTellOfStatesFixesSatellitesRatesStreamsAndReconnections() throws {
    let gpsd = try GpsdFake()
    let daemon = try DaemonProcess(
      "[Location]\nGpsdHost=127.0.0.1\nGpsdPort=\(gpsd.port)\n[Accelerometer]\nSource=simulation\n")
    let caller = try DaemonClient(daemon.socket)
    let unused = try metrics(caller)
    #expect(unused[#"device_state{device="location",state="off"}"#] == 1)
    #expect(unused["location_fixes_total"] == nil && unused["acceleration_rate_hertz"] == nil)

    let fixes = try DaemonClient(daemon.socket)
    _ = try fixes.open("io.bearing.location.Subscribe")
    var receiver = try gpsd.acceptDaemon()
    receiver.sendFix(step: 0)
    _ = try fixes.next { $0.parameters["fix"] != nil }
    receiver.end()
    _ = try fixes.next { $0.parameters["state"] == "connecting" }
    receiver = try gpsd.acceptDaemon()
    receiver.send(Self.sky)
    receiver.sendFix(step: 1)
    _ = try fixes.next { $0.parameters["fix"]?["sequence"] == 2 }
    let samples = try DaemonClient(daemon.socket)
    _ = try samples.open("io.bearing.accelerometer.Subscribe", ["rate": 50])
    _ = try samples.next { $0.parameters["actualRate"]?.number == 50 }
    _ = try samples.next { $0.parameters["samples"]?.array?.isEmpty == false }

    let all = try metrics(caller)
    let exact: [(Substring, Double)] = [
      (#"device_state{device="location",state="live"}"#, 1),
      (#"device_state{device="acceleration",state="live"}"#, 1),
      (#"device_subscribers{device="location"}"#, 1),
      (#"device_subscribers{device="acceleration"}"#, 1), ("clients", 3),
      (#"streams{method="io.bearing.location.Subscribe"}"#, 1),
      (#"streams{method="io.bearing.accelerometer.Subscribe"}"#, 1),
      ("location_fixes_total", 2), ("location_connections_total", 2),
      ("location_horizontal_accuracy_meters", 3), ("location_satellites_visible", 3),
      ("location_satellites_used", 2), ("acceleration_sensors", 1),
      ("acceleration_rate_hertz", 50), (#"source_lost_total{device="location"}"#, 0),
      ("dropped_total", 0), ("refused_total", 0),
    ]
    for (name, value) in exact { #expect(all[name] == value, "\(name)") }
    #expect(all["location_fix_age_seconds"] ?? -1 >= 0)
    // Two fixes, two skies or the lack of them.
    #expect(all[#"source_samples_total{device="location"}"#] ?? 0 >= 3)
    #expect(all[#"source_samples_total{device="acceleration"}"#] ?? 0 >= 1)
    let count = all["loop_latency_seconds_count"] ?? 0
    let sum = all["loop_latency_seconds_sum"] ?? 0
    let longest = all["loop_latency_longest_seconds"] ?? 0
    #expect(count >= 4 && sum > 0 && longest <= sum && longest * count >= sum)
  }

  @Test func theyTellWhatWaitsForASlowReaderAndWhatItLost() throws {
    let gpsd = try GpsdFake()
    let daemon = try DaemonProcess(
      gpsd.configuration
        + "[Limits]\nStallTime=5min\nConnectionsOfRoot=3\nConnectionsPerUser=3\n")
    let caller = try DaemonClient(daemon.socket)
    let slow = try DaemonClient(daemon.socket)
    let watcher = try DaemonClient(daemon.socket)
    _ = try slow.open("io.bearing.location.Subscribe")
    _ = try watcher.open("io.bearing.location.Subscribe")
    let refused = try DaemonClient(daemon.socket)
    #expect(
      try refused.call("org.varlink.service.GetInfo").error?.hasSuffix(".QuotaExceeded") == true)
    let receiver = try gpsd.acceptDaemon()
    var all: [Substring: Double] = [:]
    for step in 0..<2000 where all["dropped_total"] ?? 0 < 10 {
      receiver.sendFix(step: step)
      _ = try watcher.next { $0.parameters["fix"] != nil }
      all = try metrics(caller)
    }
    /// What the clients' own numbers come to.
    func sum(_ member: String) throws -> Double {
      let reply = try caller.call("io.bearing.daemon.ListClients")
      return (reply.parameters["clients"]?.array ?? [])
        .reduce(0) { $0 + ($1[member]?.number ?? 0) }
    }
    // A change of state may come between two of these calls.
    for (name, member) in [
      ("dropped_total", "dropped"), ("queue_bytes", "queuedBytes"), ("replies_total", "delivered"),
    ] {
      #expect(
        try daemon.waitUntil {
          let value = try metrics(caller)[Substring(name)] ?? 0
          return try value >= 10 && value == sum(member)
        }, "\(name)")
    }
    #expect(all["refused_total"] == 1)
    withExtendedLifetime(slow) {}
  }
}
