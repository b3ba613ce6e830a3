internal import Glibc

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
      var polls = [pollfd(fd: controlWake.descriptor, events: Int16(POLLIN), revents: 0)]
      if let descriptor {
        polls.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
      }
      var timeout: Int32 = -1
      if let deadline {
        let left = max(0, deadline - BootTime.now())
        let milliseconds = (left + Nanoseconds.millisecond - 1) / Nanoseconds.millisecond
        timeout = Int32(clamping: milliseconds)
      }
      let count = unsafe poll(&polls, nfds_t(polls.count), timeout)
      if count > 0 {
        if polls[0].revents != 0 {
          controlWake.clear()
          return .control
        }
        return .readable
      }
      if count == 0, let deadline, BootTime.now() >= deadline { return .deadline }
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
