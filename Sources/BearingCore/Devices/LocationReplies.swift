internal import BearingModel

extension JSONWriter {
  /// Writes a location reply's members; nothing of the fix when there is none.
  fileprivate mutating func writeFixMembers(_ fix: Fix?, age: Int64?) {
    guard let fix else { return }
    key("fix")
    value(fix)
    member("age", age.map { Int($0 / Nanoseconds.millisecond) })
  }

  /// Writes the members of a reply of a location stream.
  mutating func writeLocation(_ state: LocationState, _ fix: Fix?, age: Int64?) {
    member("state", state.rawValue)
    writeFixMembers(fix, age: age)
  }

  /// Writes the members of a reply of a sky stream.
  mutating func writeSky(_ state: LocationState, _ sky: Sky?, at now: BootTime) {
    if let sky {
      key("sky")
      value(sky)
      member("age", max(0, now.microseconds - sky.bootTimestamp) / 1000)
    }
    member("state", state.rawValue)
  }

  /// Writes the members of a reply of a heading stream.
  mutating func writeHeading(_ state: LocationState, _ heading: Heading?, at now: BootTime) {
    if let heading {
      key("heading")
      value(heading)
      member("age", max(0, now.microseconds - heading.bootTimestamp) / 1000)
    }
    member("state", state.rawValue)
  }
}
