import Testing

@testable import BearingCore

@Suite struct GpsdLineTests {
  private static let tpv =
    #"{"class":"TPV","device":"/dev/a","mode":3,"time":"2026-11-30T12:00:00.000Z","lat":46.5,"lon":-30.25,"eph":5.0}"#

  private func message(_ line: String) -> GpsdMessage? {
    GpsdParser()?.message(ArraySlice(line.utf8), receipt: BootTime(nanoseconds: 7))
  }

  private func position(_ line: String) -> PositionReport? {
    if case .position(let position)? = message(line) { position } else { nil }
  }

  @Test("Every line that is cut anywhere is none")
  func cut() {
    #expect(position(Self.tpv)?.latitude == 46.5)
    for length in 0..<Self.tpv.utf8.count {
      #expect(message(String(Self.tpv.prefix(length))) == nil)
    }
  }

  @Test("Half a line glued to the next one is none, wherever it was cut")
  func glued() {
    let next = #"{"class":"SKY","device":"/dev/a","hdop":1.5}"#
    for length in 1..<Self.tpv.utf8.count {
      #expect(message(String(Self.tpv.prefix(length)) + next) == nil)
      #expect(message(next + String(Self.tpv.prefix(length))) == nil)
    }
  }

  @Test(
    "What is no object with a class is none",
    arguments: [
      "", " ", "{}", "[]", "null", "garbage", "\u{0}\u{1}\u{2}", #"{"class":3}"#, #"{"mode":3}"#,
      #"{"class":"TPV",}"#, #"{"class":"TPV","mode":}"#, #"{"class":"TPV","mode":3"#,
      #"{"class":"TPV","lat":1.2.3}"#, #"{"class":"TPV","lat":--1}"#, #"{"class":"TPV"} x"#,
      #"{"class":"TPV","device":"/dev/a}"#, #"{"class":"TPV" "mode":3}"#,
      // To libgps it would end behind the mode.
      #"{"class":"TPV","mode":3,"device":"\"# + "\u{0}" + #"","lat":1}"#,
      String(repeating: "[", count: 20_000),
      #"{"class":"TPV","a":"# + String(repeating: "[", count: 40)
        + String(repeating: "]", count: 40) + "}",
    ])
  func garbage(line: String) {
    #expect(message(line) == nil)
  }

