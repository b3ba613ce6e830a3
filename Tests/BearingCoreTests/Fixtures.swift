import Foundation

/// The recorded inputs beside the tests.
enum Fixtures {
  /// The folder that holds them.
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Fixtures").path
}
