import BearingModel
import CBenchmarks
import TestSupport
import Varlink

/// CPU for each location message that reaches a client, parsing, judging and encoding included:
/// beside a bare loop that sends the same bytes to as many clients.
func measureFanOut(_ report: inout Report) throws {
  let (rate, turns, seconds) = (20, 2, 3.0)
  var port: Int32 = 0
  let listener = unsafe bench_listen_tcp(&port)
  defer { bench_close(listener) }
  let daemon = try DaemonProcess(
    "[Location]\nGpsdPort=\(port)\n[Accelerometer]\nSource=none\n" + DaemonProcess.limits)
  defer { withExtendedLifetime(daemon) {} }
  for count in [200, 1000] {
    let readers = try Readers.varlink(
      daemon.socket, count, "io.bearing.location.Subscribe",
      #"{"minInterval":0,"distanceFilter":0}"#,
      noting: BENCH_COUNT)
    let gpsd = bench_accept(listener, 10_000)
    guard gpsd >= 0 else { throw Failure("the daemon does not connect") }
    defer { bench_close(gpsd) }
    let receiver = try Receiver(reports(600), to: gpsd, rate: rate)
    defer { withExtendedLifetime(receiver) {} }
    try readers.wait(for: count * (rate + 3))
    let message = try lastMessage(of: daemon)
    var (ours, bare) = ((nanoseconds: 0.0, messages: 0), (nanoseconds: 0.0, messages: 0))
    let server = try BareServer(clients: count, message: message, rate: rate)
    defer { withExtendedLifetime(server) {} }
    let bareReaders = try Readers.bare(server.socket, count, noting: BENCH_COUNT)
    try bareReaders.wait(for: count)
    for _ in 0..<turns {
      let (one, other) = (
        cpuTime(of: daemon.pid, reading: readers, seconds: seconds),
        cpuTime(of: server.pid, reading: bareReaders, seconds: seconds)
      )
      ours = (ours.nanoseconds + one.nanoseconds, ours.messages + one.messages)
      bare = (bare.nanoseconds + other.nanoseconds, bare.messages + other.messages)
    }
    _ = readers.stop()
    _ = bareReaders.stop()
    report.row(
      "CPU a delivered fix, \(count) clients (\(message.utf8.count) bytes)",
      ours.nanoseconds / Double(ours.messages) / 1000, "µs",
      beside: "bare loop", bare.nanoseconds / Double(bare.messages) / 1000)
  }
}

/// What the daemon sends of a fix.
private func lastMessage(of daemon: DaemonProcess) throws -> String {
  let peer = try daemon.connect()
  let reply = try peer.call("io.bearing.location.GetLastKnown")
  guard let fix = try reply["fix"]?.decode(Fix.self) else { throw Failure("no fix") }
  var writer = JSONWriter()
  writer.object { writer in
    writer.key("parameters")
    writer.object { writer in
      writer.member("state", "live")
      writer.key("fix")
      writer.value(fix)
      writer.member("age", 0)
    }
    writer.member("continues", true)
  }
  return String(decoding: writer.bytes, as: UTF8.self)
}

/// What gpsd says to a new client, and then of so many fixes.
private func reports(_ count: Int) -> [String] {
  let hello = #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"#
  let devices =
    #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/ttyACM0","#
    + #""activated":"2026-11-30T12:00:00.000Z"}]}"#
  return ["\(hello)\n\(devices)\n"]
    + (0..<count).map { index in
      let milliseconds = index * 50
      let (minute, second) = (milliseconds / 60_000, milliseconds / 1000 % 60)
      let time = "2026-11-30T12:\(two(minute)):\(two(second)).\(three(milliseconds % 1000))Z"
      return #"{"class":"TPV","device":"/dev/ttyACM0","mode":3,"time":"\#(time)","#
        + #""lat":46.\#(100_000_000 + index * 1000),"lon":8.123456789,"altHAE":550.1,"#
        + #""altMSL":500.2,"epx":3.1,"epy":3.2,"epv":5.5,"track":12.3,"speed":10.123,"#
        + #""climb":0.1,"eps":0.5,"eph":4.2}"# + "\n"
    }
}

private func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
private func three(_ number: Int) -> String { number < 100 ? "0\(two(number))" : "\(number)" }
