import Foundation
import Glibc
import Testing

@testable import BearingCore

/// What runs a source while something is asked of it.
@Suite struct SourceRunnerTests {
  /// Posts what is asked, and again when that changes.
  private struct Echo: Source {
    var summary: String { "echo" }
    var isSimulated: Bool { true }

    func run(_ port: SourcePort<Int, Int>) {
      while !port.isStopping {
        port.post(state: port.demand)
        _ = port.wait()
      }
    }
  }

  /// A runner on a loop, of a system that refuses so many threads.
  private final class Rig {
    let loop: EventLoop
    var refusals = 0
    private(set) var posted: [Int] = []
    private(set) var runner: SourceRunner<Int, Int>?
    private var failsafe: LoopTimer?

    /// `take` is called after each post.
    init(_ take: @escaping (Rig) -> Void) throws {
      loop = try EventLoop()
      failsafe = try loop.timer { [unowned self] in loop.exit() }
      failsafe?.arm(at: .now() + Int64(SourceRig<Int, Int>.patience) * Nanoseconds.second)
      runner = try SourceRunner(
        loop: loop, name: "echo",
        startThread: { [unowned self] name, body throws(SystemError) in
          refusals -= 1
          guard refusals < 0 else { throw SystemError("start the thread \(name)", code: EAGAIN) }
          try PlainThread.start(name: name, body)
        }, make: { Echo() },
        receive: { [unowned self] values in
          posted += values
          take(self)
        }, ended: {})
    }
  }

  @Test("A thread that cannot be made is tried again until it can, with what is asked by then")
  func laterThread() throws {
    let rig = try Rig { $0.loop.exit() }
    rig.refusals = 3
    rig.runner?.want(1)
    #expect(rig.runner?.isRunning == true && rig.runner?.hasThread == false)
    rig.runner?.want(2)
    try rig.loop.run()
    #expect(rig.posted == [2] && rig.refusals == -1)
    rig.runner?.stop()
  }

  @Test("A source that is to begin anew does so also when there is no thread for it at first")
  func laterRestart() throws {
    let rig = try Rig { rig in
      guard rig.posted.count < 2 else { return rig.loop.exit() }
      rig.refusals = 1
      rig.runner?.restart()
    }
    rig.runner?.want(7)
    try rig.loop.run()
    #expect(rig.posted == [7, 7] && rig.refusals == -1)
    rig.runner?.stop()
  }
}
