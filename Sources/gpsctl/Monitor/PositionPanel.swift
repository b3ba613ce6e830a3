internal import BearingModel

extension Scene {
  /// The position with all that belongs to it, in a frame.
  func drawPosition(on grid: inout Grid, in area: Area) {
    let isCurrent = isPositionCurrent
    drawFrame(
      on: &grid, area,
      title: isCurrent || readings.fix == nil ? "Position" : "Last position")
    let inside = area.inside.columns(from: 1, count: area.columns - 4)
    drawPlaceAndState(on: &grid, in: inside)
    guard let fix = readings.fix else { return }
    let look = isCurrent ? Look.plain : .dim
    for (index, field) in fields(of: fix).enumerated() {
      let row = 3 + index
      grid.write(field.name, in: inside, row: row, .dim)
      grid.write(glyphs.shown(field.text), in: inside, row: row, column: 10, look)
    }
  }

  /// All that matters of everything, in seven rows.
  func drawEssentials(on grid: inout Grid, in area: Area) {
    let inside = area.columns(from: 1, count: area.columns - 2)
    drawPlaceAndState(on: &grid, in: inside)
    if let fix = readings.fix {
      let look = isPositionCurrent ? Look.plain : .dim
      let left = inside.columns(from: 0, count: 20)
      let right = inside.columns(from: 20)
      let accuracy = fix.horizontalAccuracy.map { "±" + settings.units.length($0) }
      let altitude = (fix.altitude ?? fix.ellipsoidalAltitude).map { settings.units.length($0) }
      let texts = [
        (left, 2, "accuracy", accuracy), (right, 2, "altitude", altitude),
        (left, 3, "speed", fix.speed.map(settings.units.speed)),
        (right, 3, "course", fix.course.map(course)),
      ]
      for (half, row, name, text) in texts {
        let end = grid.write(name, in: half, row: row, .dim)
        grid.write(glyphs.shown(text ?? glyphs.unknown), in: half, row: row, column: end + 1, look)
      }
    }
    let satellites = grid.write("satellites", in: inside, row: 4, .dim) + 1
    grid.write(skySummary, in: inside, row: 4, column: satellites, skyLook)
    drawVector(on: &grid, in: inside, row: 5)
    grid.write(glyphs.shown(poseText), in: inside, row: 6, poseLook)
  }

  /// The place, and below it the state with the position's age; a refusal takes all the room.
  private func drawPlaceAndState(on grid: inout Grid, in area: Area) {
    if case .refused(let reason) = readings.link(.location) {
      writeWrapped(reason, on: &grid, in: area, Look(.red))
      return
    }
    if let fix = readings.fix {
      let place = settings.coordinates.text(latitude: fix.latitude, longitude: fix.longitude)
      grid.write(glyphs.shown(place), in: area, isPositionCurrent ? .bold : .dim)
    } else {
      grid.write("no position yet", in: area, .dim)
    }
    let word = readings.locationState.rawValue
    let mark = isPositionCurrent ? glyphs.on : glyphs.off
    let text = doubt ?? (word == "unknown" ? "connecting" : Self.words(word))
    let look = doubt == nil ? Self.look(ofState: word) : Look(.red, isBold: true)
    let end = grid.write("\(mark) \(text)", in: area, row: 1, look)
    if readings.fix != nil {
      grid.writeAtRight(age(room: area.columns - end - 1), in: area, row: 1)
    }
  }

  private func age(room: Int) -> String {
    guard let time = readings.fixTime else { return "age unknown" }
    let span = Times.span(max(.zero, now - time))
    return span.count + 4 <= room ? span + " old" : span
  }

  /// What is known beside the place, by name.
  private func fields(of fix: Fix) -> [(name: String, text: String)] {
    let units = settings.units
    let unknown = glyphs.unknown
    var accuracy = fix.horizontalAccuracy.map { "±" + units.length($0) } ?? unknown
    if fix.accuracyBasis != .unknown { accuracy += " (\(fix.accuracyBasis.rawValue))" }
    let isAboveSea = fix.altitude != nil || fix.ellipsoidalAltitude == nil
    var altitude = unknown
    if let height = fix.altitude ?? fix.ellipsoidalAltitude { altitude = units.length(height) }
    if let accuracy = fix.verticalAccuracy { altitude += " ±" + units.length(accuracy) }
    var time = fix.timestamp.map(Times.utcTimeOfDay) ?? unknown
    if fix.timestamp != nil, !fix.timestampTrusted { time += " unsure" }
    let kind = [
      fix.dimensions.map { "\($0)D" }, fix.quality.map { Self.words($0.rawValue) },
    ].compactMap { $0 }.joined(separator: ", ")
    return [
      ("accuracy", accuracy),
      (isAboveSea ? "altitude" : "ellipsoid", altitude),
      ("speed", fix.speed.map(units.speed) ?? unknown),
      ("course", fix.course.map(course) ?? unknown),
      ("climb", fix.climb.map { "\(units.length($0, decimals: 2))/s" } ?? unknown),
      ("time", time),
      ("fix", kind.isEmpty ? unknown : kind),
      ("receiver", fix.receiver ?? unknown),
    ]
  }

  /// Such as `273° W ←`.
  private func course(_ degrees: Double) -> String {
    let unit = glyphs.isUnicode ? "°" : " deg"
    return "\(fixedPoint(degrees, decimals: 0))\(unit) \(Compass.name(of: degrees)) "
      + glyphs.arrow(towards: degrees)
  }
}
