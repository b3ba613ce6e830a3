internal import Foundation
internal import Preferences

/// How a value is written to `UserDefaults`: as the property list that plain code would write, with what
/// its file keeps of it.
///
/// On Linux the file is XML, where a date has whole seconds and 0 no sign. What is kept is the same from
/// the start, so that a value does not change when it is next read from the file.
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
    if let found = object(Bool.self) ?? object(String.self) ?? object(Data.self) ?? object(Int.self)
      ?? object(UInt64.self) ?? object(Double.self)
    {
      self.object = found
      return
    }
    if let date = try? container.decode(Date.self) {
      let seconds = date.timeIntervalSinceReferenceDate.rounded(.down)
      // The file would have another date for one further away, and could not be read with one that is
      // infinite or not a number, nor all that is in it.
      guard seconds.magnitude <= 1e16 else {
        throw DecodingError.dataCorruptedError(
          in: container,
          debugDescription: "a date is within 1e16 s of 2001, and this one is \(seconds) s from it")
      }
      self.object = Date(timeIntervalSinceReferenceDate: seconds)
      return
    }
    do {
      self.object = try container.decode([PropertyTree].self).map(\.object)
    } catch DecodingError.typeMismatch {
      self.object = try container.decode([String: PropertyTree].self).mapValues(\.object)
    }
  }
}

/// A value of an optional type.
private protocol OptionalValue {
  var isNil: Bool { get }
}

extension Optional: OptionalValue {
  var isNil: Bool { self == nil }
}
