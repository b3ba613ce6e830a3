public import Varlink

/// Reads a call's parameters, which fit the interface's description, and checks their ranges.
public struct Parameters {
  private let values: JSON
  private let preferences: StreamPreferences

  /// The parameters of a call, and what its caller prefers where it leaves one out.
  public init(_ exchange: Exchange) {
    values = exchange.call.parameters
    preferences = exchange.preferences
  }

  /// A string; nil when absent.
  public func text(_ name: String) -> String? { values[name]?.string }

  /// A truth value; nil when absent.
  public func flag(_ name: String) -> Bool? { values[name]?.bool }

  /// An integer; nil when absent.
  public func integer(_ name: String) throws(ServiceError) -> Int? {
    guard let value = values[name] else { return nil }
    guard let integer = value.integer else { throw .invalidParameter(name) }
    return Int(integer)
  }

  /// A finite number that is not negative; nil when absent.
  public func nonnegative(_ name: String) throws(ServiceError) -> Double? {
    guard let value = values[name] else { return nil }
    guard let number = value.number, number.isFinite, number >= 0 else {
      throw .invalidParameter(name)
    }
    return number
  }

  /// A number in a range, which must be there.
  public func number(_ name: String, in range: ClosedRange<Double>) throws(ServiceError) -> Double {
    guard let number = values[name]?.number, range.contains(number) else {
      throw .invalidParameter(name)
    }
    return number
  }

  /// Milliseconds, 0 to `most`; nil when absent.
  public func milliseconds(_ name: String, most: Int = .max) throws(ServiceError) -> Int? {
    guard let value = try integer(name) else { return nil }
    guard value >= 0, value <= most else { throw .invalidParameter(name) }
    return value
  }

  /// A length of time given in milliseconds, as nanoseconds; 0 when absent.
  public func interval(_ name: String) throws(ServiceError) -> Int64 {
    guard let milliseconds = try milliseconds(name) else { return 0 }
    let (interval, overflow) = Int64(milliseconds).multipliedReportingOverflow(
      by: Nanoseconds.millisecond)
    return overflow ? .max : interval
  }

  /// The call's heartbeat, or else what the caller prefers.
  public func heartbeat() throws(ServiceError) -> Heartbeat {
    Heartbeat(values["heartbeat"] == nil ? nil : try interval("heartbeat"), else: preferences)
  }
}
