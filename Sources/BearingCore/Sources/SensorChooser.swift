internal import BearingModel

/// Which of the machine's accelerometers a caller gets.
public enum SensorChoice: Sendable, Equatable {
  /// This one; it may be unusable, which then is its state.
  case sensor(DiscoveredSensor)
  /// None, and why, for people.
  case none(reason: String)
}

/// The rules by which one of several accelerometers is chosen.
public enum SensorChooser {
  /// Where the sensor sits that orientation comes from.
  static let defaultLocation = "display"

  /// The sensor that `name` means, else the configured one, else the display's.
  ///
  /// `name` and `configured` are a path, an identifier, a label or a location. Without either, a
  /// sensor of the base or the camera is not chosen, nor one that is unplugged in use, which is also
  /// no sensor of a location. Of several
  /// that fit, a usable one, then one that stays, then the one whose path comes first, so that the
  /// choice is the same after a reboot.
  public static func choose(
    from sensors: [DiscoveredSensor], named name: String?, configured: String?
  ) -> SensorChoice {
    guard !sensors.isEmpty else {
      return .none(reason: "this machine has no accelerometer that Linux knows (IIO)")
    }
    if let name { return choose(from: sensors, matching: name, whose: "the sensor asked for") }
    if let configured {
      return choose(from: sensors, matching: configured, whose: "the configured sensor")
    }
    let candidates = sensors.filter { $0.sensor.location == defaultLocation && !$0.isRemovable }
    guard let best = best(of: candidates) else {
      return .none(
        reason: "no accelerometer sits in the display; name one of: \(names(of: sensors))")
    }
    return .sensor(best)
  }

  private static func choose(
    from sensors: [DiscoveredSensor], matching name: String, whose: String
  ) -> SensorChoice {
    // The surest name first: a label or a location may fit several.
    let rules: [(DiscoveredSensor) -> Bool] = [
      { $0.sensor.path == name }, { $0.sensor.identifier == name }, { $0.label == name },
      { $0.sensor.location == name && !$0.isRemovable },
    ]
    for fits in rules {
      if let best = best(of: sensors.filter(fits)) { return .sensor(best) }
    }
    return .none(reason: "\(whose), \"\(name)\", is not here; there are: \(names(of: sensors))")
  }

  private static func best(of candidates: [DiscoveredSensor]) -> DiscoveredSensor? {
    candidates.min { left, right in rank(left) < rank(right) }
  }

  private static func rank(_ sensor: DiscoveredSensor) -> (Int, Int, String) {
    (sensor.unusable == nil ? 0 : 1, sensor.isRemovable ? 1 : 0, sensor.sensor.path)
  }

  private static func names(of sensors: [DiscoveredSensor]) -> String {
    sensors.map { "\($0.sensor.identifier) (\($0.sensor.location))" }.joined(separator: ", ")
  }
}
