internal import CGps

/// When the program was built: no true time is earlier.
enum BuildDate {
  /// UTC in nanoseconds since 1970, at 0:00 of the day before the compiler's date.
  static let nanoseconds: Int64 = cgps_build_time() * Nanoseconds.second
}
