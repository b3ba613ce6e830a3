internal import BearingModel

/// How the satellites in view read.
enum SkyText {
  /// In one line.
  static func summary(_ sky: Sky) -> FittedLine {
    var line = FittedLine()
    line.add("\(sky.used) of \(sky.visible) satellites used")
    let dilutions: [(String, Double?, FittedLine.Worth)] = [
      ("hdop", sky.horizontalDilution, .all), ("vdop", sky.verticalDilution, .some),
      ("pdop", sky.positionDilution, .little), ("tdop", sky.timeDilution, .least),
    ]
    for (name, value, worth) in dilutions {
      if let value { line.add("\(name) \(fixedPoint(value, decimals: 1))", worth) }
    }
    return line
  }

  /// With a line for each satellite, the strongest first.
  static func table(_ sky: Sky, style: Style) -> String {
    var table = Table([
      ("SYSTEM", .left), ("ID", .right), ("ELEVATION", .right), ("AZIMUTH", .right),
      ("SIGNAL", .right), ("USED", .left),
    ])
    let strongestFirst = sky.satellites.sorted { ($0.signal ?? -1) > ($1.signal ?? -1) }
    for satellite in strongestFirst {
      table.add([
        .init(satellite.constellation), "\(satellite.identifier)",
        .init(degrees(satellite.elevation)), .init(degrees(satellite.azimuth)),
        .init(satellite.signal.map { "\(fixedPoint($0, decimals: 0)) dBHz" } ?? "–"),
        .init(satellite.used ? "yes" : "", .green),
      ])
    }
    return table.text(style: style)
  }

  private static func degrees(_ angle: Double?) -> String {
    angle.map { "\(fixedPoint($0, decimals: 0))°" } ?? "–"
  }
}
