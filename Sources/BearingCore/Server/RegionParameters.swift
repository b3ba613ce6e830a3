internal import BearingModel
internal import Varlink

extension Region {
  /// Half the way round the Earth, in metres: a larger circle has no outside.
  private static let largestRadius = 20_000_000.0
  /// Characters of an identifier, by Unicode's count: what looks like one can be any number of them.
  private static let identifierLengths = 1...64

  /// The region that a call describes.
  init(_ exchange: Exchange) throws(ServiceError) {
    let parameters = Parameters(exchange)
    let identifier = parameters.text("identifier") ?? ""
    let isPlain = identifier.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    guard Self.identifierLengths.contains(identifier.unicodeScalars.count), isPlain else {
      throw .invalidParameter("identifier")
    }
    let latitude = try parameters.number("latitude", in: -90...90)
    let longitude = try parameters.number("longitude", in: -180...180)
    let radius = try parameters.nonnegative("radius") ?? 0
    guard radius > 0, radius <= Self.largestRadius else { throw .invalidParameter("radius") }
    let dwell = try parameters.milliseconds("dwell")
    self.init(
      identifier: identifier, latitude: latitude, longitude: longitude, radius: radius,
      dwell: dwell == 0 ? nil : dwell)
  }
}
