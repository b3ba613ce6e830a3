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
      let encoded = try encoder.encode([value])
      // Foundation does not take apart again what has more than some 500 levels.
      guard let list = try? PropertyListSerialization.objects(encoded) else { throw NotKept.levels }
      guard let object = (list as? [Any])?.first else { return nil }
      // The file is a dictionary too, and the key may come to be alone in it.
      try refuseIdentifier(object, under: key)
      return try kept(object, level: 0)
    } catch let error as NotKept {
      throw .unencodable(key: key, reason: error.reason)
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

/// Why a property list cannot be kept.
private struct NotKept: Error {
  let reason: String

  static let null = NotKept(
    reason: "a property list has no nil inside an array or a dictionary, and keeps the text "
      + "\"$null\" for one")
  static let identifier = NotKept(
    reason:
      "a property list takes a number that is alone under the key \"CF$UID\" for something else")

  static let levels = NotKept(
    reason: "a property list has at most \(mostLevels) arrays and dictionaries inside each other")

  /// `UserDefaults` takes 0.2 s to set as many on Linux, and a time that grows with their third power.
  static let mostLevels = 64

  static func date(_ seconds: Double) -> NotKept {
    NotKept(reason: "a date is within 1e16 s of 2001, and this one is \(seconds) s from it")
  }
}

/// A property list with what its file keeps of it.
///
/// What the file would have as something else is refused, and also what would make the file unreadable,
/// with all that is in it.
private func kept(_ object: Any, level: Int) throws -> Any {
  func inner(_ object: Any) throws -> Any { try kept(object, level: level + 1) }
  guard level <= NotKept.mostLevels else { throw NotKept.levels }
  switch object {
  case let text as String where text == "$null":
    throw NotKept.null
  case let number as Double where number == 0:
    return 0
  case let date as Date:
    let seconds = date.timeIntervalSinceReferenceDate.rounded(.down)
    guard seconds.magnitude <= 1e16 else { throw NotKept.date(seconds) }
    return Date(timeIntervalSinceReferenceDate: seconds)
  case let array as [Any]:
    return try array.map(inner)
  case let dictionary as [String: Any]:
    if dictionary.keys.contains("$null") { throw NotKept.null }
    if dictionary.count == 1 { try dictionary.forEach { try refuseIdentifier($1, under: $0) } }
    return try dictionary.mapValues(inner)
  default:
    return object
  }
}

/// Refuses what would be read as a keyed archive's identifier.
private func refuseIdentifier(_ object: Any, under key: String) throws {
  // A Bool is one to Swift, and none in the file.
  let isNumber = object is NSNumber && type(of: object) != Bool.self
  if key == "CF$UID" && isNumber { throw NotKept.identifier }
}

/// A value of an optional type.
private protocol OptionalValue {
  var isNil: Bool { get }
}

extension Optional: OptionalValue {
  var isNil: Bool { self == nil }
}
