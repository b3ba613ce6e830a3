internal import BearingModel
internal import Varlink

extension Option {
  static let interval = Option(
    "interval", .duration, "least time between two (location, sky, heading)")
  static let distance = Option("distance", .distance, "least way between two (location)")
  static let heartbeat = Option("heartbeat", .duration, "after this long without news, repeat")
  static let since = Option(
    "since", .text("SEQUENCE"), "also events after this one; 0 is all that are kept (regions)")
  static let rate = Option("rate", .rate, "samples a second (acceleration)")
  static let sensor = Option(
    "sensor", .text("SENSOR"), "which accelerometer, by name, path or place")
}

/// What can be watched, by the word on the command line.
enum WatchStream: String, CaseIterable, Sendable {
  case location, acceleration, orientation, motion, sky, heading, regions

  /// The longest word.
  static let wordWidth = 12

  /// The wire's method.
  var method: String {
    switch self {
    case .location: "io.bearing.location.Subscribe"
    case .sky: "io.bearing.location.SubscribeSky"
    case .heading: "io.bearing.location.SubscribeHeading"
    case .regions: "io.bearing.regions.Subscribe"
    case .acceleration: "io.bearing.accelerometer.Subscribe"
    case .orientation: "io.bearing.accelerometer.SubscribeOrientation"
    case .motion: "io.bearing.accelerometer.SubscribeMotion"
    }
  }

  /// Whether its lines have places, or lengths and speeds.
  var hasPlaces: Bool { self == .location || self == .regions }

  /// Options that change this stream.
  var options: [Option] {
    switch self {
    case .location: [.interval, .distance, .accuracy, .heartbeat]
    case .sky, .heading: [.interval, .heartbeat]
    case .regions: [.since, .heartbeat]
    case .acceleration: [.rate, .sensor, .heartbeat]
    case .orientation, .motion: [.sensor, .heartbeat]
    }
  }

  /// The wire's parameters for the options given.
  func parameters(_ invocation: Invocation) -> JSON {
    var members: [String: JSON] = [:]
    for option in options {
      switch option {
      case .interval: members["minInterval"] = .milliseconds(invocation.duration(option))
      case .heartbeat: members["heartbeat"] = .milliseconds(invocation.duration(option))
      case .distance: members["distanceFilter"] = invocation.number(option).map { .double($0) }
      case .accuracy: members["maximumAccuracy"] = invocation.number(option).map { .double($0) }
      case .rate: members["rate"] = invocation.number(option).map { .double($0) }
      case .since: members["since"] = invocation.text(option).flatMap(Int64.init).map { .int($0) }
      case .sensor: members["sensor"] = invocation.text(option).map { .string($0) }
      default: break
      }
    }
    return .object(members)
  }

  /// How many measurements a reply brings that are of now: not a mere change of state, not old.
  func measurements(in reply: JSON) -> Int {
    guard reply["repeated"] != true else { return 0 }
    if self == .regions { return reply["events"]?.array?.count ?? 0 }
    // A compass points whether there is a position or not.
    if self == .heading { return reply["heading"] == nil ? 0 : 1 }
    guard reply["state"] == "live" else { return 0 }
    switch self {
    case .location: return reply["fix"] == nil ? 0 : 1
    case .sky: return reply["sky"] == nil ? 0 : 1
    case .acceleration: return reply["samples"]?.array?.count ?? 0
    case .orientation, .motion, .heading, .regions: return 1
    }
  }

  /// What another connection begins with, so that it tells no event twice and leaves none out.
  func resumption(after reply: JSON) -> [String: JSON] {
    guard self == .regions, let last = reply["last"] else { return [:] }
    return ["since": last]
  }
}
