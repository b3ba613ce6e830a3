internal import CLinux
internal import Glibc

/// Tells when a store's file, or SQLite's journal beside it, was touched by anyone.
///
/// It watches the folder by inotify, so that a file that is made or replaced later is seen too; while
/// the folder is missing, the nearest one above it.
public final class FileWatch: Sendable {
  /// Becomes readable when something happened; then call `drain`. Closed with the watch.
  public let descriptor: Int32
  /// Written to once, to end the thread.
  private let stop: Int32
  private let path: String

  private static let events = UInt32(
    IN_MODIFY | IN_CLOSE_WRITE | IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE
      | IN_DELETE_SELF)

  /// Watches a file that need not be there.
  public init(path: String) throws(StoreError) {
    self.path = path
    descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    stop = clinux_eventfd()
    guard descriptor >= 0, stop >= 0 else {
      throw StoreError(attempt: "watch", path: path, errno: errno)
    }
    try watchFolder()
  }

  deinit {
    close(descriptor)
    close(stop)
  }

  /// Forgets what has happened so far, so that the descriptor waits for what comes next.
  public func drain() {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while unsafe read(descriptor, &buffer, buffer.count) > 0 {}
    // The folder may have been made, or replaced, since.
    try? watchFolder()
  }

  /// Calls `body` on a thread of its own after something happened, until `endThread`.
  public func startThread(_ body: @escaping @Sendable () -> Void) throws(StoreError) {
    let task = unsafe Unmanaged.passRetained(WatchTask(watch: self, body: body))
    var attributes = pthread_attr_t()
    unsafe pthread_attr_init(&attributes)
    defer { unsafe pthread_attr_destroy(&attributes) }
    unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    var thread = pthread_t()
    let code = unsafe pthread_create(&thread, &attributes, runWatchTask, task.toOpaque())
    guard code == 0 else {
      unsafe task.release()
      throw StoreError(attempt: "start a thread to watch", path: path, errno: code)
    }
  }

  /// Ends the thread; it may be in its last call of `body` still.
  public func endThread() {
    var one: UInt64 = 1
    unsafe _ = write(stop, &one, 8)
  }

  /// Waits until something happened; false when the thread is to end.
  fileprivate func wait() -> Bool {
    var waiting = [
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: stop, events: Int16(POLLIN), revents: 0),
    ]
    while unsafe poll(&waiting, 2, -1) < 0 && errno == EINTR {}
    return waiting[1].revents == 0
  }

  /// Watches the folder, and where the name is a link that of the file as well: again after each look, as
  /// they may be made or changed meanwhile.
  private func watchFolder() throws(StoreError) {
    try watchFolder(of: path)
    if let file = StoreFile.target(of: path) { try watchFolder(of: file) }
  }

  /// Watches a file's folder, or the nearest above it.
  private func watchFolder(of path: String) throws(StoreError) {
    var folder = StoreFile.folder(of: path)
    var events = Self.events
    while unsafe inotify_add_watch(descriptor, folder, events) < 0 {
      let failure = StoreError(attempt: "watch", path: folder, errno: errno)
      let above = StoreFile.folder(of: folder)
      guard failure.kind == .missing, above != folder else { throw failure }
      folder = above
      // One event there is enough to come back here, and others' business there is not ours.
      events = Self.events | UInt32(truncatingIfNeeded: IN_ONESHOT)
    }
  }
}

private final class WatchTask: Sendable {
  let watch: FileWatch
  let body: @Sendable () -> Void

  init(watch: FileWatch, body: @escaping @Sendable () -> Void) {
    self.watch = watch
    self.body = body
  }
}

private func runWatchTask(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context = unsafe context else { return nil }
  let task = unsafe Unmanaged<WatchTask>.fromOpaque(context).takeRetainedValue()
  unsafe clinux_name_thread("file-watch")
  while task.watch.wait() {
    task.watch.drain()
    task.body()
  }
  return nil
}
