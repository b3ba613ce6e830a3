import Foundation
import TestSupport
import Testing

@testable import BearingCore

@Suite struct SingletonRaceTests {
  /// Whether this build, and so the program that races, has the thread sanitizer.
  private static let hasThreadSanitizer = dlsym(nil, "__tsan_init") != nil

  @Test func sixtyFourThreadsAreGivenOneInstanceThatIsMadeOnceAtItsFirstUse() throws {
    let run = try ProgramRun.run(ProgramRun.path(of: "singleton-race"), [], within: 60)
    #expect(run.status == 0, "\(run.errors)")
    // Two constructions between the two names, which count as one each.
    #expect(
      run.output == """
        before NSThread#1
        location 1
        acceleration 1
        after NSThread#4

        """
        || run.output == """
          before Thread#1
          location 1
          acceleration 1
          after Thread#4

          """
    )
    #expect(!run.errors.contains("ThreadSanitizer"))
  }

  @Test func theThreadSanitizerSeesASingletonWithoutALock() throws {
    guard Self.hasThreadSanitizer else {
      print("skipped: this build is without the thread sanitizer (make check-thread has it)")
      return
    }
    let run = try ProgramRun.run(ProgramRun.path(of: "singleton-race"), ["broken"], within: 60)
    #expect(run.errors.contains("WARNING: ThreadSanitizer: data race"))
  }

  @Test func whatADeviceRunsOnIsDecidedOnce() throws {
    let slot = SourceSlot<Int> { 1 }
    try slot.fill(2)
    #expect(throws: SourceSlot<Int>.AlreadyDecided()) { try slot.fill(3) }
    #expect(slot.use() == 2)
    #expect(throws: SourceSlot<Int>.AlreadyDecided()) { try slot.fill(4) }
  }

  @Test func whatADeviceRunsOnIsTheStandardOnceItIsUsed() {
    let slot = SourceSlot<Int> { 1 }
    #expect(slot.use() == 1)
    #expect(throws: SourceSlot<Int>.AlreadyDecided()) { try slot.fill(2) }
  }

  @Test func ofManyWhoDecideAtOnceOneDoes() async {
    let slot = SourceSlot<Int> { 0 }
    let winners = await withTaskGroup(of: Int?.self) { group in
      for number in 1...64 {
        group.addTask { (try? slot.fill(number)) == nil ? nil : number }
      }
      var winners: [Int] = []
      for await winner in group { winners += [winner].compactMap(\.self) }
      return winners
    }
    #expect(winners.count == 1)
    #expect(winners == [slot.use()])
  }
}
