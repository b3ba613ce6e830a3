internal import CLinux
internal import Locking

/// A running source's side of the line to the loop: it posts samples, and learns what is wanted.
public final class SourcePort<Raw: Sendable, Demand: Sendable & Equatable>: Sendable {
  /// Why `wait` returned.
  public enum Event: Sendable, Equatable {
    /// The descriptor has something to read, or has ended.
    case readable
    /// The deadline passed.
    case deadline
    /// The demand changed or the source is to stop: look at both.
    case control
  }

  private struct Control: Sendable {
    var demand: Demand
    var isStopping = false
    var hasEnded = false
  }

  private let queue: SourceQueue<Raw>
  private let generation: Int
  private let control: Guarded<Control>
  private let controlWake = Wake()

  init(queue: SourceQueue<Raw>, generation: Int, demand: Demand) {
    self.queue = queue
    self.generation = generation
    control = Guarded(Control(demand: demand))
  }

  // MARK: The source's side

  /// What is asked now.
  public var demand: Demand { control.withValue { $0.demand } }

  /// Whether the source is to return.
  public var isStopping: Bool { control.withValue { $0.isStopping } }

  /// Hands a sample to the loop; the oldest is lost when the loop is behind.
  public func post(sample raw: Raw) {
    queue.post(raw, isSample: true, generation: generation)
  }

  /// Hands a change of state to the loop; it is never lost.
  public func post(state raw: Raw) {
    queue.post(raw, isSample: false, generation: generation)
  }

  /// Waits until `descriptor` is readable, `deadline` passes, or the loop wants something.
  ///
  /// Without a descriptor or a deadline it waits for the others. The loop's wish comes first.
  public func wait(readable descriptor: Int32? = nil, until deadline: BootTime? = nil) -> Event {
    while true {
      // Nanoseconds, because a sensor at 1 kHz leaves no millisecond to round to.
      let left = deadline.map { max(0, $0 - BootTime.now()) } ?? -1
      let ready = clinux_wait_readable(controlWake.descriptor, descriptor ?? -1, left)
      if ready > 0 {
        guard ready & 1 != 0 else { return .readable }
        controlWake.clear()
        return .control
      }
      if ready == 0, let deadline, BootTime.now() >= deadline { return .deadline }
    }
  }

  // MARK: The loop's side

  func change(_ demand: Demand) {
    let changed = control.withValue { control in
      defer { control.demand = demand }
      return control.demand != demand
    }
    if changed { controlWake.signal() }
  }

  func stop() {
    control.withValue { $0.isStopping = true }
    controlWake.signal()
  }

  /// Whether the source's thread has returned.
  var hasEnded: Bool { control.withValue { $0.hasEnded } }

  func markEnded() {
    control.withValue { $0.hasEnded = true }
  }
}
