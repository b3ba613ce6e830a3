internal import Locking

/// What a storage knows about its keys besides their values: where they are declared, and who observes.
///
/// A storage of your own holds one and calls `changed` after it changed a value.
public final class KeyBookkeeping: Sendable {
  private struct Declarations {
    var places: [String: DeclarationPlace] = [:]
    var previousKeys: [String: [String]] = [:]
    var settled: Set<String> = []
  }

  private let declarations = Guarded(Declarations())
  private let observers = ObserverTable()

  /// Knows nothing yet.
  public init() {}

  /// Notes that a key is declared at a place.
  ///
  /// - Returns: The error when it was declared at another place before.
  func declare(
    _ key: String, previousKeys: [String], at place: DeclarationPlace
  ) -> StorageError? {
    declarations.withValue { declarations in
      if !previousKeys.isEmpty { declarations.previousKeys[key] = previousKeys }
      guard let first = declarations.places[key] else {
        declarations.places[key] = place
        return nil
      }
      return first == place ? nil : .duplicateKey(key: key, first: first, second: place)
    }
  }

  /// Notes what a key was called before, for a storage that is a layer of the one it is declared on.
  func rename(_ key: String, from previousKeys: [String]) {
    declarations.withValue { $0.previousKeys[key] = previousKeys }
  }

  /// The previous names that a container of the key was declared with.
  func previousKeys(of key: String) -> [String] {
    declarations.withValue { $0.previousKeys[key] ?? [] }
  }

  /// Whether a renamed key needs no more looking for its previous names.
  func isSettled(_ key: String) -> Bool {
    declarations.withValue { $0.settled.contains(key) }
  }

  func settle(_ key: String) {
    declarations.withValue { _ = $0.settled.insert(key) }
  }

  /// Calls the handler after each change of the key that the storage tells of.
  ///
  /// - Parameter state: What is stored now, to leave out what is no change; nil leaves out nothing.
  public func observe(
    _ key: String, state: (@Sendable () -> [UInt8]?)? = nil,
    _ handler: @escaping @Sendable () -> Void
  ) -> Observation {
    observers.add(key: key, state: state, handler)
  }

  /// Tells the key's observers, one after the other, that it changed.
  public func changed(_ key: String) {
    observers.tell(key)
  }

  /// Tells the observers of every key that changed, after others may have changed any.
  public func mayHaveChanged() {
    observers.tell(nil)
  }
}
