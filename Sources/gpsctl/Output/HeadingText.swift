internal import BearingModel

/// How a heading reads.
enum HeadingText {
  /// In one line: `214.3° true  pitch 1.2°  roll −0.4°`.
  static func line(_ heading: Heading) -> String {
    let north =
      switch heading.reference {
      case .trueNorth: " true"
      case .magneticNorth: " magnetic"
      case .unknown: ""
      }
    let parts = [("pitch", heading.pitch), ("roll", heading.roll)].compactMap { name, value in
      value.map { "\(name) \(fixedPoint($0, decimals: 1))°" }
    }
    return (["\(fixedPoint(heading.heading, decimals: 1))°\(north)"] + parts)
      .joined(separator: "  ")
  }
}
