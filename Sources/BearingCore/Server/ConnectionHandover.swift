internal import Varlink

/// A connection's stream from one process to the next.
extension Connection {
  /// Takes up the stream of an earlier process, by carrying out its call again.
  func resume(_ stream: Handover.Stream) {
    delivered = Int(stream.resumption.progress.delivered)
    dropped = Int(stream.resumption.progress.dropped)
    cursor = Int(stream.resumption.progress.cursor)
    mailbox.lose(Int(stream.resumption.progress.pending))
    resumption = stream.resumption
    slot = server.handover?.keep(stream)
    let call = stream.message
    calls.receive(call.span)
    process()
    resumption = nil
    if !isClosed { update() }
  }

  /// Keeps the stream that begins for the next process, unless that one could not go on with it.
  func keepStream(_ call: Call) {
    // Calls that wait here, and what the client holds, end with the process.
    if calls.bufferedCount > 0 || heldMethod != nil {
      releaseStream()
    } else if slot == nil {
      slot = server.handover?.keep(self, call)
    }
  }

  /// Keeps the stream for the next process no more.
  func releaseStream() {
    if let slot { server.handover?.release(slot, id: id) }
    slot = nil
  }

  /// Keeps what the stream remembers for the next process.
  func remember<Record: BitwiseCopyable>(_ record: Record, cursor: Int) {
    self.cursor = cursor
    if let slot { server.handover?.update(slot, progress, record: record) }
  }

  private var progress: SharedSlots.Progress {
    SharedSlots.Progress(
      delivered: Int64(delivered), dropped: Int64(dropped + mailbox.waiting),
      pending: Int64(mailbox.unsettled), cursor: Int64(cursor))
  }

  func noteProgress() {
    if let slot { server.handover?.update(slot, progress) }
  }
}
