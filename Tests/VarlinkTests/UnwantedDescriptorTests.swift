import CLinux
import Foundation
import Locking
import TestSupport
import Testing

@testable import Varlink

/// Descriptors that the other end passes unasked, where the kernel does not refuse them.
@Suite struct UnwantedDescriptorTests {
  private let peer: GpsdFake

  init() throws {
    peer = try GpsdFake()
  }

  /// A TCP connection that is full and takes ten minutes to close.
  private func lingering() throws -> Descriptor {
    let descriptor = Descriptor(adopting: socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(peer.port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor.number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    try #require(result == 0)
    let piece = [UInt8](repeating: 0, count: 64 * 1024)
    while send(descriptor.number, piece, piece.count, Int32(MSG_DONTWAIT)) > 0 {}
    var option = linger(l_onoff: 1, l_linger: 600)
    let size = socklen_t(MemoryLayout<linger>.size)
    try #require(setsockopt(descriptor.number, SOL_SOCKET, SO_LINGER, &option, size) == 0)
    return descriptor
  }

  private func pair() throws -> (near: Int32, far: Int32) {
    var numbers: [Int32] = [-1, -1]
    try #require(clinux_socketpair(&numbers) == 0)
    return (numbers[0], numbers[1])
  }

  @Test(arguments: [false, true])
  func whatIsPassedAndSlowToCloseHoldsNobodyUp(isReading: Bool) throws {
    let (nearNumber, farNumber) = try pair()
    let near = try Socket(adopting: nearNumber)
    try withExtendedLifetime(lingering()) {
      try #require(try near.send([1].span, descriptors: [$0.number]) == .bytes(1))
    }
    let code = Guarded<Int32?>(nil)
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      do {
        var far = try Socket(adopting: farNumber)
        far.refuseDescriptors(askingKernel: false)
        var buffer = [UInt8](repeating: 0, count: 64)
        if isReading { _ = try far.receive(into: &buffer) }
      } catch {
        code.withValue { $0 = (error as? SocketError)?.code }
      }
      done.signal()
    }
    #expect(done.wait(timeout: .now() + 120) == .success)
    #expect(code.withValue { $0 } == (isReading ? EBADMSG : nil))
    #expect(try near.send([1].span) == .closed)
  }

  @Test func bytesAloneAreReadAsEver() throws {
    let (nearNumber, farNumber) = try pair()
    let near = try Socket(adopting: nearNumber)
    var far = try Socket(adopting: farNumber)
    far.refuseDescriptors(askingKernel: false)
    var buffer = [UInt8](repeating: 0, count: 4)
    #expect(try far.receive(into: &buffer) == .wouldBlock)
    #expect(try near.send([1, 2, 3].span) == .bytes(3))
    #expect(try near.send([4, 5].span) == .bytes(2))
    #expect(try far.receive(into: &buffer) == .bytes(4))
    #expect(buffer == [1, 2, 3, 4])
    #expect(try far.receive(into: &buffer) == .bytes(1))
    #expect(buffer[0] == 5)
    try near.endOutput()
    #expect(try far.receive(into: &buffer) == .end)
  }
}
