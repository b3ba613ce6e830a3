extension KeyValueStorage {
  /// A container whose key is the name of the property that it is made in.
  ///
  /// ```swift
  /// extension PersistentStorage {
  ///   var launchCount: KeyValueContainer<Int> { makeContainer(default: 0) }
  /// }
  /// ```
  ///
  /// So a second container of the same name in the same scope is a redeclaration, which the compiler
  /// refuses. A second one of the same key from another place is refused at its first use: whatever is
  /// done with it throws `StorageError.duplicateKey`, which names both places.
  ///
  /// - Parameters:
  ///   - key: The property's name, if you do not say otherwise.
  ///   - previousKeys: What the value was kept under before, newest first: the value is taken over once.
  ///   - defaultValue: The value while none is kept.
  public func makeContainer<Value: Codable>(
    key: String = #function, previousKeys: [String] = [], default defaultValue: Value,
    fileID: String = #fileID, line: UInt = #line, column: UInt = #column
  ) -> KeyValueContainer<Value> {
    KeyValueContainer(
      storage: self, key: key, previousKeys: previousKeys, defaultValue: defaultValue,
      fileID: fileID, line: line, column: column)
  }

  /// A container without a default: its type is an optional one.
  ///
  /// - Parameters:
  ///   - key: The property's name, if you do not say otherwise.
  ///   - previousKeys: What the value was kept under before, newest first: the value is taken over once.
  public func makeContainer<Wrapped: Codable>(
    key: String = #function, previousKeys: [String] = [],
    fileID: String = #fileID, line: UInt = #line, column: UInt = #column
  ) -> KeyValueContainer<Wrapped?> {
    KeyValueContainer(
      storage: self, key: key, previousKeys: previousKeys, fileID: fileID, line: line,
      column: column)
  }
}
