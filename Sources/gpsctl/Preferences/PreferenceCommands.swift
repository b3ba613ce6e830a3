internal import BearingClient
internal import BearingModel
internal import Varlink
import Glibc

extension Option {
  static let machine = Option(
    "machine", .flag, "the machine's, for all users who have none of their own")
}

extension Command {
  private static let keys = PreferenceName.allCases.map(\.rawValue)

  /// The daemon's preferences.
  static let prefs = Command(
    name: "prefs",
    summary: "your preferences, and the machine's",
    discussion: """
      Preferences decide what is done where nothing else is said: how often positions come, how
      they are written, which sensor is asked. Yours come before the machine's, which root and
      the group bearing-admin set; what the daemon's configuration fixes comes before both.
      """,
    examples: [
      Example("gpsctl prefs list", "all of them, and what they decide"),
      Example("gpsctl prefs set display.units nautical", "knots, and feet"),
    ],
    subcommands: [
      Command(
        name: "list", summary: "all preferences with their values", options: [.machine],
        examples: [
          Example("gpsctl prefs list", "yours"),
          Example("gpsctl prefs list --machine", "what holds for those who have none"),
        ],
        run: PreferenceCommands.list),
      Command(
        name: "get", summary: "one value", operands: .texts(["KEY"]), operandWords: keys,
        options: [.machine],
        examples: [Example("gpsctl prefs get display.units", "such as metric")],
        run: PreferenceCommands.get),
      Command(
        name: "set", summary: "set a value",
        discussion: """
          A number is in the preference's unit, or has one of its own (5s, 2km). It acts at once,
          on streams that are open too where the list says so.
          """,
        operands: .texts(["KEY", "VALUE"]), operandWords: keys, options: [.machine],
        examples: [
          Example("gpsctl prefs set location.minInterval 5s", "a position every 5 s at most"),
          Example("gpsctl prefs set display.units nautical", "knots, and feet"),
          Example("sudo gpsctl prefs set --machine display.coordinates utm", "for all users"),
        ],
        run: PreferenceCommands.set),
      Command(
        name: "reset", summary: "take a value back, so that the default holds",
        operands: .texts(["KEY"]), operandWords: keys, options: [.machine],
        examples: [Example("gpsctl prefs reset display.units", "as the machine has it")],
        run: PreferenceCommands.reset),
      Command(
        name: "watch", summary: "all values, then each change", options: [.machine],
        examples: [Example("gpsctl prefs watch --json", "for a script")],
        run: PreferenceCommands.watch),
      Command(
        name: "export", summary: "what was set, as JSON for import", options: [.machine],
        examples: [Example("gpsctl prefs export > prefs.json", "to take along")],
        run: PreferenceCommands.export),
      Command(
        name: "import", summary: "set what a file from export says",
        discussion: """
          Reads standard input when no file is named. All that can be set is set; what cannot is
          told, and the exit status is that of the first. What the file does not name stays.
          """,
        operands: .texts(["[FILE]"]), options: [.machine],
        examples: [
          Example("gpsctl prefs import prefs.json", "what was exported elsewhere"),
          Example("echo '{\"display.units\":\"imperial\"}' | gpsctl prefs import", "from a script"),
        ],
        run: PreferenceCommands.importFile),
    ])
}

/// What the commands below `prefs` do.
private enum PreferenceCommands {
  /// Bytes of a file that is imported: far more than all preferences take.
  private static let fileLimit = 256 * 1024
  private static let interface = "io.bearing.preferences"

  private static func scope(_ invocation: Invocation) -> PreferenceScope {
    invocation.has(.machine) ? .machine : .user
  }

  /// Does something with the daemon whose errors are said in the preferences' words.
  private static func ask<Answer>(
    _ body: () async throws(BearingError) -> Answer
  ) async throws(Failure) -> Answer {
    do {
      return try await body()
    } catch {
      throw Failure(preference: error)
    }
  }

  static func list(_ invocation: Invocation) async throws(Failure) {
    let session = Session(invocation)
    let parameters: JSON = ["scope": .string(scope(invocation).rawValue)]
    let reply = try await ask { () async throws(BearingError) in
      try await session.client.call("\(interface).List", parameters)
    }
    try session.print(reply, as: PreferenceList.self) { reply in
      PreferenceText(style: session.style).table(reply.preferences)
    }
  }

