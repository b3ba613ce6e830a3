/// One of the connections that a user may have, until nobody holds this any more.
///
/// Besides the connection, the call that is under way holds it: who calls and leaves again and again
/// would otherwise have calls without number wait for the store.
final class ConnectionPlace {
  private weak var server: Server?
  private let uid: UInt32

  /// A place that `server` has counted.
  init(of uid: UInt32, in server: Server) {
    self.uid = uid
    self.server = server
  }

  deinit { server?.quotas.removeConnection(of: uid) }
}
