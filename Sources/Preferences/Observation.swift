internal import Locking

/// Keeps an observer: it hears of changes until this is cancelled or let go of.
public final class Observation: Sendable {
  private let end: @Sendable () -> Void

  /// Calls `end` when it is cancelled or let go of; `end` may be called more than once.
  public init(_ end: @escaping @Sendable () -> Void) {
    self.end = end
  }

  deinit {
    end()
  }

  /// Ends it. A call of the handler on another thread may be under way still; no other follows.
  public func cancel() {
    end()
  }
}

/// Who observes which keys.
///
/// Handlers are called one at a time and outside of every lock, so they may use the storage. A change
/// that comes meanwhile is told after, by the thread that is telling; what is told last is the last.
final class ObserverTable: Sendable {
  private struct Waiting {
    var keys: Set<String> = []
    var all = false

    var isEmpty: Bool { keys.isEmpty && !all }
  }

  private struct State {
    var observers: [Int: Observer] = [:]
    var nextIdentifier = 0
    var waiting = Waiting()
    var isTelling = false
  }

  private let state = Guarded(State())

  func add(
    key: String, state current: (@Sendable () -> [UInt8]?)?,
    _ handler: @escaping @Sendable () -> Void
  ) -> Observation {
    let observer = Observer(key: key, state: current, handler)
    let identifier = state.withValue { state in
      state.nextIdentifier += 1
      state.observers[state.nextIdentifier] = observer
      return state.nextIdentifier
    }
    return Observation { [weak self] in
      observer.cancel()
      self?.state.withValue { _ = $0.observers.removeValue(forKey: identifier) }
    }
  }

  /// Tells the observers of the key, or with nil of all keys.
  func tell(_ key: String?) {
    state.withValue { state in
      if let key { state.waiting.keys.insert(key) } else { state.waiting.all = true }
    }
    while let observers = nextToTell() {
      for observer in observers { observer.tell() }
      state.withValue { $0.isTelling = false }
    }
  }

  /// Those to tell now; nil when there are none, or when another thread tells them.
  private func nextToTell() -> [Observer]? {
    state.withValue { state in
      guard !state.isTelling, !state.waiting.isEmpty else { return nil }
      let waiting = state.waiting
      state.waiting = Waiting()
      let observers = state.observers.sorted { $0.key < $1.key }.map(\.value)
        .filter { waiting.all || waiting.keys.contains($0.key) }
      state.isTelling = !observers.isEmpty
      return observers.isEmpty ? nil : observers
    }
  }
}

private final class Observer: Sendable {
  private struct Progress {
    var lastState: [UInt8]?
    var isCancelled = false
  }

  let key: String
  private let current: (@Sendable () -> [UInt8]?)?
  private let handler: @Sendable () -> Void
  private let progress: Guarded<Progress>

  init(
    key: String, state: (@Sendable () -> [UInt8]?)?, _ handler: @escaping @Sendable () -> Void
  ) {
    self.key = key
    self.current = state
    self.handler = handler
    progress = Guarded(Progress(lastState: state?()))
  }

  func cancel() {
    progress.withValue { $0.isCancelled = true }
  }

  func tell() {
    let now = current?()
    let isNews = progress.withValue { progress in
      if progress.isCancelled || (current != nil && progress.lastState == now) { return false }
      progress.lastState = now
      return true
    }
    if isNews { handler() }
  }
}
