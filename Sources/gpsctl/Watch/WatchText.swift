internal import BearingClient
internal import BearingModel
internal import Varlink

/// How the replies of streams read, a line for each.
struct WatchText: Sendable {
  let session: Session
  var fixText: FixText
  /// Whether each line begins with its stream's word.
  let isTagged: Bool
  /// Metres beyond which a position is not shown; nil shows all. The daemon leaves such positions
  /// out, but for the one that a stream begins with.
  let accuracy: Double?

  /// The lines for a reply.
  func lines(_ reply: JSON, of stream: WatchStream) throws(Failure) -> [String] {
    let texts: [String]
    switch stream {
    case .location: texts = [location(try session.decode(reply, as: LocationUpdate.self))]
    case .sky: texts = [sky(try session.decode(reply, as: SkyUpdate.self))]
    case .heading: texts = [heading(try session.decode(reply, as: HeadingUpdate.self))]
    case .regions: texts = events(try session.decode(reply, as: RegionUpdate.self))
    case .acceleration: texts = samples(try session.decode(reply, as: AccelerationUpdate.self))
    case .orientation:
      let update = try session.decode(reply, as: OrientationUpdate.self)
      texts = [
        sensed(update.state, "\(update.orientation.rawValue)  \(update.tilt.rawValue)")
      ]
    case .motion:
      let update = try session.decode(reply, as: MotionUpdate.self)
      texts = [sensed(update.state, update.motion.rawValue)]
    }
    let tag = isTagged ? HelpText.padded(stream.rawValue, to: Self.tagWidth) : ""
    return texts.map { tag + $0 }
  }

  /// How many measurements of now a reply brings, of those that are wanted.
  func measurements(in reply: JSON, of stream: WatchStream) -> Int {
    let isWanted = stream != .location || isAccurate(reply["fix"]?["horizontalAccuracy"]?.number)
    return isWanted ? stream.measurements(in: reply) : 0
  }

  // MARK: Streams

  private func location(_ update: LocationUpdate) -> String {
    guard let fix = update.fix, isAccurate(fix.horizontalAccuracy) else {
      return state(update.state.rawValue, "")
    }
    var line = fixText.line(fix)
    if let time = fix.timestamp, fix.timestampTrusted {
      line.add(Times.utcTimeOfDay(time), .little)
    }
    // A position that is not of now must not look like one.
    if update.state != .live || update.isRepeated {
      line.add(update.age.map { "\(Times.span($0)) old" } ?? "old")
    }
    return state(update.state.rawValue, line, dropped: update.dropped)
  }

  private func sky(_ update: SkyUpdate) -> String {
    guard let sky = update.sky else { return state(update.state.rawValue, "") }
    return state(update.state.rawValue, SkyText.summary(sky), dropped: update.dropped)
  }

  private func heading(_ update: HeadingUpdate) -> String {
    guard let heading = update.heading else { return state(update.state.rawValue, "") }
    var parts = [HeadingText.line(heading)]
    if update.isRepeated, let age = update.age { parts.append("\(Times.span(age)) old") }
    return state(update.state.rawValue, parts.joined(separator: "  ")) + dropped(update.dropped)
  }

  /// Without a sensor nothing is known of the device, and nothing is said of it.
  private func sensed(_ state: AccelerometerState, _ what: String) -> String {
    self.state(state.rawValue, state == .noSensor ? "" : what)
  }

  private func events(_ update: RegionUpdate) -> [String] {
    update.events.enumerated().map { index, event in
      let time = event.timestamp.map(Times.utc) ?? "at a time unknown"
      let accuracy = event.horizontalAccuracy.map { "  ± \(fixText.units.length($0))" } ?? ""
      let place = fixText.coordinates.text(latitude: event.latitude, longitude: event.longitude)
      return "\(event.sequence)  \(time)  \(HelpText.padded(event.kind.rawValue, to: 5))  "
        + "\(event.identifier)  \(place)\(accuracy)" + dropped(index == 0 ? update.missed : 0)
    }
  }

  private func samples(_ update: AccelerationUpdate) -> [String] {
    if update.samples.isEmpty {
      let rate = update.actualRate.map { "at \(fixedPoint($0, decimals: 1)) Hz" }
      let parts = [update.sensor, rate].compactMap { $0 }
      return [state(update.state.rawValue, parts.joined(separator: " "))]
    }
    return update.samples.enumerated().map { index, sample in
      let values = [sample.x, sample.y, sample.z].map { value in
        let text = fixedPoint(value, decimals: 3)
        return String(repeating: " ", count: max(0, 8 - text.count)) + text
      }
      let text = "x\(values[0])  y\(values[1])  z\(values[2])  m/s²"
      return state(update.state.rawValue, text) + dropped(index == 0 ? update.dropped : 0)
    }
  }

  // MARK: Parts

  private func isAccurate(_ horizontalAccuracy: Double?) -> Bool {
    guard let accuracy, accuracy > 0 else { return true }
    return horizontalAccuracy.map { $0 <= accuracy } ?? false
  }

  private static let tagWidth = WatchStream.wordWidth + 2
  /// Of noReceiver and connecting, with two blanks.
  private static let stateWidth = 12

  private func state(_ word: String, _ rest: String) -> String {
    if rest.isEmpty { return session.style.state(word) }
    let padding = String(repeating: " ", count: max(2, Self.stateWidth - word.count))
    return session.style.state(word) + padding + rest
  }

  /// With as much of a line as the terminal has room for.
  private func state(_ word: String, _ line: FittedLine, dropped count: Int) -> String {
    let taken = (isTagged ? Self.tagWidth : 0) + Self.stateWidth + droppedText(count).count
    let room = StandardStreams.outputColumns.map { $0 - taken }
    return state(word, line.text(columns: room)) + dropped(count)
  }

  private func dropped(_ count: Int) -> String {
    count > 0 ? session.style.paint(droppedText(count), .yellow) : ""
  }

  private func droppedText(_ count: Int) -> String { count > 0 ? "  (\(count) lost before)" : "" }
}
