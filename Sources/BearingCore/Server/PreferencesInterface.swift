internal import BearingModel
internal import Preferences
internal import Varlink

/// `io.bearing.preferences`: what users and the machine prefer.
///
/// A copy of everything is in memory, so that no call and no stream waits for the disk; a change is
/// stored before it holds and anybody is told.
final class PreferencesInterface: InterfaceHandler {
  static let name = "io.bearing.preferences"
  static let definition = InterfaceDefinition(
    description: InterfaceText.preferences,
    methods: [
      "List": .everyone, "Get": .everyone, "Set": .everyone, "Reset": .everyone,
      "Subscribe": .everyone,
    ])

  /// Bytes of a value's JSON text, and of a key that an error repeats.
  private static let valueLimit = 1024
  private static let keyLimit = 64

  private struct PreferenceSubscription: Subscription {
    let stream: StreamID
    var heartbeat: Heartbeat
    var lastSent: BootTime
    let uid: UInt32
    let isOfMachine: Bool

    var owner: PreferenceOwner { isOfMachine ? .machine : .user(uid) }
  }

  private unowned let server: Server
  private let storage: Storage
  private let stored: StoredPreferences
  private let timer: LoopTimer
  private var table: PreferenceTable
  private var hub = Hub<PreferenceSubscription>()
  /// Calls that came before the file was read; nil when it is.
  private var early: [Exchange]? = []
  private var writer = JSONWriter(capacity: 4096)

  /// An interface to what is stored in a file, under what the configuration fixes.
  init(
    server: Server, loop: EventLoop, storage: Storage, path: String, forced: [String: JSON]
  ) throws(SystemError) {
    self.server = server
    self.storage = storage
    stored = StoredPreferences(path: path)
    table = PreferenceTable(forced: forced)
    let ticker = Ticker()
    timer = try loop.timer { ticker.tick?() }
    ticker.tick = { [unowned self] in sendHeartbeats() }
    storage.run { [stored] in
      Result { () throws(StorageError) in try stored.load() }
    } then: { [unowned self] in
      load($0)
    }
  }

  private final class Ticker {
    var tick: (() -> Void)?
  }

  private func load(_ result: Result<[PreferenceOwner: [String: JSON]], StorageError>) {
    switch result {
    case .success(let values): table.fill(values)
    case .failure(let error):
      Journal.error("\(error); every preference has its default", .storage)
    }
    let waiting = early ?? []
    early = nil
    // Streams that are open already went by the defaults until now.
    server.preferencesChanged(of: nil)
    for exchange in waiting where !exchange.isOver { handle(exchange) }
  }

  /// What the streams of a user go by.
  func streams(of uid: UInt32) -> StreamPreferences { table.streams(of: uid) }

  /// Takes over what the configuration fixes now.
  func force(_ forced: [String: JSON]) {
    change(for: nil) { $0.force(forced) }
  }

  // MARK: Calls

  func handle(_ exchange: Exchange) {
    guard early == nil else {
      early?.append(exchange)
      return
    }
    let parameters = Parameters(exchange)
    let owner: PreferenceOwner =
      parameters.text("scope") == PreferenceScope.machine.rawValue
      ? .machine : .user(exchange.caller.uid)
    do throws(ServiceError) {
      switch exchange.call.method {
      case "Subscribe": try subscribe(exchange, parameters, to: owner)
      case "List":
        let all = table.preferences(of: owner)
        exchange.reply { writer in
          writer.key("preferences")
          writer.array(all) { $0.value($1) }
        }
      default: one(exchange, parameters, of: owner)
      }
    } catch {
      exchange.fail(error)
    }
  }

