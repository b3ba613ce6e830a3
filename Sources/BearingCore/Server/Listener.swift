internal import Varlink

/// One listening socket and its watch.
final class Listener {
  /// Connections accepted at one turn before clients get theirs.
  static var acceptsPerTurn: Int { 64 }
  /// How long to accept nothing when accepting fails, as when no descriptor is left.
  private static let pause = Nanoseconds.second

  private let socket: Socket
  private var timer: LoopTimer?
  var watch: Watch?

  init(socket: consuming Socket) {
    self.socket = socket
  }

  var descriptor: Int32 { socket.descriptor }

  func accept() throws(SocketError) -> Socket? {
    try socket.accept()
  }

  /// Leaves clients waiting for a second, or until `resume`.
  func pause(on loop: EventLoop) {
    watch?.change([])
    timer = try? loop.timer { [unowned self] in resume() }
    timer?.arm(at: .now() + Self.pause)
  }

  /// Accepts again.
  func resume() {
    guard timer != nil else { return }
    timer = nil
    watch?.change(.readable)
  }
}
