/// What a stream's reader may not know any more.
extension Connection {
  /// Takes back what waits for a reader who may know less from now on: how things are is told anew,
  /// as far as it may know it.
  func withdrawWaiting() {
    let lost = mailbox.withdraw()
    dropped += lost
    server.dropped += lost
    noteProgress()
    update()
  }
}
