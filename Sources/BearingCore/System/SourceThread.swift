internal import CLinux
internal import Glibc

/// Names the running thread for comparisons; never 0.
enum ThreadIdentity {
  static var current: UInt { UInt(pthread_self()) }
}

/// Plain threads that nobody joins.
enum PlainThread {
  /// Stack of a thread: sources keep nothing large on it.
  private static let stackBytes = 512 * 1024

  /// Runs `body` on a new thread of that name (15 bytes at most are shown).
  static func start(
    name: String, _ body: @escaping @Sendable () -> Void
  ) throws(SystemError) {
    let box = unsafe Unmanaged.passRetained(ThreadBody(name: name, run: body))
    var attributes = pthread_attr_t()
    unsafe pthread_attr_init(&attributes)
    defer { unsafe pthread_attr_destroy(&attributes) }
    unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    unsafe pthread_attr_setstacksize(&attributes, stackBytes)
    var thread = pthread_t()
    let result = unsafe pthread_create(&thread, &attributes, runThreadBody, box.toOpaque())
    guard result == 0 else {
      unsafe box.release()
      throw SystemError("start the thread \(name)", code: result)
    }
  }
}

private final class ThreadBody: Sendable {
  let name: String
  let run: @Sendable () -> Void

  init(name: String, run: @escaping @Sendable () -> Void) {
    self.name = name
    self.run = run
  }
}

private func runThreadBody(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context = unsafe context else { return nil }
  let body = unsafe Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue()
  unsafe clinux_name_thread(body.name)
  body.run()
  return nil
}
