/// One value of a storage: its key, its type and its default in one place.
///
/// A value without a default is of an optional type, and nil until it is written. A container is cheap:
/// make it in a computed property, by `makeContainer`, each time it is used.
public struct KeyValueContainer<Value: Codable> {
  /// Where the value is kept.
  public let storage: any KeyValueStorage
  /// What it is kept under.
  public let key: String
  /// What it was kept under by older versions of the program, newest first.
  public let previousKeys: [String]
  /// The value while none is kept.
  public let defaultValue: Value
  /// What is wrong with the declaration; every use of the container throws it.
  private let mistake: StorageError?

  /// A value with a default.
  public init(
    storage: any KeyValueStorage, key: String, previousKeys: [String] = [], defaultValue: Value,
    fileID: String = #fileID, line: UInt = #line, column: UInt = #column
  ) {
    self.storage = storage
    self.key = key
    self.previousKeys = previousKeys
    self.defaultValue = defaultValue
    let place = DeclarationPlace(fileID: fileID, line: line, column: column)
    mistake = storage.bookkeeping.declare(
      storage.keyPrefix + key, previousKeys: previousKeys, at: place)
  }

  /// A value of an optional type, nil by default.
  public init<Wrapped: Codable>(
    storage: any KeyValueStorage, key: String, previousKeys: [String] = [],
    fileID: String = #fileID, line: UInt = #line, column: UInt = #column
  ) where Value == Wrapped? {
    self.init(
      storage: storage, key: key, previousKeys: previousKeys, defaultValue: nil, fileID: fileID,
      line: line, column: column)
  }

  /// The value kept, or the default.
  ///
  /// Where reading fails the default is given, and where writing fails the old value stays; both are
  /// sent to `StorageReport`. `read` and `write` throw instead.
  public var value: Value {
    get {
      do {
        return try read()
      } catch {
        StorageReport.failure(error).send()
        return defaultValue
      }
    }
    nonmutating set {
      do {
        try write(newValue)
      } catch {
        StorageReport.failure(error).send()
      }
    }
  }

  /// The value kept, or the default when none is.
  public func read() throws(StorageError) -> Value {
    try check()
    return try storage.value(forKey: key, previousKeys: previousKeys) ?? defaultValue
  }

  /// Keeps a value; once it has returned, the storage has it.
  public func write(_ value: Value) throws(StorageError) {
    try check()
    try storage.setValue(value, forKey: key)
  }

  /// Takes the value away, so that the default is back.
  public func reset() throws(StorageError) {
    try check()
    try storage.setValue(nil as Value?, forKey: key)
  }

  /// Changes the value by what it is now, losing no change by others; gives the new one.
  ///
  /// - Parameter change: Should do nothing but compute: it is called again when the value changed
  ///   meanwhile.
  @discardableResult
  public func update(_ change: (inout Value) -> Void) throws(StorageError) -> Value {
    // Migrates first what an older version kept.
    _ = try read()
    var new = defaultValue
    try storage.updateValue(forKey: key) { (old: Value?) in
      new = old ?? defaultValue
      change(&new)
      return new
    }
    return new
  }

  /// Whether no value is kept, so that the default is given.
  public func isDefault() throws(StorageError) -> Bool {
    try check()
    let kept: Value? = try storage.value(forKey: key, previousKeys: previousKeys)
    return kept == nil
  }

  private func check() throws(StorageError) {
    if let mistake { throw mistake }
  }
}

extension KeyValueContainer: Sendable where Value: Sendable {
  /// Calls the handler with the new value after each change, whoever made it.
  ///
  /// It is called on the thread that made the change, or for a change by another process on the
  /// storage's own, and one call at a time. Of changes in quick succession it may hear the last alone.
  ///
  /// - Returns: What keeps the observer: it hears until this is cancelled or let go of.
  public func observe(
    _ handler: @escaping @Sendable (Value) -> Void
  ) throws(StorageError) -> Observation {
    try check()
    return try storage.observe(key) { handler(value) }
  }
}
