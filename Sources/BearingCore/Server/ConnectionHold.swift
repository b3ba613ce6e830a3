internal import Varlink

/// What a client holds of a call that is answered, until its connection ends: it counts as a stream.
extension Connection {
  /// Notes that the client holds what its call is answered with; false, and the call is answered,
  /// when the user has too many streams.
  func hold(for exchange: Exchange) -> Bool {
    if heldMethod == nil {
      let (isGranted, limit) = server.quotas.addStream(of: caller.uid)
      guard isGranted else {
        exchange.refuse(quota: "streams", limit: limit)
        return false
      }
    }
    heldMethod = "\(exchange.call.interface).\(exchange.call.method)"
    heldInterface = exchange.call.interface
    server.statusChanged()
    return true
  }

  /// The client is gone, and with it what it holds.
  func endHold() {
    guard let interface = heldInterface else { return }
    heldMethod = nil
    heldInterface = nil
    server.quotas.removeStream(of: caller.uid)
    server.holdEnded(id, of: interface)
  }
}
