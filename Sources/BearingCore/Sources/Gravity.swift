/// What every accelerometer at rest measures.
enum Gravity {
  /// Metres per second squared (ISO 80000-3).
  static let standard = 9.80665
}
