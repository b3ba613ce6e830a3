internal import Foundation
internal import Preferences

/// How a value is written to `UserDefaults`: as the property list that plain code would write.
enum PropertyListValue {
  /// The object to keep; nil when the value is an optional that is nil.
  static func encode<T: Codable>(_ value: T, key: String) throws(StorageError) -> Any? {
    // An optional's nil has no property list; every other value is encoded in an array, because a
    // property list is an array or a dictionary at the top.
    if let optional = value as? any OptionalValue, optional.isNil { return nil }
    do {
      let encoder = PropertyListEncoder()
      encoder.outputFormat = .binary
      let data = try encoder.encode([value])
      return try PropertyListDecoder().decode([PropertyTree].self, from: data).first?.object
    } catch let DecodingError.dataCorrupted(context) {
      throw .unencodable(key: key, reason: context.debugDescription)
    } catch {
      throw .unencodable(key: key, reason: "\(error)")
    }
  }

  static func decode<T: Codable>(_ object: Any, key: String) throws(StorageError) -> T {
    do {
      let data = try PropertyListSerialization.data(
        fromPropertyList: [object], format: .binary, options: 0)
      do {
        let values = try PropertyListDecoder().decode([T].self, from: data)
        if let value = values.first { return value }
      } catch {
        // Data that other code put there may be a structure that it had encoded itself.
        guard let encoded = object as? Data else { throw error }
        if let value = try? JSONDecoder().decode(T.self, from: encoded) { return value }
        return try PropertyListDecoder().decode(T.self, from: encoded)
      }
      throw StorageError.undecodable(key: key, type: "\(T.self)", reason: "it is empty")
    } catch let error as StorageError {
      throw error
    } catch {
      throw .undecodable(key: key, type: "\(T.self)", reason: "\(error)")
    }
  }
}

/// A property list, taken apart into the objects that `UserDefaults` keeps.
private struct PropertyTree: Decodable {
  let object: Any

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      throw DecodingError.dataCorruptedError(
        in: container,
        debugDescription:
          "a property list has no nil inside an array or a dictionary, and keeps the "
          + "text \"$null\" for one")
    }
    // Each reads its own kind alone, but that whole numbers are read as floating-point ones too.
    func object<T: Decodable>(_ type: T.Type) -> Any? { try? container.decode(type) }
    if let found = object(Bool.self) ?? object(String.self) ?? object(Date.self) ?? object(
      Data.self)
      ?? negativeZero(container) ?? object(Int.self) ?? object(UInt64.self) ?? object(Double.self)
    {
      self.object = found
      return
    }
    do {
      self.object = try container.decode([PropertyTree].self).map(\.object)
    } catch DecodingError.typeMismatch {
      self.object = try container.decode([String: PropertyTree].self).mapValues(\.object)
    }
  }
}

/// -0.0, which would be read as the whole number 0; nil for everything else.
private func negativeZero(_ container: any SingleValueDecodingContainer) -> Any? {
  guard let number = try? container.decode(Double.self), number == 0, number.sign == .minus else {
    return nil
  }
  return number
}

/// A value of an optional type.
private protocol OptionalValue {
  var isNil: Bool { get }
}

extension Optional: OptionalValue {
  var isNil: Bool { self == nil }
}
