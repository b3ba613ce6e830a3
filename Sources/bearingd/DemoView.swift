internal import BearingCore
internal import BearingModel
internal import Varlink

/// One stream of the demonstration: an ordinary client of the socket that prints what it reads.
final class DemoView {
  private let socket: Socket
  private let show: (JSON) -> String?
  private let unread: () -> Void
  private var framer = MessageFramer()
  private var buffer = [UInt8](repeating: 0, count: 16 * 1024)
  private var watch: Watch?

  /// A view for each kind of stream; `unread` is called when nobody reads what they print.
  static func all(
    on loop: EventLoop, socket: String, unread: @escaping () -> Void
  ) throws -> [DemoView] {
    [
      try DemoView(
        on: loop, socket: socket, call: #"{"method":"io.bearing.location.Subscribe","more":true}"#,
        unread: unread, show: location),
      try DemoView(
        on: loop, socket: socket,
        call: #"{"method":"io.bearing.accelerometer.Subscribe","#
          + #""parameters":{"rate":1},"more":true}"#,
        unread: unread, show: acceleration),
      try DemoView(
        on: loop, socket: socket,
        call: #"{"method":"io.bearing.accelerometer.SubscribeOrientation","more":true}"#,
        unread: unread, show: orientation),
    ]
  }

  private init(
    on loop: EventLoop, socket path: String, call: String, unread: @escaping () -> Void,
    show: @escaping (JSON) -> String?
  ) throws {
    self.show = show
    self.unread = unread
    socket = try Socket.connect(to: path)
    let message = Array(call.utf8) + [0]
    _ = try socket.send(message.span)
    watch = try loop.watch(socket.descriptor, for: .readable) { [unowned self] _ in read() }
  }

  private func read() {
    do {
      guard case .bytes(let count) = try socket.receive(into: &buffer) else { return }
      let received = buffer
      framer.append(received.span.extracting(first: count))
      while let message = try framer.next() {
        let reply = try JSON(parsing: message, depthLimit: JSON.requestDepthLimit)
        guard let line = reply["parameters"].flatMap(show) else { continue }
        if !say(line) { unread() }
      }
    } catch {
      watch?.cancel()
      complain("bearingd: the demonstration's own client failed: \(error)")
    }
  }

  /// Fits 80 columns. That all is simulated stands above it.
  private static func location(_ reply: JSON) -> String? {
    let state = reply["state"]?.string ?? ""
    guard let fix = try? reply["fix"]?.decode(Fix.self) else { return "location      \(state)" }
    var line = "location      \(state)  "
    line += "\(fixed(fix.latitude, 6))° \(fixed(fix.longitude, 6))°"
    if let accuracy = fix.horizontalAccuracy { line += "  ±\(fixed(accuracy, 1)) m" }
    if let altitude = fix.altitude { line += "  \(fixed(altitude, 1)) m up" }
    if let speed = fix.speed { line += "  \(fixed(speed, 1)) m/s" }
    if let course = fix.course { line += "  \(fixed(course, 0))°" }
    return line
  }

  private static func acceleration(_ reply: JSON) -> String? {
    guard let samples = try? reply["samples"]?.decode([AccelerationSample].self),
      let sample = samples.last
    else { return nil }
    return "acceleration  x \(fixed(sample.x, 2))  y \(fixed(sample.y, 2))"
      + "  z \(fixed(sample.z, 2)) m/s²"
  }

  private static func orientation(_ reply: JSON) -> String? {
    let orientation = reply["orientation"]?.string ?? ""
    return "orientation   \(orientation), \(reply["tilt"]?.string ?? "")"
  }

  private static func fixed(_ number: Double, _ decimals: Int) -> String {
    var writer = JSONWriter(capacity: 32)
    writer.value(number, decimals: decimals)
    let text = String(decoding: writer.bytes, as: UTF8.self)
    guard let point = text.firstIndex(of: ".") else { return text }
    if decimals == 0 { return String(text[..<point]) }
    let shown = text.distance(from: point, to: text.endIndex) - 1
    return text + String(repeating: "0", count: max(0, decimals - shown))
  }
}
