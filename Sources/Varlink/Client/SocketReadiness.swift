internal import Dispatch

/// One wait of a task for a socket, which can be given up.
///
/// The dispatch source is cancelled by its first event or by whoever gives up; its cancel handler
/// runs once in either case, and after it nothing watches the descriptor any more.
final class SocketReadiness {
  private let source: any DispatchSourceProtocol

  init(of descriptor: Int32, to readiness: Socket.Readiness) {
    switch readiness {
    case .readable: source = DispatchSource.makeReadSource(fileDescriptor: descriptor)
    case .writable: source = DispatchSource.makeWriteSource(fileDescriptor: descriptor)
    }
  }

  /// Returns when the socket is ready, has failed, or the wait was given up. Once only.
  func wait(isolation: isolated (any Actor)? = #isolation) async {
    await withCheckedContinuation(isolation: isolation) { continuation in
      source.setEventHandler { [source] in source.cancel() }
      source.setCancelHandler { continuation.resume() }
      source.activate()
    }
  }

  func giveUp() {
    source.cancel()
  }
}
