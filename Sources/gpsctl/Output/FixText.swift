internal import BearingClient
internal import BearingModel
internal import Varlink

extension Option {
  static let units = Option(
    "units", .choice(Units.allCases.map(\.rawValue)), "units of lengths and speeds")
  static let coordinates = Option(
    "coordinates", .choice(CoordinateFormat.allCases.map(\.rawValue)), "how a place is written")
}

/// How a position reads.
struct FixText: Sendable {
  private(set) var units: Units
  private(set) var coordinates: CoordinateFormat
  private let prefersUnits: Bool
  private let prefersCoordinates: Bool

  /// How long the daemon may take to say what is preferred: a position is worth more than its looks.
  private static let patience: Duration = .seconds(2)

  /// As the options say, or else as the person prefers, or else in metric units and decimal degrees.
  init(_ invocation: Invocation) async {
    let units = invocation.text(.units).flatMap(Units.init)
    let coordinates = invocation.text(.coordinates).flatMap(CoordinateFormat.init)
    self.units = units ?? .metric
    self.coordinates = coordinates ?? .decimal
    // JSON is the same for everybody.
    prefersUnits = units == nil && !invocation.has(.json)
    prefersCoordinates = coordinates == nil && !invocation.has(.json)
    guard hasPreferences else { return }
    let preferred = try? await Session(invocation).client.preferences(patience: Self.patience)
    prefer(preferred ?? [])
  }

  /// Whether something of it is as the person prefers.
  var hasPreferences: Bool { prefersUnits || prefersCoordinates }

  /// Takes what no option says from those preferences that are given.
  mutating func prefer(_ preferences: [Preference]) {
    func word(_ name: PreferenceName) -> String? {
      let text = preferences.first { $0.key == name.rawValue }?.value
      return text.flatMap { (try? JSON(parsing: Array($0.utf8)))?.string }
    }
    if prefersUnits { units = word(.units).flatMap(Units.init) ?? units }
    if prefersCoordinates {
      coordinates = word(.coordinates).flatMap(CoordinateFormat.init) ?? coordinates
    }
  }

  func place(_ fix: Fix) -> String {
    coordinates.text(latitude: fix.latitude, longitude: fix.longitude)
  }

  /// All that is known of a position, a line for each thing.
  func block(_ fix: Fix, age: Duration?) -> String {
    var lines: [(String, String)] = []
    if let accuracy = fix.horizontalAccuracy {
      lines.append(("accuracy", "\(units.length(accuracy)), 68 %, \(basis(of: fix))"))
    } else {
      lines.append(("accuracy", "unknown"))
    }
    if let altitude = fix.altitude {
      let accuracy = fix.verticalAccuracy.map { " ± \(units.length($0))" } ?? ""
      lines.append(("altitude", "\(units.length(altitude))\(accuracy) above mean sea level"))
    } else if let altitude = fix.ellipsoidalAltitude {
      lines.append(("altitude", "\(units.length(altitude)) above the WGS84 ellipsoid"))
    }
    if let speed = fix.speed {
      let accuracy = fix.speedAccuracy.map { " ± \(units.speed($0))" } ?? ""
      lines.append(("speed", units.speed(speed) + accuracy))
    }
    if let course = fix.course {
      let accuracy = fix.courseAccuracy.map { " ± \(fixedPoint($0, decimals: 1))°" } ?? ""
      lines.append(("course", "\(fixedPoint(course, decimals: 1))°\(accuracy) from true north"))
    }
    if let climb = fix.climb { lines.append(("climb", "\(units.length(climb, decimals: 2))/s")) }
    if let time = fix.timestamp {
      let doubt = fix.timestampTrusted ? "" : " (not trusted yet)"
      lines.append(("time", Times.utc(time) + doubt))
    }
    if let age { lines.append(("age", Times.span(age))) }
    let kind = [
      fix.dimensions.map { "\($0)D" }, fix.quality.map(\.rawValue), fix.receiver,
      fix.simulated ? "simulated" : nil,
    ].compactMap { $0 }.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
    if !kind.isEmpty { lines.append(("source", kind.joined(separator: ", "))) }
    let rows = lines.map { HelpText.padded($0.0, to: 10) + $0.1 }
    return ([place(fix)] + rows).joined(separator: "\n")
  }

  /// A position in one line.
  func line(_ fix: Fix) -> FittedLine {
    var line = FittedLine()
    line.add(place(fix))
    line.add(fix.horizontalAccuracy.map { "± \(units.length($0))" } ?? "± ?")
    if let altitude = fix.altitude { line.add("\(units.length(altitude)) up", .least) }
    if let speed = fix.speed { line.add(units.speed(speed), .some) }
    if let course = fix.course { line.add("\(fixedPoint(course, decimals: 0))°", .some) }
    return line
  }

  private func basis(of fix: Fix) -> String {
    switch fix.accuracyBasis {
    case .dop: "from the satellites' geometry"
    case .receiver: "as the receiver says"
    case .grid: "approximate on purpose"
    case .unknown: "of unknown origin"
    }
  }
}