  static func get(_ invocation: Invocation) async throws(Failure) {
    let session = Session(invocation)
    let preference = try await ask { () async throws(BearingError) in
      try await session.client.preference(invocation.operands[0], scope: scope(invocation))
    }
    try show(preference, session) { PreferenceText.value($0.value, of: $0) }
  }

  static func set(_ invocation: Invocation) async throws(Failure) {
    let session = Session(invocation)
    let (key, typed) = (invocation.operands[0], invocation.operands[1])
    let preference = try await ask { () async throws(BearingError) in
      let known = try await session.client.preference(key, scope: scope(invocation))
      return try await session.client.setPreference(
        key, to: PreferenceText.json(typed, for: known), scope: scope(invocation))
    }
    try show(preference, session, PreferenceText(style: session.style).line)
  }

  static func reset(_ invocation: Invocation) async throws(Failure) {
    let session = Session(invocation)
    let preference = try await ask { () async throws(BearingError) in
      try await session.client.resetPreference(invocation.operands[0], scope: scope(invocation))
    }
    try show(preference, session, PreferenceText(style: session.style).line)
  }

  static func watch(_ invocation: Invocation) async throws(Failure) {
    let session = Session(invocation)
    let text = PreferenceText(style: session.style)
    if StandardStreams.canReaderGo {
      StandardStreams.onReaderGone { exit(ExitStatus.done.rawValue) }
    }
    var events = session.client.preferenceUpdates(scope: scope(invocation)).makeAsyncIterator()
    while true {
      let event: StreamEvent<PreferenceList>?
      do {
        event = try await events.next()
      } catch {
        throw Failure(preference: error)
      }
      guard let event else { return }
      guard let update = event.update else { continue }
      let lines =
        session.isJSON
        ? update.preferences.map(json) : update.preferences.map(text.line)
      try StandardStreams.writeOutput(lines.map { $0 + "\n" }.joined())
    }
  }

  static func export(_ invocation: Invocation) async throws(Failure) {
    let session = Session(invocation)
    let preferences = try await ask { () async throws(BearingError) in
      try await session.client.preferences(scope: scope(invocation))
    }
    // A value that is forced hides the one that was set, which is not known then.
    let own = preferences.filter { !$0.isDefault && !$0.forced }
    let members = own.map { "\(JSON.string($0.key)):\(session.isJSON ? "" : " ")\($0.value)" }
    let text =
      session.isJSON || members.isEmpty
      ? "{\(members.joined(separator: ","))}"
      : "{\n  \(members.joined(separator: ",\n  "))\n}"
    try StandardStreams.writeOutput(text + "\n")
  }

  static func importFile(_ invocation: Invocation) async throws(Failure) {
    let session = Session(invocation)
    let file = invocation.operands.first ?? InputFile.standardInput
    let bytes = try InputFile.read(file, upTo: fileLimit)
    let shown = InputFile.shown(file)
    let members: [String: JSON]
    do {
      guard let object = try JSON(parsing: bytes).object else {
        throw Failure(.failed, "\(shown): expected a JSON object of keys and values")
      }
      members = object
    } catch let error as JSONError {
      throw Failure(.failed, "\(shown): \(error.description)")
    } catch let failure as Failure {
      throw failure
    } catch {
      throw Failure(.failed, "\(shown): \(error)")
    }
    var failures: [Failure] = []
    for (key, value) in members.sorted(by: { $0.key < $1.key }) {
      do throws(BearingError) {
        let preference = try await session.client.setPreference(
          key, to: value, scope: scope(invocation))
        try? show(preference, session, PreferenceText(style: session.style).line)
      } catch {
        failures.append(Failure(preference: error))
      }
    }
    guard let first = failures.first else { return }
    throw Failure(first.status, failures.map(\.message).joined(separator: "\ngpsctl: "))
  }

  private static func show(
    _ preference: Preference, _ session: Session, _ text: (Preference) -> String
  ) throws(Failure) {
    try StandardStreams.writeOutput(
      (session.isJSON ? json(preference) : text(preference)) + "\n")
  }

  private static func json(_ preference: Preference) -> String {
    var writer = JSONWriter()
    preference.write(to: &writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
