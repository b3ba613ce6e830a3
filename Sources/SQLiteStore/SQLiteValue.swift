/// A value as SQLite keeps it.
public enum SQLiteValue: Sendable, Equatable {
  /// No value.
  case null
  /// A whole number.
  case integer(Int64)
  /// A floating-point number; SQLite keeps NaN as null.
  case real(Double)
  /// Text, in UTF-8.
  case text(String)
  /// Bytes.
  case blob([UInt8])
}
