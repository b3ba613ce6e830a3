import BearingModel
import Testing
import Varlink

@testable import BearingCore

@Suite struct PreferenceTableTests {
  private static let interval = "location.minInterval"

  private func minInterval(_ table: PreferenceTable, _ owner: PreferenceOwner) throws -> Preference
  {
    table.preference(try #require(PreferenceKeys.key(named: Self.interval)), for: owner)
  }

  @Test func everyNameIsDeclaredOnceAndItsDefaultIsOneOfItsValues() {
    #expect(PreferenceKeys.all.map(\.name) == PreferenceName.allCases.map(\.rawValue))
    for key in PreferenceKeys.all {
      #expect(key.normalised(key.standard) == key.standard, "\(key.name)")
      #expect(!key.expected.isEmpty && key.summary.hasSuffix("."), "\(key.name)")
    }
  }

  @Test func ofTheAdministratorsAUsersAndTheMachinesValueTheFirstHolds() throws {
    var table = PreferenceTable()
    var mine: Preference { get throws { try minInterval(table, .user(7)) } }
    #expect(try mine.value == "0" && mine.isDefault && !mine.forced)
    table.set(2000, Self.interval, of: .machine)
    #expect(try mine.value == "2000" && mine.defaultValue == "2000" && mine.isDefault)
    #expect(table.streams(of: 7).minInterval == 2_000_000_000)
    table.set(3000, Self.interval, of: .user(7))
    #expect(try mine.value == "3000" && mine.defaultValue == "2000" && !mine.isDefault)
    #expect(try minInterval(table, .user(8)).value == "2000", "another user has the machine's")
    #expect(try minInterval(table, .machine).defaultValue == "0")
    table.force([Self.interval: 4000])
    #expect(try mine.value == "4000" && mine.forced && !mine.isDefault)
    #expect(try minInterval(table, .machine).value == "4000")
    #expect(table.streams(of: 7).minInterval == 4_000_000_000)
    table.force([:])
    table.set(nil, Self.interval, of: .user(7))
    #expect(try mine.value == "2000" && mine.isDefault)
  }

  /// A key, the JSON text of a value, and that of what is kept; nil when it is refused.
  private static let values: [(name: String, value: String, kept: String?)] = [
    ("location.minInterval", "86400000", "86400000"), ("location.minInterval", "5.0", "5"),
    ("location.minInterval", "5.5", nil), ("location.minInterval", "-1", nil),
    ("location.minInterval", "86400001", nil), ("location.minInterval", "\"5\"", nil),
    ("location.minInterval", "null", nil), ("location.minInterval", "1e300", nil),
    ("location.distanceFilter", "2", "2"), ("location.distanceFilter", "2.0", "2"),
    ("location.distanceFilter", "2.5", "2.5"), ("location.distanceFilter", "-0.1", nil),
    ("location.distanceFilter", "1000001", nil), ("location.distanceFilter", "true", nil),
    ("stream.heartbeat", "3600000", "3600000"), ("stream.heartbeat", "3600001", nil),
    ("acceleration.sensor", "\"accel-base\"", "\"accel-base\""),
    ("acceleration.sensor", "null", "null"), ("acceleration.sensor", "\"\"", nil),
    ("acceleration.sensor", "\"a\\nb\"", nil), ("acceleration.sensor", "5", nil),
    ("acceleration.sensor", "[]", nil),
    ("display.units", "\"nautical\"", "\"nautical\""), ("display.units", "\"Metric\"", nil),
    ("display.coordinates", "\"utm\"", "\"utm\""), ("display.coordinates", "{}", nil),
  ]

  @Test(arguments: values)
  func aValueIsOfItsKeysTypeAndRange(name: String, value: String, kept: String?) throws {
    let key = try #require(PreferenceKeys.key(named: name))
    let json = try JSON(parsing: Array(value.utf8))
    #expect(key.normalised(json).map { "\($0)" } == kept)
  }

  @Test(arguments: [(128, true), (129, false)])
  func aTextHasALength(length: Int, isTaken: Bool) throws {
    let key = try #require(PreferenceKeys.key(named: "acceleration.sensor"))
    let text = JSON.string(String(repeating: "é", count: length))
    #expect((key.normalised(text) == text) == isTaken)
  }

  @Test(arguments: [
    ("location.minInterva", ["location.minInterval"]),
    ("minInterval", ["location.minInterval"]),
    ("units", ["display.units"]), ("gpsctl.units", ["display.units"]),
    ("display.unit", ["display.units"]), ("", []), ("something", []),
    (String(repeating: "x", count: 60_000), []),
  ]) func anUnknownKeyHasItsNearest(name: String, nearest: [String]) {
    #expect(PreferenceKeys.nearest(to: name) == nearest)
  }

  @Test func thereIsRoomForManyUsersAndAnEnd() {
    var table = PreferenceTable()
    func hasRoom(_ owner: PreferenceOwner) -> Bool { table.hasRoom(for: owner) }
    for uid in 0..<UInt32(PreferenceTable.userLimit) {
      #expect(hasRoom(.user(uid)))
      table.set(1, Self.interval, of: .user(uid))
    }
    let another = PreferenceOwner.user(UInt32(PreferenceTable.userLimit))
    #expect(!hasRoom(another))
    #expect(hasRoom(.machine) && hasRoom(.user(0)))
    table.set(1, Self.interval, of: .machine)
    #expect(!hasRoom(another))
    table.set(nil, Self.interval, of: .user(0))
    #expect(hasRoom(another))
  }

  @Test func onlyWhatACallLeavesOutIsAsPreferred() {
    let preferences = StreamPreferences(minInterval: 5_000_000_000, distanceFilter: 20)
    var filter = LocationFilter(maximumAccuracy: 3)
    filter.prefer(preferences)
    #expect(filter.minInterval == 5_000_000_000 && filter.distanceFilter == 20)
    filter.prefer(StreamPreferences())
    #expect(filter.minInterval == 0 && filter.distanceFilter == 0 && filter.maximumAccuracy == 3)
    var exact = LocationFilter(minInterval: 0, distanceFilter: 7)
    exact.prefer(preferences)
    #expect(exact.minInterval == 0 && exact.distanceFilter == 7)
    var half = LocationFilter(minInterval: 1).forgetful
    half.prefer(preferences)
    #expect(half.minInterval == 1_000_000 && half.distanceFilter == 20)
  }
}
