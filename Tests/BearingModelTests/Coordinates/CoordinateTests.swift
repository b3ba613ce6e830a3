import BearingModel
import Testing

/// Expected grid places are GeographicLib 2.1.2's (`GeoConvert -u -p 4`, bands from `-m`), which
/// uses exact elliptic functions where this code uses a series.
struct UTMCase: Sendable, CustomTestStringConvertible {
  var latitude: Double
  var longitude: Double
  var zone: Int
  var band: Character
  var easting: Double
  var northing: Double
  var testDescription: String { "\(latitude) \(longitude)" }

  init(
    _ latitude: Double, _ longitude: Double, _ zone: Int, _ band: Character, _ easting: Double,
    _ northing: Double
  ) {
    self.latitude = latitude
    self.longitude = longitude
    self.zone = zone
    self.band = band
    self.easting = easting
    self.northing = northing
  }
}

@Suite struct UTMTests {
  @Test(arguments: [
    UTMCase(52.52, 13.405, 33, "U", 391779.2593, 5820072.1592),
    UTMCase(-33.8688, 151.2093, 56, "H", 334368.6336, 6250948.3454),
    UTMCase(0, 0, 31, "N", 166021.4431, 0),
    UTMCase(-0.000001, -0.000001, 30, "M", 833978.4455, 9999999.8893),
    UTMCase(-54.8019, -68.3030, 19, "F", 544805.0975, 3927029.8847),
    UTMCase(1.3521, 103.8198, 48, "N", 368700.2724, 149479.8663),
    UTMCase(-77.8419, 166.6863, 58, "C", 539641.2846, 1358704.0461),
    UTMCase(35.6762, 139.6503, 54, "S", 377855.7760, 3948874.3922),
    UTMCase(-80, 179.999999, 60, "C", 558132.1958, 1116915.0451),
    // Norway's zone 32 reaches west to 3° E between 56° and 64° N, and no farther.
    UTMCase(60.3913, 5.3221, 32, "V", 297353.9327, 6700648.3452),
    UTMCase(55.999999, 3.5, 31, "U", 531183.7600, 6206192.2800),
    UTMCase(56, 3, 32, "V", 126049.9707, 6222336.3353),
    UTMCase(63.999999, 11.999999, 32, "V", 646695.1836, 7100466.9357),
    UTMCase(64, 3.5, 31, "W", 524455.8935, 7097110.0728),
    // Svalbard has the odd zones alone, from 72° N.
    UTMCase(78.2232, 15.6267, 33, "X", 514278.7151, 8683355.4695),
    UTMCase(78, 8.999999, 31, "X", 639026.3733, 8665496.9934),
    UTMCase(78, 9, 33, "X", 360973.6036, 8665496.9958),
    UTMCase(72, 20.999, 33, "X", 706602.1585, 7999230.2052),
    UTMCase(83.9, 33, 37, "X", 428943.9602, 9320633.0348),
    UTMCase(75, 41.999, 37, "X", 586608.1821, 8325796.7865),
    UTMCase(75, 42, 38, "X", 413362.9617, 8325798.2470),
  ])
  func `is GeographicLib's place to a millimetre`(_ expected: UTMCase) throws {
    let place = try #require(
      UTMCoordinate(latitude: expected.latitude, longitude: expected.longitude))
    #expect(place.zone == expected.zone)
    #expect(place.band == expected.band)
    #expect(abs(place.easting - expected.easting) < 0.001)
    #expect(abs(place.northing - expected.northing) < 0.001)
  }

  @Test func `longitude is taken modulo 360`() throws {
    let west = try #require(UTMCoordinate(latitude: 10, longitude: -180))
    #expect(west.zone == 1)
    #expect(UTMCoordinate(latitude: 10, longitude: 180) == west)
    #expect(UTMCoordinate(latitude: 10, longitude: 540) == west)
  }

  @Test(arguments: [(84.0001, 0), (-80.0001, 0), (90, 0), (.nan, 0), (0, .infinity)])
  func `is nil where the grid is not defined`(latitude: Double, longitude: Double) {
    #expect(UTMCoordinate(latitude: latitude, longitude: longitude) == nil)
  }

  @Test func `reads as zone, band, easting and northing to a centimetre`() throws {
    let berlin = try #require(UTMCoordinate(latitude: 52.52, longitude: 13.405))
    #expect(berlin.description == "33U 391779.26 5820072.16")
  }
}

@Suite struct SexagesimalTests {
  /// Checked against `GeoConvert -d`, but for the signs of what rounds to zero.
  @Test(arguments: [
    (52.52, SexagesimalAngle.Axis.latitude, 2, "52°31′12.00″N"),
    (-68.3030, .longitude, 2, "68°18′10.80″W"),
    (151.2093, .longitude, 3, "151°12′33.480″E"),
    (-77.8419, .latitude, 0, "77°50′31″S"),
    (1.3521, .latitude, 2, "1°21′07.56″N"),
    (0, .latitude, 2, "0°00′00.00″N"),
    // A carry runs through: no 60 in any place.
    (55.999999, .latitude, 2, "56°00′00.00″N"),
    (11.9999999, .longitude, 1, "12°00′00.0″E"),
    (-179.99999999, .longitude, 2, "180°00′00.00″W"),
    (0.99999, .latitude, 2, "0°59′59.96″N"),
    // What rounds to zero is not south or west of it.
    (-0.000001, .latitude, 2, "0°00′00.00″N"),
    (-0.000001, .longitude, 4, "0°00′00.0036″W"),
  ])
  func `is rounded once and carried`(
    angle: Double, axis: SexagesimalAngle.Axis, decimals: Int, expected: String
  ) {
    #expect(SexagesimalAngle(angle, on: axis, decimals: decimals).description == expected)
  }
}

@Suite struct MaidenheadTests {
  /// The first six are PyPI maidenhead's; at the edges, where it rounds up, the definition by hand.
  @Test(arguments: [
    (52.52, 13.405, "JO62qm84"),
    (-33.8688, 151.2093, "QF56od51"),
    (60.3913, 5.3221, "JP20pj83"),
    (-54.8019, -68.3030, "FD55ue37"),
    (1.3521, 103.8198, "OJ11vi84"),
    (35.6762, 139.6503, "PM95tq82"),
    (0, 0, "JJ00aa00"),
    (-0.000001, -0.000001, "II99xx99"),
    (55.999999, 3.5, "JO15sx09"),
    (90, 0, "JR09ax09"),
    (-90, -180, "AA00aa00"),
    (10, 180, "AK00aa00"),
    (10, -180, "AK00aa00"),
    (10, 179.999999, "RK90xa90"),
  ])
  func `names the cell that holds the place`(
    latitude: Double, longitude: Double, expected: String
  ) {
    #expect(
      MaidenheadLocator(latitude: latitude, longitude: longitude)?.description == expected)
    #expect(
      MaidenheadLocator(latitude: latitude, longitude: longitude, pairs: 3)?.description
        == String(expected.prefix(6)))
  }

  @Test(arguments: [(90.1, 0), (.nan, 0), (0, .infinity)])
  func `is nil for what is not a place`(latitude: Double, longitude: Double) {
    #expect(MaidenheadLocator(latitude: latitude, longitude: longitude) == nil)
  }
}
