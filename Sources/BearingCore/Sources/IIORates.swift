/// The rates that a sensor says it can sample at.
enum IIORates: Sendable, Equatable {
  /// More steps than this are shown by their bounds.
  static let mostShown = 32.0
  /// Hertz beyond what any sensor does: larger numbers are garbage.
  static let fastest = 1e6
  /// Hertz below which no sensor is run: smaller numbers are garbage too.
  static let slowest = 0.001

  /// It does not say.
  case unknown
  /// These, rising, each with the driver's own text for it.
  case list([IIORate])
  /// From `least` to `most` hertz in steps; a step of 0 is any rate between.
  case range(least: Double, step: Double, most: Double)

  /// Reads a list, or `[least step most]`. A rate of 0 is the driver's word for off and left out.
  init(parsing text: some BidirectionalCollection<UInt8>) throws(TextProblem) {
    var body = NumberText.trimmed(text)
    let isRange = body.first == UInt8(ascii: "[")
    if isRange {
      guard body.last == UInt8(ascii: "]") else { throw TextProblem("\(quoted(text)) has no end") }
      body = body.dropFirst().dropLast()
    }
    var rates: [IIORate] = []
    for word in body.split(whereSeparator: NumberText.isBlank) {
      let rate = IIORate(
        value: try NumberText.decimal(word), text: String(decoding: word, as: UTF8.self))
      guard (0...Self.fastest).contains(rate.value) else {
        throw TextProblem("\(quoted(text)) has a rate that no sensor has")
      }
      rates.append(rate)
    }
    if isRange {
      guard rates.count == 3, rates[0].value <= rates[2].value, rates[2].value > 0 else {
        throw TextProblem("\(quoted(text)) is not [least step most]")
      }
      self = .range(least: rates[0].value, step: rates[1].value, most: rates[2].value)
      return
    }
    rates.removeAll { $0.value == 0 }
    guard !rates.isEmpty else { throw TextProblem("\(quoted(text)) has no rate") }
    self = .list(rates.sorted { $0.value < $1.value })
  }

  /// The slowest rate that is at least `wanted` hertz, else the fastest; nil when it is not known.
  func nearest(atLeast wanted: Double) -> IIORate? {
    switch self {
    case .unknown: return nil
    case .list(let rates): return rates.first { $0.value >= wanted } ?? rates.last
    case .range(let least, let step, let most):
      guard wanted > least else { return IIORate(least) }
      let steps = step > 0 ? ((wanted - least) / step).rounded(.up) * step : wanted - least
      return IIORate(min(most, least + steps))
    }
  }

  /// Hertz for people to choose from.
  var shown: [Double] {
    switch self {
    case .unknown: return []
    case .list(let rates): return rates.map(\.value)
    case .range(let least, let step, let most):
      let isFew = step > 0 && (most - least) / step <= Self.mostShown
      let rates = isFew ? Array(stride(from: least, through: most, by: step)) : [least, most]
      return rates.filter { $0 > 0 }
    }
  }
}

/// One rate, and how to write it into the driver's file.
struct IIORate: Sendable, Equatable {
  /// Hertz.
  let value: Double
  /// As the driver has it.
  let text: String

  init(value: Double, text: String) {
    self.value = value
    self.text = text
  }

  /// A rate that the driver has not listed: the kernel takes a point and six decimals.
  init(_ value: Double) {
    let micros = (min(value, IIORates.fastest) * 1e6).rounded()
    self.value = value
    let whole = Int64(micros) / 1_000_000
    let rest = String(Int64(micros) % 1_000_000)
    text =
      rest == "0" ? "\(whole)" : "\(whole)." + String(repeating: "0", count: 6 - rest.count) + rest
  }
}
