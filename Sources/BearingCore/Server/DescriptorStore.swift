/// What systemd is asked to keep for the next process, told to it now and then and without ever
/// waiting for it: clients come and go faster than it has to know, and when it is behind, streams go
/// on all the same.
final class DescriptorStore {
  /// How long systemd may not know of a wish. What was wished and taken back in between it is never
  /// told, so that nobody can keep it busy by opening and closing streams.
  private static let pause = 250 * Nanoseconds.millisecond

  private var wishes: [(name: String, descriptor: Int32)] = []
  private var forgotten: [String] = []
  private var timer: LoopTimer?

  /// A store in which nothing is wished for.
  init(loop: EventLoop) throws(SystemError) {
    timer = try loop.timer { [unowned self] in tell() }
  }

  /// Has a descriptor kept, which stays open until `forget` of that name.
  func keep(_ descriptor: Int32, as name: String) {
    wishes.append((name, descriptor))
    tellSoon()
  }

  /// Has the descriptor of that name kept no more.
  func forget(_ name: String) {
    if let index = wishes.firstIndex(where: { $0.name == name }) {
      wishes.remove(at: index)
    } else {
      forgotten.append(name)
      tellSoon()
    }
  }

  /// Tells what there is to tell, as far as systemd takes it.
  func tell() {
    while let name = forgotten.last {
      guard ServiceManager.offer("FDSTOREREMOVE=1\nFDNAME=\(name)") else { return tellSoon() }
      forgotten.removeLast()
    }
    while let (name, descriptor) = wishes.last {
      guard ServiceManager.offer("FDSTORE=1\nFDNAME=\(name)", descriptor: descriptor) else {
        return tellSoon()
      }
      wishes.removeLast()
    }
  }

  private func tellSoon() {
    guard let timer, timer.deadline == nil else { return }
    timer.arm(at: .now() + Self.pause)
  }
}
