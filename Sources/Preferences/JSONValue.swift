internal import FoundationEssentials

/// How a value is written: as JSON, also where it is a single number or string.
///
/// Whole numbers are exact and floating-point numbers come back bit for bit, but that every NaN is the same
/// one; what JSON has no number for is written as "inf", "-inf" and "nan". What could not be read again is
/// not written.
enum JSONValue {
  private static let encoder: JSONEncoder = {
    let encoder = JSONEncoder()
    // Sorted, so that equal values are equal bytes.
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return encoder
  }()

  private static let decoder: JSONDecoder = {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return decoder
  }()

  static func encode<T: Codable>(_ value: T, key: String) throws(StorageError) -> [UInt8] {
    let data: Data
    do {
      data = try encoder.encode(value)
    } catch let EncodingError.invalidValue(_, context) {
      throw .unencodable(key: key, reason: context.debugDescription)
    } catch {
      throw .unencodable(key: key, reason: "\(error)")
    }
    do {
      _ = try decoder.decode(T.self, from: data)
    } catch {
      // Such as a Decimal that is not a number, for which Foundation writes what is no JSON.
      throw .unencodable(key: key, reason: "it could not be read again: \(reason(error))")
    }
    return Array(data)
  }

  static func decode<T: Codable>(_ bytes: [UInt8], key: String) throws(StorageError) -> T {
    do {
      return try decoder.decode(T.self, from: Data(bytes))
    } catch {
      throw .undecodable(key: key, type: "\(T.self)", reason: reason(error))
    }
  }

  private static func reason(_ error: any Error) -> String {
    guard let error = error as? DecodingError else { return "\(error)" }
    let context: DecodingError.Context
    switch error {
    case .typeMismatch(_, let found), .valueNotFound(_, let found), .keyNotFound(_, let found),
      .dataCorrupted(let found):
      context = found
    @unknown default: return "\(error)"
    }
    let path = context.codingPath.map(\.stringValue).joined(separator: ".")
    return path.isEmpty ? context.debugDescription : "\(context.debugDescription) (at \(path))"
  }
}
