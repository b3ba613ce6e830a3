/// What a stream's reader may know from now on.
extension Connection {
  /// Takes back what waits for a reader who may know less from now on: how things are is told anew,
  /// as far as it may know it. Of what comes the sequences are others.
  func begin(_ precision: Precision) {
    if precision == .precise { return mailbox.beginNumbering() }
    let lost = mailbox.withdraw()
    dropped += lost
    server.dropped += lost
    noteProgress()
    update()
  }
}
