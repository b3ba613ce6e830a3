internal import CLinux
internal import CSystemd
internal import Glibc

/// The one loop: sd-event, with what the daemon uses of it.
///
/// It belongs to the thread that runs it, and so does all that its handlers touch.
@safe public final class EventLoop {
  let event: OpaquePointer
  private var signals: [SignalWatch] = []
  fileprivate let suspend: SuspendWatch

  /// A new loop, whose watchdog is fed as systemd asks for it. `asleep` tells how many nanoseconds
  /// the machine has been suspended since boot.
  public init(asleep: @escaping () -> Int64 = BootTime.asleep) throws(SystemError) {
    suspend = SuspendWatch(asleep: asleep)
    var event: OpaquePointer?
    let result = unsafe sd_event_new(&event)
    guard result >= 0, let event = unsafe event else {
      throw SystemError("make an event loop", code: result)
    }
    unsafe self.event = event
    _ = unsafe sd_event_set_watchdog(event, 1)
  }

  deinit {
    unsafe sd_event_unref(event)
  }

  /// Runs until `exit`.
  public func run() throws(SystemError) {
    let result = unsafe sd_event_loop(event)
    guard result >= 0 else { throw SystemError("run the event loop", code: result) }
  }

  /// Makes `run` return after the handler that runs now.
  public func exit() {
    _ = unsafe sd_event_exit(event, 0)
  }

  /// Calls `handler` with what happened on `descriptor` each time one of `interest` does.
  public func watch(
    _ descriptor: Int32, for interest: Interest, _ handler: @escaping (Interest) -> Void
  ) throws(SystemError) -> Watch {
    try Watch(loop: self, descriptor: descriptor, interest: interest, handler: handler)
  }

  /// A timer that is not armed yet.
  public func timer(_ handler: @escaping () -> Void) throws(SystemError) -> LoopTimer {
    try LoopTimer(loop: self, handler: handler)
  }

  /// Calls `handler` for each `signal`, which must be blocked in every thread.
  public func onSignal(_ signal: Int32, _ handler: @escaping () -> Void) throws(SystemError) {
    signals.append(try SignalWatch(loop: self, signal: signal, handler: handler))
  }

  /// Calls `observer` with the nanoseconds that a suspend of the machine took, after each of a second
  /// or more and before any timer that fell due in it.
  public func onResume(_ observer: @escaping (Int64) -> Void) { suspend.onResume(observer) }

  /// What can happen on a descriptor.
  public struct Interest: OptionSet, Sendable {
    /// epoll's bits.
    public let rawValue: UInt32
    /// From epoll's bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    /// There is something to read, or the end.
    public static let readable = Interest(rawValue: 0x001)
    /// There is room to write.
    public static let writable = Interest(rawValue: 0x004)
    /// An error; always reported.
    public static let failed = Interest(rawValue: 0x008)
    /// The peer is gone in both directions; always reported.
    public static let hungUp = Interest(rawValue: 0x010)
  }
}

/// A descriptor that is being watched, until this object is gone or `cancel` is called.
@safe public final class Watch {
  private var source: OpaquePointer?
  private let handler: (EventLoop.Interest) -> Void

  fileprivate init(
    loop: EventLoop, descriptor: Int32, interest: EventLoop.Interest,
    handler: @escaping (EventLoop.Interest) -> Void
  ) throws(SystemError) {
    self.handler = handler
    let result = unsafe sd_event_add_io(
      loop.event, &source, descriptor, interest.rawValue, dispatchWatch,
      Unmanaged.passUnretained(self).toOpaque())
    guard result >= 0 else { throw SystemError("watch descriptor \(descriptor)", code: result) }
  }

  deinit { cancel() }

  /// Watches for something else from now on.
  public func change(_ interest: EventLoop.Interest) {
    if let source = unsafe source {
      _ = unsafe sd_event_source_set_io_events(source, interest.rawValue)
    }
  }

  /// Ends it; the handler is never called again.
  public func cancel() {
    unsafe sd_event_source_disable_unref(source)
    unsafe source = nil
  }

  fileprivate func dispatch(_ happened: UInt32) {
    handler(EventLoop.Interest(rawValue: happened))
  }
}

/// A timer on CLOCK_BOOTTIME that fires once for each time it is armed.
@safe public final class LoopTimer {
  /// The kernel may be late by as much, to wake once for several timers.
  private static let accuracyMicroseconds: UInt64 = 1_000

  private var source: OpaquePointer?
  private let handler: () -> Void
  private let suspend: SuspendWatch
  /// When it will fire; nil while it is not armed.
  public private(set) var deadline: BootTime?

  fileprivate init(loop: EventLoop, handler: @escaping () -> Void) throws(SystemError) {
    self.handler = handler
    suspend = loop.suspend
    let result = unsafe sd_event_add_time(
      loop.event, &source, CLOCK_BOOTTIME, UInt64.max, Self.accuracyMicroseconds, dispatchTimer,
      Unmanaged.passUnretained(self).toOpaque())
    guard result >= 0 else { throw SystemError("make a timer", code: result) }
    _ = unsafe sd_event_source_set_enabled(source, Int32(SD_EVENT_OFF))
  }

  deinit { unsafe sd_event_source_disable_unref(source) }

  /// Fires at `deadline`, or not at all when it is nil.
  public func arm(at deadline: BootTime?) {
    guard deadline != self.deadline else { return }
    self.deadline = deadline
    if let deadline {
      let microseconds = UInt64(max(0, (deadline.nanoseconds + 999) / Nanoseconds.microsecond))
      _ = unsafe sd_event_source_set_time(source, microseconds)
      _ = unsafe sd_event_source_set_enabled(source, Int32(SD_EVENT_ONESHOT))
    } else {
      _ = unsafe sd_event_source_set_enabled(source, Int32(SD_EVENT_OFF))
    }
  }

  fileprivate func dispatch() {
    deadline = nil
    suspend.look()
    handler()
  }
}

/// A signal that is being watched for.
@safe private final class SignalWatch {
  private var source: OpaquePointer?
  private let handler: () -> Void

  init(loop: EventLoop, signal: Int32, handler: @escaping () -> Void) throws(SystemError) {
    self.handler = handler
    let result = unsafe sd_event_add_signal(
      loop.event, &source, signal, dispatchSignal, Unmanaged.passUnretained(self).toOpaque())
    guard result >= 0 else { throw SystemError("watch for signal \(signal)", code: result) }
  }

  deinit { unsafe sd_event_source_disable_unref(source) }

  func dispatch() { handler() }
}

private func dispatchWatch(
  _ source: OpaquePointer?, _ descriptor: Int32, _ happened: UInt32,
  _ context: UnsafeMutableRawPointer?
) -> Int32 {
  guard let context = unsafe context else { return 0 }
  unsafe Unmanaged<Watch>.fromOpaque(context).takeUnretainedValue().dispatch(happened)
  return 0
}

private func dispatchTimer(
  _ source: OpaquePointer?, _ microseconds: UInt64, _ context: UnsafeMutableRawPointer?
) -> Int32 {
  guard let context = unsafe context else { return 0 }
  unsafe Unmanaged<LoopTimer>.fromOpaque(context).takeUnretainedValue().dispatch()
  return 0
}

private func dispatchSignal(
  _ source: OpaquePointer?, _ information: UnsafePointer<signalfd_siginfo>?,
  _ context: UnsafeMutableRawPointer?
) -> Int32 {
  guard let context = unsafe context else { return 0 }
  unsafe Unmanaged<SignalWatch>.fromOpaque(context).takeUnretainedValue().dispatch()
  return 0
}
