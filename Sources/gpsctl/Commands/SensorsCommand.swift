internal import BearingClient
internal import BearingModel

extension Command {
  /// The machine's accelerometers.
  static let sensors = Command(
    name: "sensors",
    summary: "the accelerometers and how they are read",
    discussion: """
      A sensor can be named to other commands by its identifier, its path, which stays the same
      after a replug or reboot, or its location. Starts none.
      """,
    examples: [Example("gpsctl sensors", "what there is")]
  ) { invocation throws(Failure) in
    let style = Session(invocation).style
    try await Session(invocation).show(
      "io.bearing.accelerometer.ListSensors", as: SensorList.self
    ) { list in
      if list.sensors.isEmpty { return "no accelerometer (\(style.state(list.state.rawValue)))" }
      let blocks = list.sensors.map { block($0, style: style) }
      return (["state " + style.state(list.state.rawValue)] + blocks).joined(separator: "\n\n")
    }
  }

  /// What the configuration does to the sensor's own axes.
  private static func correction(_ sensor: Sensor) -> String {
    func text(_ numbers: [Double]) -> String {
      numbers.map { fixedPoint($0, decimals: 4) }.joined(separator: " ")
    }
    let bias = sensor.bias.map { ", bias \(text($0)) m/s²" } ?? ""
    return bias + (sensor.scaleFactor.map { ", then times \(text($0))" } ?? "")
  }

  private static func block(_ sensor: Sensor, style: Style) -> String {
    let rates = sensor.availableRates.map { fixedPoint($0, decimals: 1) }.joined(separator: " ")
    let scale = sensor.scale.map { fixedPoint($0, decimals: 6) }.joined(separator: " ")
    let matrix = sensor.mountMatrix.map { fixedPoint($0, decimals: 2) }.joined(separator: " ")
    let sign = sensor.signNegated ? ", negated" : ""
    let lines = [
      ("name", sensor.name + (sensor.simulated ? " (simulated)" : "")),
      ("path", sensor.path),
      ("location", sensor.location),
      ("mode", sensor.mode + (sensor.modeReason.map { " (\($0))" } ?? "")),
      (
        "rate", "\(fixedPoint(sensor.rate, decimals: 1)) Hz" + (rates.isEmpty ? "" : " of \(rates)")
      ),
      ("scale", "\(scale) m/s² a step" + correction(sensor)),
      ("mounting", "\(matrix), from \(sensor.mountMatrixSource)\(sign)"),
    ]
    let rows = lines.map { name, value in
      "  " + HelpText.padded(name, to: 10) + HelpText.fitted(value, indent: 12)
    }
    let warnings = sensor.warnings.map { warning in
      style.paint("  warning: " + HelpText.fitted(warning, indent: 11), .yellow)
    }
    return ([sensor.identifier] + rows + warnings).joined(separator: "\n")
  }
}
