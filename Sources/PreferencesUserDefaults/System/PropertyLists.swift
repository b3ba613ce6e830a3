internal import Foundation

extension PropertyListSerialization {
  /// The objects of an encoded property list.
  ///
  /// As `Decodable` they would be taken apart in a time that grows with the third power of their levels.
  static func objects(_ encoded: Data) throws -> Any {
    try unsafe propertyList(from: encoded, options: [], format: nil)
  }
}
