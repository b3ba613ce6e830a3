internal import FoundationEssentials

/// A Swift value that has no JSON, or JSON that is not the Swift value asked for.
public struct JSONCodingError: Error, Equatable, CustomStringConvertible {
  /// The way to the value: names of members and indices.
  public let path: [String]
  /// What is wrong with it.
  public let reason: String

  /// Where and what, in words.
  public var description: String {
    path.isEmpty ? reason : "\(path.joined(separator: ".")): \(reason)"
  }
}

extension JSON {
  /// The value as a type of the caller's.
  public func decode<Value: Decodable>(_ type: Value.Type) throws(JSONCodingError) -> Value {
    do {
      return try JSONDecoder().decode(type, from: Data(serialised()))
    } catch {
      throw JSONCodingError(error)
    }
  }

  /// A value of the caller's as JSON text in UTF-8. Optionals that are nil are left out.
  ///
  /// - Throws: when a number is NaN or infinite.
  public static func serialising(_ value: some Encodable) throws(JSONCodingError) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    do {
      return Array(try encoder.encode(value))
    } catch {
      throw JSONCodingError(error)
    }
  }
}

extension JSONCodingError {
  fileprivate init(_ error: any Error) {
    let context: (path: [any CodingKey], reason: String)
    switch error {
    case DecodingError.typeMismatch(_, let details), DecodingError.dataCorrupted(let details),
      DecodingError.valueNotFound(_, let details):
      context = (details.codingPath, details.debugDescription)
    case DecodingError.keyNotFound(let key, let details):
      context = (details.codingPath + [key], details.debugDescription)
    case EncodingError.invalidValue(_, let details):
      context = (details.codingPath, details.debugDescription)
    default:
      context = ([], String(describing: error))
    }
    self.init(path: context.path.map(\.stringValue), reason: context.reason)
  }
}
