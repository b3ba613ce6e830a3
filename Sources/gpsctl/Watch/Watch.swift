internal import BearingClient
internal import BearingModel
internal import Varlink

/// Several streams at once, printed as they come.
struct Watch: Sendable {
  /// How a watch ended.
  enum Outcome: Sendable {
    /// All streams have ended, or as many measurements came as were wanted.
    case done
    case timedOut
    case failed(Failure)
  }

  let session: Session
  let streams: [WatchStream]
  let invocation: Invocation
  let printer: WatchPrinter

  /// A watch of the streams that are named, of the position when none is, or of `stream` alone.
  init(_ invocation: Invocation, of stream: WatchStream? = nil) async throws(Failure) {
    session = Session(invocation)
    self.invocation = invocation
    let named = stream.map { [$0] } ?? invocation.operands.compactMap(WatchStream.init)
    streams = named.isEmpty ? [.location] : named
    if let since = invocation.text(.since), !(Int64(since).map { $0 >= 0 } ?? false) {
      throw .usage("--since \(since): expected the sequence of an event, or 0")
    }
    for option in WatchStream.allCases.flatMap(\.options) where invocation.has(option) {
      guard !streams.contains(where: { $0.options.contains(option) }) else { continue }
      let words = WatchStream.allCases.filter { $0.options.contains(option) }.map(\.rawValue)
      throw .usage("--\(option.name) is for \(words.joined(separator: " or "))")
    }
    printer = WatchPrinter(
      text: WatchText(
        session: session, fixText: await FixText(invocation), isTagged: streams.count > 1,
        accuracy: invocation.number(.accuracy)),
      limit: invocation.count(.count))
  }

  /// Prints until the streams end, the count is reached, the time is over or something fails.
  func run() async throws(Failure) {
    let preferences = Task { await followPreferences() }
    defer { preferences.cancel() }
    let outcome = await withTaskGroup(of: Outcome?.self) { group in
      for stream in streams {
        group.addTask { await follow(stream) }
      }
      if let timeout = invocation.duration(.timeout) {
        group.addTask { (try? await Task.sleep(for: timeout)).map { Outcome.timedOut } }
      }
      var running = streams.count
      defer { group.cancelAll() }
      for await outcome in group {
        if let outcome { return outcome }
        running -= 1
        if running == 0 { break }
      }
      return .done
    }
    switch outcome {
    case .done: return
    case .failed(let failure): throw failure
    case .timedOut:
      if let lack = await printer.lack { throw Failure(.noData, "\(lack) in time") }
    }
  }

  /// Prints one stream; nil when it ended by itself.
  private func follow(_ stream: WatchStream) async -> Outcome? {
    let replies = session.client.replies(
      stream.method, stream.parameters(invocation), resumption: stream.resumption)
    do throws(Failure) {
      var events = replies.makeAsyncIterator()
      while let event = try await events.nextEvent() {
        if try await printer.print(event, of: stream) { return .done }
      }
      return nil
    } catch {
      return .failed(error)
    }
  }

  /// Lets places be written as the person prefers now. A daemon that does not say is left alone.
  private func followPreferences() async {
    guard await printer.writesAsPreferred, streams.contains(where: \.hasPlaces) else { return }
    do {
      for try await event in session.client.preferenceUpdates() {
        if let update = event.update { await printer.prefer(update.preferences) }
      }
    } catch {}
  }
}

/// Prints what the streams tell, one line after the other, and counts.
actor WatchPrinter {
  private var text: WatchText
  private let limit: Int?
  private var measurementCount = 0

  init(text: WatchText, limit: Int?) {
    self.text = text
    self.limit = limit
  }

  /// Whether as many measurements came as were wanted, or any when no number was given.
  private var isSatisfied: Bool { measurementCount >= limit ?? 1 }

  /// What there is of too few measurements; nil when there are enough.
  var lack: String? {
    if isSatisfied { return nil }
    return limit.map { "\(measurementCount) of \($0) measurements came" } ?? "no measurement came"
  }

  /// Whether something is written as the person prefers.
  var writesAsPreferred: Bool { text.fixText.hasPreferences }

  /// Writes as the person prefers from now on.
  func prefer(_ preferences: [Preference]) { text.fixText.prefer(preferences) }

  /// Prints an event; true when no more is wanted.
  func print(_ event: StreamEvent<JSON>, of stream: WatchStream) throws(Failure) -> Bool {
    if limit != nil, isSatisfied { return true }
    switch event {
    case .update(let reply):
      var lines = text.session.isJSON ? [tagged(reply, stream)] : try text.lines(reply, of: stream)
      var measurements = text.measurements(in: reply, of: stream)
      if let limit, measurements > limit - measurementCount {
        measurements = limit - measurementCount
        // A reply with more samples than are wanted: the object is whole, the lines are cut.
        if !text.session.isJSON { lines = Array(lines.prefix(measurements)) }
      }
      measurementCount += measurements
      try StandardStreams.writeOutput(lines.map { $0 + "\n" }.joined())
    case .interrupted(let error):
      try tell("interrupted", "\(error.description); trying again", stream)
    case .resumed:
      try tell("resumed", "connected again", stream)
    }
    return limit != nil && isSatisfied
  }

  private func tagged(_ reply: JSON, _ stream: WatchStream) -> String {
    guard text.isTagged, var members = reply.object else { return "\(reply)" }
    members["stream"] = .string(stream.rawValue)
    return "\(JSON.object(members))"
  }

  /// Tells of the connection: scripts in a line of their own kind, people beside the data.
  private func tell(_ link: String, _ message: String, _ stream: WatchStream) throws(Failure) {
    if text.session.isJSON {
      try StandardStreams.writeOutput(tagged(["link": .string(link)], stream) + "\n")
    } else {
      StandardStreams.writeError("gpsctl: \(stream.rawValue): \(message)\n")
    }
  }
}
