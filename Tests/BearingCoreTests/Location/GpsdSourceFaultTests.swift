import BearingModel
import Testing
import TestSupport

@testable import BearingCore

/// What a real gpsd cannot be brought to, by a fake one at the level of bytes.
@Suite struct GpsdSourceFaultTests {
  private func tpv(_ second: Int, device: String = "/dev/fake0") -> String {
    let time = second < 10 ? "0\(second)" : "\(second)"
    return
      #"{"class":"TPV","device":"\#(device)","mode":3,"time":"2026-11-30T12:00:\#(time).000Z","#
      + #""lat":46.00\#(time),"lon":-30.0,"eph":5.0}"#
  }

  private let devices =
    #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/fake0","activated":"2026-11-30T11:59:59.000Z","native":0}]}"#

  private func start(_ fake: GpsdFake) -> LocationSourceHarness {
    LocationSourceHarness(GpsdSource(host: "localhost", port: fake.port)) {
      $0.staleUntil = Nanoseconds.second * 3
    }
  }

  @Test("Closed, refused, reset in mid-line and silent: every whole fix, no torn one")
  func restarts() throws {
    let fake = try GpsdFake()
    let harness = start(fake)
    var watches: [String] = []

    var connection = try fake.accept()
    connection.send(#"{"class":"VERSION","release":"3.22","rev":"3.22"}"#)
    watches.append(try connection.line())
    connection.send(devices)
    connection.send(tpv(0))
    connection.send(tpv(1))
    harness.wait(for: "second fix") { $0.positions.count == 2 }
    let before = harness.failures.count
    let start = BootTime.now()
    fake.refuse()
    connection.end()
    harness.wait(for: "tries to connect") { $0.failures.count >= before + 4 }
    #expect(harness.failures.count - before <= 10)
    #expect(BootTime.now() - start >= (250 + 500 + 1000) * Nanoseconds.millisecond)

    try fake.listenAgain()
    connection = try fake.accept()
    connection.send(#"{"class":"VERSION","release":"3.22","rev":"3.22"}"#)
    watches.append(try connection.line())
    connection.send(tpv(2))
    harness.wait(for: "third fix") { $0.positions.count == 3 }
    connection.send(bytes: Array(tpv(3).utf8.prefix(60)))
    connection.reset()
    harness.wait(for: "end") { $0.engine.state == .connecting }

    connection = try fake.accept()
    connection.send(#"{"class":"VERSION","release":"3.22","rev":"3.22"}"#)
    watches.append(try connection.line())
    connection.send(tpv(4))
    harness.wait(for: "live fix") { $0.engine.state == .live && $0.positions.count == 4 }
    harness.wait(for: "age") { $0.engine.state == .lost }
    connection.send(tpv(5))
    harness.wait(for: "live again") { $0.engine.state == .live && $0.fixes.count == 5 }

    #expect(watches.count == 3)
    #expect(watches.allSatisfy { $0.components("?WATCH=") == 2 && $0.hasPrefix("?WATCH={") })
    #expect(harness.fixes.map(\.latitude) == [46, 46.0001, 46.0002, 46.0004, 46.0005])
    let connected: [LocationState] = [.connecting, .searching, .live]
    // On a machine that stands still for a while a fix grows old anywhere.
    let others = harness.states.filter { $0 != .stale && $0 != .lost }
    let changes = others.indices.filter { $0 == 0 || others[$0] != others[$0 - 1] }
    #expect(changes.map { others[$0] } == connected + connected + connected)
    #expect(harness.states.suffix(3) == [.stale, .lost, .live])
    #expect(harness.stop(within: 60))
    #expect(connection.isClosedByClient())
  }

  @Test("Torn, glued, over-long and senseless lines are discarded, and the connection stays")
  func brokenLines() throws {
    let fake = try GpsdFake()
    let harness = start(fake)
    let connection = try fake.acceptWatcher()
    connection.send(devices)
    connection.send(tpv(1))
    connection.send(String(tpv(2).prefix(70)))
    connection.send(String(tpv(3).prefix(90)) + #"{"class":"SKY","hdop":1.0}"#)
    connection.send("garbage \u{1} $GPRMC,120000,A*00")
    connection.send(
      #"{"class":"TPV","mode":3,"lat":46.5,"lon":-30,"pad":""#
        + String(repeating: "x", count: 30_000) + #""}"#)
    connection.send(#"{"class":"TPV","device":"/dev/fake0","mode":3,"lat":nan,"lon":-30}"#)
    connection.send(tpv(4))
    harness.wait(for: "last fix") { $0.positions.last?.latitude == 46.0004 }
    #expect(harness.positions.map(\.latitude) == [46.0001, nil, 46.0004])
    harness.wait(for: "both fixes") { $0.fixes.count == 2 }
    #expect(harness.failures.count == 1)
  }

  @Test("After a SKY and a DEVICE the fix before them is not given again")
  func nothingStale() throws {
    let fake = try GpsdFake()
    let harness = start(fake)
    let connection = try fake.acceptWatcher()
    connection.send(devices)
    connection.send(tpv(1))
    connection.send(#"{"class":"SKY","device":"/dev/fake0","hdop":1.5}"#)
    connection.send(
      #"{"class":"DEVICE","path":"/dev/fake0","activated":"2026-11-30T12:00:00.000Z"}"#)
    connection.send(#"{"class":"TPV","device":"/dev/fake0","mode":1}"#)
    harness.wait(for: "report without fix") { $0.positions.count == 2 }
    #expect(harness.positions.map(\.latitude) == [46.0001, nil])
    #expect(harness.receiverLists == [["/dev/fake0"]])
  }

  @Test("Receivers come by DEVICES, DEVICE and TPV, and go by activated 0")
  func receivers() throws {
    let fake = try GpsdFake()
    let harness = start(fake)
    let connection = try fake.acceptWatcher()
    connection.send(#"{"class":"DEVICES","devices":[]}"#)
    connection.send(#"{"class":"DEVICE","path":"/dev/a","activated":"2026-11-30T12:00:00.000Z"}"#)
    connection.send(tpv(1, device: "/dev/b"))
    connection.send(#"{"class":"DEVICE","path":"/dev/a","activated":0}"#)
    connection.send(#"{"class":"DEVICE","path":"/dev/a","activated":0}"#)
    connection.send(#"{"class":"DEVICE","path":"/dev/b","activated":0}"#)
    harness.wait(for: "receivers' going") { $0.states.last == .noReceiver && $0.states.count > 2 }
    #expect(harness.receiverLists == [[], ["/dev/a"], ["/dev/a", "/dev/b"], ["/dev/b"], []])
  }

  @Test("A server that takes the connection and says nothing is told of, and waited for")
  func silentServer() throws {
    let fake = try GpsdFake()
    let harness = start(fake)
    let connection = try fake.accept()
    harness.wait(for: "word of the silence") { $0.failures.last?.hasSuffix("says nothing") == true }
    connection.send(#"{"class":"VERSION","release":"3.22"}"#)
    connection.send(#"{"class":"DEVICES","devices":[]}"#)
    harness.wait(for: "answer") { $0.engine.state == .noReceiver }
    #expect(try connection.line().hasPrefix("?WATCH="))
  }

  @Test("A server that closes each connection is not besieged")
  func closesEach() throws {
    let fake = try GpsdFake()
    let harness = start(fake)
    let start = BootTime.now()
    var times: [Double] = []
    for _ in 0..<4 {
      try fake.acceptWatcher().end()
      times.append(Double(BootTime.now() - start) / 1e9)
    }
    #expect(times[3] >= 0.25 + 0.5 + 1)
    harness.wait(for: "reason") { $0.failures.last?.contains("closed the connection") == true }
  }

  @Test("A connection that is neither taken nor refused is told of, and left when it is to stop")
  func connectDeadline() throws {
    let fake = try GpsdFake()
    try #require(fake.fill())
    let harness = LocationSourceHarness(GpsdSource(host: "127.0.0.1", port: fake.port))
    harness.wait(for: "the deadline") { $0.failures.count == 2 }
    #expect(harness.failures.last?.contains(": it did not answer in time; ") == true)
    #expect(harness.engine.state == .connecting)
    // By then it waits for the next try, or in it; another waits in its first.
    #expect(harness.stop(within: 60))
    let other = LocationSourceHarness(GpsdSource(host: "127.0.0.1", port: fake.port))
    other.wait(for: "try") { !$0.reports.isEmpty }
    #expect(other.stop(within: 60))
  }

  @Test("A host without an address is told of")
  func unknownHost() {
    let harness = LocationSourceHarness(GpsdSource(host: "nowhere.invalid", port: 2947))
    harness.wait(for: "reason") { $0.failures.last?.contains("no address") == true }
  }

  @Test("Tries are at most ten in 5 s, and start anew after a good connection")
  func backoff() {
    var backoff = GpsdBackoff()
    var tries = 1
    var passed: Int64 = 0
    while true {
      passed += backoff.pause(after: 0)
      if passed > 5 * Nanoseconds.second { break }
      tries += 1
    }
    #expect(tries <= 10)
    #expect(backoff.pause(after: 0) == 5 * Nanoseconds.second)
    #expect(backoff.pause(after: 6 * Nanoseconds.second) == 250 * Nanoseconds.millisecond)
  }
}

extension String {
  fileprivate func components(_ separator: String) -> Int {
    split(separator: separator, omittingEmptySubsequences: false).count
  }
}