  private func one(_ exchange: Exchange, _ parameters: Parameters, of owner: PreferenceOwner) {
    let name = parameters.text("key") ?? ""
    guard let key = PreferenceKeys.key(named: name) else {
      return exchange.fail("UnknownKey") { writer in
        writer.member("key", String(name.prefix(Self.keyLimit)))
        writer.key("nearest")
        writer.array(PreferenceKeys.nearest(to: name)) { $0.value($1) }
      }
    }
    if exchange.call.method == "Get" { return reply(key, of: owner, to: exchange) }
    if owner == .machine {
      do throws(Refusal) {
        try server.check(exchange.caller, for: .administrator)
      } catch {
        return exchange.refuse(error)
      }
    }
    if table.isForced(name) { return exchange.fail("Forced") { $0.member("key", name) } }
    if exchange.call.method == "Reset" { return store(nil, key, of: owner, for: exchange) }
    let text = parameters.text("value") ?? ""
    guard text.utf8.count <= Self.valueLimit else {
      return exchange.refuse(quota: "bytes of a value", limit: Self.valueLimit)
    }
    let value: JSON
    do throws(JSONError) {
      value = try JSON(parsing: Array(text.utf8))
    } catch {
      return refuse(key, "\(text.clipped) is not JSON text (\(error.description))", exchange)
    }
    guard let normalised = key.normalised(value) else {
      return refuse(key, "\(text.clipped) is none", exchange)
    }
    guard table.hasRoom(for: owner) else {
      return exchange.refuse(quota: "users with preferences", limit: PreferenceTable.userLimit)
    }
    store(normalised, key, of: owner, for: exchange)
  }

  private func refuse(_ key: AnyPreferenceKey, _ reason: String, _ exchange: Exchange) {
    exchange.fail("InvalidValue") { writer in
      writer.member("key", key.name)
      writer.member("expected", key.expected)
      writer.member("reason", reason)
    }
  }

  private func reply(
    _ key: AnyPreferenceKey, of owner: PreferenceOwner, to exchange: Exchange
  ) {
    let preference = table.preference(key, for: owner)
    exchange.reply { writer in
      writer.key("preference")
      writer.value(preference)
    }
  }

  private func store(
    _ value: JSON?, _ key: AnyPreferenceKey, of owner: PreferenceOwner, for exchange: Exchange
  ) {
    storage.run(for: exchange.caller.uid) { [stored] in
      Result { () throws(StorageError) in try stored.set(value, key, of: owner) }
    } then: { [unowned self] result in
      switch result {
      case .success:
        change(for: owner) { $0.set(value, key.name, of: owner) }
        reply(key, of: owner, to: exchange)
      case .failure(let error):
        exchange.fail(storing: error)
      }
    }
  }

  // MARK: Changes

  /// Changes the table and tells of what is another value now; `owner` is whose, nil for all.
  private func change(for owner: PreferenceOwner?, _ change: (inout PreferenceTable) -> Void) {
    let before = table
    change(&table)
    for listener in Set(hub.records.map(\.owner)) {
      let old = before.preferences(of: listener)
      let news = table.preferences(of: listener).filter { !old.contains($0) }
      guard !news.isEmpty else { continue }
      var streams: [StreamID] = []
      hub.select(at: .now(), into: &streams) { $0.owner == listener }
      server.send(message(.event, news), to: streams)
    }
    if case .user(let uid)? = owner {
      server.preferencesChanged(of: uid)
    } else {
      server.preferencesChanged(of: nil)
    }
    rearm()
  }

  // MARK: Streams

  private func subscribe(
    _ exchange: Exchange, _ parameters: Parameters, to owner: PreferenceOwner
  ) throws(ServiceError) {
    let heartbeat = try parameters.heartbeat()
    guard exchange.openStream() else { return }
    hub.open(
      PreferenceSubscription(
        stream: exchange.stream, heartbeat: heartbeat, lastSent: .now(),
        uid: exchange.caller.uid, isOfMachine: owner == .machine))
    server.send(message(.event, table.preferences(of: owner)), to: [exchange.stream])
    rearm()
  }

  func streamEnded(_ stream: StreamID) {
    _ = hub.close(stream)
    rearm()
  }

  func preferencesChanged(of stream: StreamID, to preferences: StreamPreferences) {
    hub.prefer(preferences, for: stream)
    rearm()
  }

  private func rearm() { timer.arm(at: hub.deadline) }

  private func sendHeartbeats() {
    var silent: [StreamID] = []
    hub.selectSilent(at: .now(), into: &silent)
    for stream in silent {
      guard let owner = hub.record(of: stream)?.owner else { continue }
      let all = table.preferences(of: owner)
      server.send(message(.latest, all, isRepeated: true), to: [stream])
    }
    rearm()
  }

  private func message(
    _ kind: StreamMessage.Kind, _ preferences: [Preference], isRepeated: Bool = false
  ) -> StreamMessage {
    StreamMessage(kind, tellsLoss: false, writer: &writer) { writer in
      writer.key("preferences")
      writer.array(preferences) { $0.value($1) }
      if isRepeated { writer.member("repeated", true) }
    }
  }
}