  @Test("Blanks, carriage returns and escapes are read as JSON has them")
  func blanks() {
    #expect(
      position(" { \"class\" : \"TPV\" , \"mode\" : 2 , \"device\" : \"a\\\"b\" } \r")?.mode == 2)
    #expect(
      message(#"{"class":"DEVICE","path":"/dev/a\"b\/c","activated":0}"#)
        == .device(#"/dev/a"b/c"#, isActive: false))
  }

  @Test("A number that is nan is not given", arguments: ["nan", "-nan", "null"])
  func notGiven(word: String) throws {
    let report = try #require(
      position(#"{"class":"TPV","mode":3,"lat":\#(word),"lon":8.5,"speed":2.5}"#))
    #expect(report.latitude == nil)
    #expect(report.place == nil)
  }

  @Test("Each TPV stands alone: nothing is left of the one before, nor of a broken one")
  func nothingStale() {
    guard let parser = GpsdParser() else {
      Issue.record("no parser")
      return
    }
    let moment = BootTime(nanoseconds: 0)
    _ = parser.message(ArraySlice(Self.tpv.utf8), receipt: moment)
    let bare = parser.message(ArraySlice(#"{"class":"TPV","mode":3}"#.utf8), receipt: moment)
    #expect(bare == .position(PositionReport(receipt: moment, mode: 3)))
    let sky = parser.message(ArraySlice(#"{"class":"SKY","hdop":2}"#.utf8), receipt: moment)
    var expected = SkyReport(receipt: moment)
    expected.hdop = 2
    #expect(sky == .sky(expected))
  }

  @Test("All of a TPV is read")
  func allOfIt() throws {
    let line = """
      {"class":"TPV","device":"/dev/a","status":2,"mode":3,"time":"2026-11-30T12:00:01.250Z",\
      "ept":0.005,"lat":1.5,"lon":2.5,"altHAE":3.5,"altMSL":4.5,"alt":4.5,"epx":5.5,"epy":6.5,\
      "epv":7.5,"track":8.5,"magtrack":9.5,"magvar":-10.5,"speed":11.5,"climb":12.5,"eps":13.5,\
      "epc":14.5,"epd":15.5,"eph":16.5,"sep":17.5}
      """
    var right = PositionReport(receipt: BootTime(nanoseconds: 7), mode: 3)
    right.receiver = "/dev/a"
    right.status = 2
    right.time = 1_796_040_001_250_000_000
    right.latitude = 1.5
    right.longitude = 2.5
    right.altitudeHAE = 3.5
    right.altitudeMSL = 4.5
    right.epx = 5.5
    right.epy = 6.5
    right.epv = 7.5
    right.track = 8.5
    right.magneticVariation = -10.5
    right.speed = 11.5
    right.climb = 12.5
    right.eps = 13.5
    right.epd = 15.5
    right.eph = 16.5
    #expect(position(line) == right)
  }

  @Test(
    "A time that is none is not given",
    arguments: ["", "202", "yesterday", "1969-12-31T23:59:59Z", "9999-12-31T23:59:59Z"])
  func times(text: String) {
    #expect(position(#"{"class":"TPV","mode":3,"time":"\#(text)"}"#)?.time == nil)
  }

  @Test("A SKY with satellites, and one without a list")
  func skies() throws {
    let full = #"""
      {"class":"SKY","device":"/dev/a","hdop":1.1,"vdop":1.2,"pdop":1.3,"tdop":1.4,"satellites":[\#
      {"PRN":5,"el":40.0,"az":50.0,"ss":30.0,"used":true,"gnssid":2,"svid":5,"health":1},\#
      {"PRN":9,"used":false}]}
      """#
    guard case .sky(let sky)? = message(full) else {
      Issue.record("no SKY")
      return
    }
    #expect([sky.hdop, sky.vdop, sky.pdop, sky.tdop] == [1.1, 1.2, 1.3, 1.4])
    var first = SatelliteReport(prn: 5, used: true)
    first.gnss = 2
    first.svid = 5
    first.elevation = 40
    first.azimuth = 50
    first.signal = 30
    first.health = 1
    #expect(sky.satellites == [first, SatelliteReport(prn: 9, used: false)])
    guard case .sky(let bare)? = message(#"{"class":"SKY","hdop":1.1}"#) else {
      Issue.record("no SKY")
      return
    }
    #expect(bare.satellites == nil)
  }

  @Test("The receivers of DEVICES are all read, also more than libgps has room for")
  func devices() {
    let paths = (0..<6).map { "/dev/ttyUSB\($0)" }
    let list = paths.map { #"{"class":"DEVICE","path":"\#($0)","activated":"x"}"# }
    let line = #"{"class":"DEVICES","devices":[\#(list.joined(separator: ","))]}"#
    #expect(message(line) == .devices(paths))
    #expect(message(#"{"class":"DEVICES","devices":[]}"#) == .devices([]))
  }
}

@Suite struct GpsdLineBufferTests {
  private func lines(_ pieces: [String]) -> [String] {
    var buffer = GpsdLineBuffer()
    var lines: [String] = []
    for piece in pieces {
      buffer.append(ArraySlice(piece.utf8))
      while let line = buffer.next() { lines.append(String(decoding: line, as: UTF8.self)) }
    }
    return lines
  }

  @Test("Lines are the same however they are cut into pieces")
  func pieces() {
    let text = "one\ntwo\n\nthree\nrest"
    for size in 1...text.utf8.count {
      let pieces = stride(from: 0, to: text.utf8.count, by: size).map { start in
        String(text.dropFirst(start).prefix(size))
      }
      #expect(lines(pieces) == ["one", "two", "", "three"])
    }
  }

  @Test("A line longer than gpsd's longest is skipped, and the one after it read")
  func tooLong() {
    let longest = String(repeating: "x", count: GpsdLine.longest)
    #expect(lines([longest + "\n", "next\n"]) == [longest, "next"])
    #expect(lines([longest + "y\n", "next\n"]) == ["next"])
    #expect(lines(Array(repeating: longest, count: 50) + ["tail\nnext\n"]) == ["next"])
  }
}
