internal import BearingModel

/// Which sensor a caller wants, for when there is another choice to make: its sensor went or came.
struct SensorWish: Equatable {
  /// The one that answers by default.
  static let any = SensorWish(name: nil, isFirm: false)

  /// A path, identifier, label or location; nil for the one that answers by default.
  let name: String?
  /// Whether no other will do. A user's preference is not firm: it counts while its sensor is there.
  let isFirm: Bool

  /// The wish after it had `found`: the kernel's name may be another sensor's next time.
  func fixed(to found: DiscoveredSensor) -> SensorWish {
    guard name == found.sensor.identifier else { return self }
    return SensorWish(name: found.sensor.path, isFirm: isFirm)
  }
}
