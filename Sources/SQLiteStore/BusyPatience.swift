internal import Glibc

/// How long a connection waits while others hold its file.
///
/// It waits no longer for a file that has lost its name to another: those who wait for it while it is
/// replaced would find the journal of the new one beside it, and take it for their file's own.
final class BusyPatience: Sendable {
  /// How long to wait before trying again, in milliseconds.
  ///
  /// SQLite's own handler waits up to 100 ms, which is so long that writers in a loop can keep another
  /// one out for more than 10 s.
  private static let step: Int32 = 1

  private let path: String
  private let tries: Int32
  private let identity: FileIdentity?

  /// Patience with the file that has the name now, if there is one.
  init(path: String, timeout: Int32) {
    self.path = path
    tries = timeout / Self.step
    identity = Self.identity(of: path)
  }

  /// Waits a step; false when it is not worth it, or was not.
  fileprivate func wait(_ count: Int32) -> Bool {
    guard count < tries else { return false }
    _ = poll(nil, 0, Self.step)
    return identity == nil || Self.identity(of: path) == identity
  }

  private static func identity(of path: String) -> FileIdentity? {
    (try? StoreFile.status(of: path))?.identity
  }
}

/// Called by SQLite each time it found the file locked, with the times before; 0 gives up.
func waitWhileBusy(_ context: UnsafeMutableRawPointer?, _ count: Int32) -> Int32 {
  guard let context = unsafe context else { return 0 }
  let patience = unsafe Unmanaged<BusyPatience>.fromOpaque(context).takeUnretainedValue()
  return patience.wait(count) ? 1 : 0
}
