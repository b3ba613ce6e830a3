internal import BearingModel
internal import FoundationEssentials

/// Times and spans for people.
enum Times {
  /// UTC from microseconds since 1970, to the second: `2026-11-30 07:01:02 UTC`.
  static func utc(_ microseconds: Int) -> String {
    let date = Date(timeIntervalSince1970: Double(microseconds) / 1e6)
    let style = Date.ISO8601FormatStyle(dateTimeSeparator: .space, timeZone: .gmt)
    return String(date.formatted(style).dropLast()) + " UTC"  // without the Z
  }

  /// The time of day of the same, to a tenth: `07:01:02.3Z`.
  static func utcTimeOfDay(_ microseconds: Int) -> String {
    let tenthsOfDay = 864_000
    let tenths = Int((Double(microseconds) / 1e5).rounded(.down))
    let now = ((tenths % tenthsOfDay) + tenthsOfDay) % tenthsOfDay
    func two(_ number: Int) -> String { zeroPadded(UInt64(number), width: 2) }
    return "\(two(now / 36000)):\(two(now / 600 % 60)):\(two(now / 10 % 60)).\(now % 10)Z"
  }

  /// A span in the two largest units that it has: `0.3 s`, `2 min 5 s`, `3 h 0 min`, `4 d 7 h`.
  static func span(_ duration: Duration) -> String {
    let seconds = duration / .seconds(1)
    if seconds < 60 { return "\(fixedPoint(seconds, decimals: 1)) s" }
    let whole = Int(seconds)
    if whole < 3600 { return "\(whole / 60) min \(whole % 60) s" }
    if whole < 86400 { return "\(whole / 3600) h \(whole / 60 % 60) min" }
    return "\(whole / 86400) d \(whole / 3600 % 24) h"
  }
}
