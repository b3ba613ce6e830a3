/// Hears of sensors that come and go, from when somebody listens until nobody does.
final class SensorWatch {
  private let changes: SensorChanges
  private let loop: EventLoop
  private let changed: (DeviceMonitor.Change) -> Void
  private var monitor: DeviceMonitor?
  /// Sensors that were said to be gone: they may still show for a moment.
  private(set) var removed: Set<String> = []

  /// A watch that does not listen yet; `changed` is called on the loop with what it hears.
  init(
    _ changes: SensorChanges, loop: EventLoop, changed: @escaping (DeviceMonitor.Change) -> Void
  ) {
    self.changes = changes
    self.loop = loop
    self.changed = changed
  }

  /// Whether who waits for a sensor has to look again and again.
  var mustLook: Bool {
    switch changes {
    case .never: false
    case .told: monitor == nil || !DeviceMonitor.isServed
    case .seen: true
    }
  }

  /// Listens from now on. To be called before the look whose result is to be kept up to date.
  func start() {
    guard monitor == nil, case .told(let kind) = changes else { return }
    // Where a sandbox or container forbids it, looking again has to do.
    monitor = try? DeviceMonitor(loop: loop, kind: kind) { [unowned self] in hear($0) }
  }

  /// Listens no more.
  func stop() {
    monitor = nil
    removed = []
  }

  private func hear(_ change: DeviceMonitor.Change) {
    switch change {
    case .present(let name): removed.remove(name)
    case .removed(let name): removed.insert(name)
    }
    changed(change)
  }
}
