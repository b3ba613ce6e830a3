/// What the person at the keyboard has chosen.
struct MonitorSettings: Equatable, Sendable {
  /// Metres per second squared from the graph's middle to its edges that can be chosen.
  static let scales: [Double] = [1, 2, 5, 10, 20, 50, 100, 200]

  var units = Units.metric
  var coordinates = CoordinateFormat.decimal
  /// An index in `scales`; the first choice shows gravity and twice that.
  var scaleIndex = 4
  var showsHelp = false

  /// Metres per second squared from the graph's middle to its edges.
  var scale: Double { Self.scales[scaleIndex] }

  /// The next one of all, and the first one after the last.
  private static func next<Choice: CaseIterable & Equatable>(after choice: Choice) -> Choice {
    let all = Array(Choice.allCases)
    let index = all.firstIndex(of: choice).map { ($0 + 1) % all.count } ?? 0
    return all[index]
  }

  mutating func turnUnits() { units = Self.next(after: units) }
  mutating func turnCoordinates() { coordinates = Self.next(after: coordinates) }

  /// Makes the graph's lines higher (fewer metres per second squared to the edge) or lower.
  mutating func zoom(in isIn: Bool) {
    scaleIndex = max(0, min(scaleIndex + (isIn ? -1 : 1), Self.scales.count - 1))
  }
}

/// The monitor as it stands: what the daemon told, what was chosen, and whether time is stopped.
struct MonitorState: Equatable, Sendable {
  /// What a key does beyond changing this value.
  enum Answer: Equatable {
    case goOn, quit
  }

  /// What the daemon has told until now.
  var readings = Readings()
  var settings = MonitorSettings()
  /// What the picture is held at; nil while it follows.
  private(set) var held: (readings: Readings, at: Duration)?

  /// What the picture shows.
  var shown: Readings { held?.readings ?? readings }

  init(settings: MonitorSettings = MonitorSettings()) { self.settings = settings }

  static func == (a: MonitorState, b: MonitorState) -> Bool {
    a.readings == b.readings && a.settings == b.settings && a.held?.at == b.held?.at
      && a.held?.readings == b.held?.readings
  }

  /// Takes a key. While help is shown, any but q closes it.
  mutating func take(_ key: Unicode.Scalar, at now: Duration) -> Answer {
    if key == "q" || key == "Q" { return .quit }
    if settings.showsHelp {
      settings.showsHelp = false
      return .goOn
    }
    switch key {
    case " ": held = held == nil ? (readings, now) : nil
    case "u": settings.turnUnits()
    case "f": settings.turnCoordinates()
    case "+", "=": settings.zoom(in: true)
    case "-", "_": settings.zoom(in: false)
    case "?", "h": settings.showsHelp = true
    default: break
    }
    return .goOn
  }
}
