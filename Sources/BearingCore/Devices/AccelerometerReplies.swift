internal import BearingModel

/// What one sensor's streams and calls are told.
extension AccelerometerChannel {
  func answerCalls(_ sample: AccelerationSample) {
    for call in takeCalls(answeredBy: sample) {
      call.exchange.reply { writer in
        writer.key("sample")
        writer.value(sample)
        writer.member("sensor", identifier ?? "")
      }
    }
    settle()
  }

  func sendState(_ now: BootTime) {
    for index in groups.indices { sendState(of: index, now) }
    sendPose(.event, now)
    post(.event, tellsLoss: false, to: everyone(in: &motion.hub, now)) {
      writeMotion(motion.current, &$0)
    }
  }

  /// A group's state; what waits in its batch, and what was sampled for its next mean, goes before it
  /// with the state that it had.
  func sendState(of index: Int, _ now: BootTime) {
    groups[index].cut()
    sendBatch(index, now)
    let group = groups[index]
    post(.event, to: everyone(in: &groups[index].hub, now)) { writeState(of: group, &$0) }
  }

  func sendBatch(_ index: Int, _ now: BootTime) {
    let (samples, state) = groups[index].takeBatch()
    guard !samples.isEmpty else { return }
    post(.samples(samples.count), to: everyone(in: &groups[index].hub, now)) { writer in
      writer.member("state", state.rawValue)
      writer.key("samples")
      writer.array(samples) { $0.value($1) }
    }
  }

  func sendPose(_ kind: StreamMessage.Kind, _ now: BootTime) {
    post(kind, tellsLoss: false, to: everyone(in: &poses, now)) { writePose(&$0) }
  }

  func sendHeartbeats(_ now: BootTime) {
    for index in groups.indices {
      let group = groups[index]
      post(.latest, to: silent(in: &groups[index].hub, now)) { writer in
        writeState(of: group, &writer, with: group.last)
        writer.member("repeated", true)
      }
    }
    post(.latest, tellsLoss: false, to: silent(in: &poses, now)) { writer in
      writePose(&writer)
      writer.member("repeated", true)
    }
    post(.latest, tellsLoss: false, to: silent(in: &motion.hub, now)) { writer in
      writeMotion(motion.current, &writer)
      writer.member("repeated", true)
    }
  }

  func everyone<Record>(in hub: inout Hub<Record>, _ now: BootTime) -> [StreamID] {
    var streams: [StreamID] = []
    hub.select(at: now, into: &streams) { _ in true }
    return streams
  }

  private func silent<Record>(in hub: inout Hub<Record>, _ now: BootTime) -> [StreamID] {
    var streams: [StreamID] = []
    hub.selectSilent(at: now, into: &streams)
    return streams
  }

  func writeState(
    of group: SampleGroup, _ writer: inout JSONWriter, with sample: AccelerationSample? = nil
  ) {
    writer.member("state", state.rawValue)
    if let identifier { writer.member("sensor", identifier) }
    if let rate = group.actualRate, state != .noSensor {
      writer.key("actualRate")
      writer.value(rate, decimals: Decimals.ratio)
    }
    writer.key("samples")
    writer.array(sample.map { [$0] } ?? []) { $0.value($1) }
  }

  func writePose(_ writer: inout JSONWriter) {
    writer.member("state", state.rawValue)
    if let identifier { writer.member("sensor", identifier) }
    writer.member("orientation", (engine?.orientation ?? .undefined).rawValue)
    writer.member("tilt", (engine?.tilt ?? .undefined).rawValue)
  }

  func writeMotion(_ told: Motion, _ writer: inout JSONWriter) {
    writer.member("state", state.rawValue)
    if let identifier { writer.member("sensor", identifier) }
    writer.member("motion", told.rawValue)
    writer.member("bootTimestamp", motion.since?.microseconds)
  }

  /// Encodes once for all of `streams`; when there are none, not at all.
  ///
  /// It is sent by `sendAll`: a stream may end while it is sent to.
  func post(
    _ kind: StreamMessage.Kind, tellsLoss: Bool = true, to streams: [StreamID],
    _ members: (inout JSONWriter) -> Void
  ) {
    guard !streams.isEmpty else { return }
    outbox.append((StreamMessage(kind, tellsLoss: tellsLoss, writer: &writer, members), streams))
  }

  func sendAll() {
    while !outbox.isEmpty {
      let (message, streams) = outbox.removeFirst()
      home.outlet.send(message, to: streams)
    }
  }
}
