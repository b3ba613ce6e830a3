import BearingModel
import Testing

@testable import BearingClient
@testable import gpsctl

/// Whole screens, as a person would look at them.
@Suite struct MonitorPictureTests {
  @Test func `the usual screen shows everything`() {
    #expect(
      MonitorFixture.picture(80, 24) == """
         gpsctl monitor                                                     ● connected
        ┌─ Position ─────────────────────┐┌─ Sky ─── 4 of 5 used ─┐┌─ Signals ── dBHz ─┐
        │ 46.9482412, -7.4474621         ││      ⢀⠠⠠⠂⠂N⠐⠐⠄⠄⡀      ││●C5              – │
        │ ● live               0.4 s old ││    ⡐⠈           ⠁⢂    ││●G2   ██████▊   38 │
        │                                ││  ⡐⠁    ⠄  ⠐  ⠠    ⠈⢂  ││●G12  █████████ 50 │
        │ accuracy  ±2.5 m (dop)         ││ ⡐   ⠐     G12   ⠂   ⢂ ││●R3   ████▌     25 │
        │ altitude  540.8 m ±4.0 m       ││⠰   ⡀   ⠠  ⠈  ⠄   ⢀   ⠆││○E30  ██▎       13 │
        │ speed     32.4 km/h            ││⠅                     ⠨││                   │
        │ course    100° E →             ││W   ⠂R3⠈   +   ⠁  ⠐   E││                   │
        │ climb     -0.27 m/s            ││⠰    ⡀  ⠐  ⢀  ⠂  ⢀    ⠆││                   │
        │ time      03:09:37.7Z          ││ ⠡         C5        E ││                   │
        │ fix       3D, dgps             ││  ⠡⡀   ⠁ ⠠   ⠄ ⠈   ⢀⠌  ││                   │
        │ receiver  /dev/ttyACM0         ││    ⠡⢀           ⡀⠌    ││                   │
        │                                ││      ⠈⠐⠐⠄⠄S⠠⠠⠂⠂⠁      ││                   │
        └────────────────────────────────┘└──────────── HDOP 0.8 ─┘└────────── ● used ─┘
        ┌─ Acceleration x +9.75  y +9.81  z -5.00  m/s² ───────┐┌─ Orientation ────────┐
        │ +20                                                  ││           ⡠⡤⡀        │
        │                              ⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⣤⣤⣤⡤⠤⠤xy  ││        ⢀⢔⠞⠉⠈⠳⣤⡀      │
        │                              ⢀⣀⣀⡠⠤⠤⠤⠒⠒⠒⠊⠉⠉⠉          ││      ⡠⣲⠋⠁  ⡠⣒⠕⠊      │
        │   0 ⠁ ⠁ ⠁ ⠁ ⠁ ⠁ ⠁ ⠁ ⠁ ⠁ ⠁ ⠁ ⠁⠉⠉⠉⠉⠉⠉⠉⠓⠒⠓⠒⠓⠒⠓⠤⠥⠤⠥⠤⠥  z ││      ⠈⠙⠲⣤⢔⡹⠊         │
        │                                                      ││          ⠁           │
        │ -20                                                  ││  normal, tilted up   │
        └───────────────────────────────────────── last 4.5 s ─┘└──────────────────────┘
         q quit   ? help   space pause   u metric   f decimal   + - scale
        """)
  }

  @Test func `the smallest screen shows what matters, in ASCII where that is all there is`() {
    #expect(
      MonitorFixture.picture(40, 12, glyphs: .ascii) == """
         gpsctl monitor             * connected
         46.9482412, -7.4474621
         * live                       0.4 s old
         accuracy +-2.5 m    altitude 540.8 m
         speed 32.4 km/h     course 100 deg E
         satellites 4 of 5 used, HDOP 0.8
         x +9.75  y +9.81  z -5.00  m/s2
         normal, tilted up
         +20            ....................xy
           0 - - - - - --------||||||||.....  z
         -20
         q quit   ? help   space pause
        """)
  }

  @Test(arguments: [(39, 12), (40, 11), (12, 3), (1, 1)])
  func `a screen that is too small says so`(columns: Int, rows: Int) {
    let text = MonitorFixture.picture(columns, rows)
    #expect(text.contains("too small:".prefix(columns)))
    if rows > 1, columns > 24 { #expect(text.contains("\(columns)x\(rows), needs 40x12")) }
    #expect(!text.contains("46.9"))
  }

  /// What is drawn keeps to the screen and to its panel whatever the size.
  @Test(arguments: [Glyphs.unicode, .ascii])
  func `every size has a picture, in ASCII of ASCII alone`(glyphs: Glyphs) {
    for columns in [1, 2, 12, 39, 40, 41, 59, 60, 79, 80, 81, 100, 132, 230] {
      for rows in [1, 2, 5, 11, 12, 13, 19, 20, 21, 24, 35, 36, 60] {
        let text = MonitorFixture.picture(columns, rows, glyphs: glyphs)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == rows)
        #expect(lines.allSatisfy { $0.unicodeScalars.count <= columns })
        if !glyphs.isUnicode { #expect(text.allSatisfy { $0.isASCII }) }
        guard columns >= 40, rows >= 12 else { continue }
        for essential in ["46.9482412, -7.4474621", "live ", "0.4 s old", "2.5 m", "32.4 km/h"] {
          #expect(text.contains(essential), "\(columns)x\(rows)")
        }
      }
    }
  }

  @Test func `a lost connection is said in place of all that was current`() {
    var state = MonitorFixture.state
    let lost = BearingError.connectionLost(reason: "the daemon went away")
    state.readings.take(StreamEvent<LocationUpdate>.interrupted(lost), at: MonitorFixture.now)
    let text = MonitorFixture.picture(of: state, 80, 24, after: .seconds(72))
    let lines = text.split(separator: "\n")
    #expect(
      lines[0] == " gpsctl monitor                    ○ connection lost, trying again (1 min 12 s)")
    #expect(lines[1].hasPrefix("┌─ Last position ─"))
    #expect(lines[3].hasPrefix("│ ○ connection lost   1 min 12 s │"))
    #expect(!text.contains("live"))
    #expect(!text.contains("● connected"))

    var silent = state
    silent.readings.take(
      StreamEvent<AccelerationUpdate>.interrupted(lost), at: MonitorFixture.now)
    #expect(
      MonitorFixture.picture(of: silent, 80, 24).contains("─ Acceleration connection lost ──"))

    state.readings.take(StreamEvent<LocationUpdate>.resumed, at: MonitorFixture.now)
    state.readings.take(MonitorFixture.location(.live), at: MonitorFixture.now)
    #expect(MonitorFixture.picture(of: state, 80, 24) == MonitorFixture.picture(80, 24))
  }

  @Test func `who may not see the position reads why, and what would allow it`() {
    var state = MonitorState()
    state.readings.end(
      .location,
      because: .denied(
        reason: "the default is denied", remedy: "usermod -aG bearing someone"))
    state.readings.take(MonitorFixture.pose(.leftUp, .vertical), at: MonitorFixture.now)
    let lines = MonitorFixture.picture(of: state, 80, 24).split(separator: "\n")
    #expect(
      lines[2...4].map { $0.prefix(34) } == [
        "│ denied: the default is denied; │",
        "│ to allow it: usermod -aG       │",
        "│ bearing someone                │",
      ])
    #expect(lines[21].contains("│  left up, vertical   │"))
  }

  @Test func `help lies over the rest`() {
    var state = MonitorFixture.state
    #expect(state.take("?", at: MonitorFixture.now) == .goOn)
    let lines = MonitorFixture.picture(of: state, 80, 24).split(separator: "\n")
    #expect(lines[8].dropFirst(20).prefix(40) == "┌─ Keys ───────────────────────────────┐")
    #expect(lines[9].dropFirst(20).prefix(40) == "│ q     quit (so does Ctrl-C)          │")
    #expect(state.take("x", at: MonitorFixture.now) == .goOn)
    #expect(MonitorFixture.picture(of: state, 80, 24) == MonitorFixture.picture(80, 24))
  }

  @Test func `texts from a device cannot disturb the screen`() {
    var fix = MonitorFixture.fix
    fix.receiver = "a\u{1B}[2J\u{7}字\u{301}\u{202E}é"
    var state = MonitorFixture.state
    state.readings.take(MonitorFixture.location(.live, fix: fix), at: MonitorFixture.now)
    let lines = MonitorFixture.picture(of: state, 80, 24).split(separator: "\n")
    #expect(lines[12].hasPrefix("│ receiver  a?[2J????é           │"))
  }
}
