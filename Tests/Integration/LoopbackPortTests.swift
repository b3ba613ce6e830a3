import TestSupport
import Testing

@Suite struct LoopbackPortTests {
  @Test func noPortIsGivenTwice() throws {
    let first = Int.random(in: LoopbackPort.range.dropLast(16))
    let ports = try (0..<12).map { _ in try LoopbackPort.unused(in: first..<first + 16) }
    #expect(Set(ports).count == ports.count, "\(ports)")
  }
}
