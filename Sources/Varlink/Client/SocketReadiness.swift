internal import Dispatch

/// One wait of a task for a socket, which can be given up.
///
/// The dispatch source is cancelled by its first event or by whoever gives up; its cancel handler
/// runs once in either case, and after it nothing watches the descriptor any more.
///
/// A wait to write has a descriptor of its own: of a read source that comes and goes while a write source
/// stays on the same one, libdispatch (Swift 6.3) may not ask the kernel for the next event, which then
/// never comes.
final class SocketReadiness {
  private let source: any DispatchSourceProtocol
  private let descriptor: Descriptor?

  init(of socket: borrowing Socket, to readiness: Socket.Readiness) {
    switch readiness {
    case .readable:
      descriptor = nil
      source = DispatchSource.makeReadSource(fileDescriptor: socket.descriptor)
    case .writable:
      descriptor = socket.duplicate()
      // Where no descriptor is left the socket's has to do.
      source = DispatchSource.makeWriteSource(
        fileDescriptor: descriptor?.number ?? socket.descriptor)
    }
  }

  /// Returns when the socket is ready, has failed, or the wait was given up. Once only.
  func wait(isolation: isolated (any Actor)? = #isolation) async {
    await withCheckedContinuation(isolation: isolation) { continuation in
      source.setEventHandler { [source] in source.cancel() }
      source.setCancelHandler { [descriptor] in
        withExtendedLifetime(descriptor) { continuation.resume() }
      }
      source.activate()
    }
  }

  func giveUp() {
    source.cancel()
  }
}
