internal import BearingModel

extension Scene {
  /// Whether orientation and tilt are of now.
  private var isPoseCurrent: Bool { doubt == nil && readings.poseState == .live }

  var poseLook: Look {
    if doubt != nil { return .dim }
    return isPoseCurrent ? .plain : Self.look(ofState: readings.poseState.rawValue)
  }

  /// Orientation and tilt in words; or, in their place, why there are none.
  var poseText: String {
    if case .refused(let reason) = readings.link(.orientation) { return reason }
    let word = readings.poseState.rawValue
    guard word == "live" else {
      return "orientation: " + (word == "unknown" ? "connecting" : Self.words(word))
    }
    let words = [readings.orientation.rawValue, readings.tilt.rawValue]
    let known = words.filter { $0 != "undefined" }.map(Self.words)
    return known.isEmpty ? "not known yet" : known.joined(separator: ", ")
  }

  /// The device as it is held, seen from in front and a little above.
  func drawOrientation(on grid: inout Grid, in area: Area) {
    drawFrame(on: &grid, area, title: "Orientation")
    let inside = area.inside
    if case .refused(let reason) = readings.link(.orientation) {
      writeWrapped(reason, on: &grid, in: inside.columns(from: 1, count: inside.columns - 2), .dim)
      return
    }
    grid.writeCentred(glyphs.shown(poseText), in: inside, row: inside.rows - 1, poseLook)
    guard let up = upward else { return }
    let place = inside.rows(from: 0, count: inside.rows - 1)
    var picture = DotPicture(columns: place.columns, rows: place.rows)
    let slab = Slab(up: up, orientation: readings.orientation)
    let look = isPoseCurrent ? Look(.cyan) : .dim
    for line in slab.lines {
      picture.line(
        from: Slab.dot(line.from, in: picture), to: Slab.dot(line.to, in: picture), look)
    }
    picture.draw(on: &grid, at: place, glyphs)
  }

  /// Which way is up in the device's frame: as the newest sample has it; without samples, as
  /// orientation and tilt have it in the middle of their ranges; nil without either.
  private var upward: Slab.Vector? {
    if readings.accelerationState == .live, let sample = readings.trace.newest {
      let vector = Slab.Vector(x: sample.x, y: sample.y, z: sample.z)
      if vector.length > 0 { return vector }
    }
    return Slab.up(readings.orientation, readings.tilt)
  }
}
