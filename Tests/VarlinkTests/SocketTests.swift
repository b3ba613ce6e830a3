import CLinux
import Foundation
import TestSupport
import Testing

@testable import Varlink

@Suite("Unix sockets")
struct SocketTests {
  @Test(arguments: [1, 200, 4096, 20_000, .max])
  func takeAMessageWithinTheLimitAllOrNotAtAll(size: Int) throws {
    let (near, far) = try connectedSockets()
    try near.socket.setSendBuffer(bytes: 32 * 1024)
    let limit = try near.socket.atomicSendLimit()
    #expect(limit == 32 * 1024 - 64)
    let message = [UInt8](repeating: 0x41, count: min(size, limit))
    var buffer = [UInt8](repeating: 0, count: 777)
    var (sent, received, refusals) = (0, 0, 0)
    while refusals < 50 {
      switch try near.send(message) {
      case .bytes(let count):
        #expect(count == message.count)
        sent += count
      case .wouldBlock:
        refusals += 1
        if case .bytes(let count) = try far.socket.receive(into: &buffer) { received += count }
      case .closed: Issue.record("the other end is open")
      }
    }
    while case .bytes(let count) = try far.socket.receive(into: &buffer) { received += count }
    #expect(sent == received)
    #expect(sent > 0)
  }

  @Test func sendThreePartsAsOne() throws {
    let (near, far) = try connectedSockets()
    let (one, none, two) = (Array("one ".utf8), [UInt8](), Array("two".utf8))
    let sent = try near.socket.send(one.span, none.span, two.span)
    #expect(sent == .bytes(7))
    var buffer = [UInt8](repeating: 0, count: 64)
    #expect(try far.socket.receive(into: &buffer) == .bytes(7))
    #expect(String(decoding: buffer.prefix(7), as: UTF8.self) == "one two")
    #expect(try far.socket.receive(into: &buffer) == .wouldBlock)
  }

  @Test func tellTheEndOfInputFromTheEndOfTheConnection() throws {
    let (near, far) = try connectedSockets()
    var buffer = [UInt8](repeating: 0, count: 64)
    try near.socket.endOutput()
    #expect(try far.socket.receive(into: &buffer) == .end)
    #expect(try far.send([1, 2]) == .bytes(2))
    #expect(try near.socket.receive(into: &buffer) == .bytes(2))
    far.socket.end()
    #expect(try near.send([1]) == .closed)
    #expect(try near.socket.receive(into: &buffer) == .end)
  }

  @Test func handOverDescriptorsWithTheFirstByte() throws {
    let (near, far) = try connectedSockets()
    let pipe = try TestPipe()
    #expect(try near.send([1]) == .bytes(1))
    #expect(try near.send([2, 3], descriptors: [pipe.reading.number]) == .bytes(2))
    #expect(try near.send([4]) == .bytes(1))
    var buffer = [UInt8](repeating: 0, count: 64)
    var descriptors: [Descriptor] = []
    // A read ends after the bytes that carry descriptors.
    #expect(try far.socket.receive(into: &buffer, descriptors: &descriptors) == .bytes(3))
    #expect(descriptors.count == 1)
    #expect(Glibc.write(pipe.writing.number, "hello", 5) == 5)
    var text = [UInt8](repeating: 0, count: 5)
    #expect(Glibc.read(descriptors[0].number, &text, 5) == 5)
    #expect(String(decoding: text, as: UTF8.self) == "hello")
    #expect(fcntl(descriptors[0].number, F_GETFD) == FD_CLOEXEC)
    #expect(try far.socket.receive(into: &buffer, descriptors: &descriptors) == .bytes(1))
    #expect(descriptors.count == 1)
  }

  @Test(arguments: [0, 1])
  func closeDescriptorsThatNobodyTakes(limit: Int) throws {
    let (near, far) = try connectedSockets()
    let (reading, kept) = try { () throws -> (Descriptor, [Descriptor]) in
      let pipe = try TestPipe()
      let writing = [Int32](repeating: pipe.writing.number, count: 3)
      #expect(try near.send([1], descriptors: writing) == .bytes(1))
      var buffer = [UInt8](repeating: 0, count: 64)
      var kept: [Descriptor] = []
      #expect(
        try far.socket.receive(into: &buffer, descriptors: &kept, limit: limit) == .bytes(1))
      return (pipe.reading, kept)
    }()
    #expect(kept.count == limit)
    for descriptor in kept { #expect(Glibc.write(descriptor.number, "x", 1) == 1) }
    // The end comes only if no other writing end is open; the kept one closes with its holder.
    let count = kept.count
    _ = consume kept
    #expect(TestPipe.contents(of: reading) == String(repeating: "x", count: count))
  }

  @Test func knowWhoIsAtTheOtherEnd() throws {
    let folder = try TemporaryFolder()
    let listener = try Socket.listen(at: folder.path + "/socket", mode: 0o600)
    let client = try Socket.connect(to: folder.path + "/socket")
    let server = try #require(try accepted(listener))
    for socket in [try Connected(sharing: client), server] {
      let credentials = try socket.socket.peerCredentials()
      #expect(credentials.processID == getpid())
      #expect(credentials.userID == getuid())
      #expect(credentials.groupID == getgid())
    }
    var groups = [gid_t](repeating: 0, count: 1024)
    let count = getgroups(Int32(groups.count), &groups)
    #expect(try server.socket.peerGroups().sorted() == groups.prefix(Int(count)).sorted())
  }

  private func accepted(_ listener: borrowing Socket) throws -> Connected? {
    guard let socket = try listener.accept() else { return nil }
    return try Connected(sharing: socket)
  }

  @Test(arguments: [0o600, 0o666] as [UInt32])
  func listenWithTheModeAskedFor(mode: UInt32) throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/socket"
    let listener = try Socket.listen(at: path, mode: mode)
    var status = stat()
    #expect(stat(path, &status) == 0)
    #expect(status.st_mode & 0o777 == mode)
    #expect(try accepted(listener) == nil)
  }

  @Test func replaceASocketOnlyWhenToldTo() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/socket"
    _ = try Socket.listen(at: path, mode: 0o600)
    let taken = #expect(throws: SocketError.self) { _ = try Socket.listen(at: path, mode: 0o600) }
    #expect(taken?.code == EADDRINUSE)
    #expect(
      taken?.description
        == "cannot listen at \(path): something has this path already (Address already in use)")
    let listener = try Socket.listen(at: path, mode: 0o600, replacing: true)
    _ = try Socket.connect(to: path)
    #expect(try accepted(listener) != nil)
  }

  @Test func leaveAFileThatIsNoSocketAlone() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("precious", to: "socket")
    let error = #expect(throws: SocketError.self) {
      _ = try Socket.listen(at: path, mode: 0o600, replacing: true)
    }
    #expect(error?.code == EADDRINUSE)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
  }

  @Test func sayThatNobodyListens() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/socket"
    let missing = #expect(throws: SocketError.self) { _ = try Socket.connect(to: path) }
    #expect(missing?.isNobodyListening == true)
    #expect(missing?.code == ENOENT)
    // As a listener leaves it that is gone; one of this process could live on for a moment, in a
    // child that another test starts just then.
    #expect(mknod(path, S_IFSOCK | 0o600, 0) == 0)
    let deserted = #expect(throws: SocketError.self) { _ = try Socket.connect(to: path) }
    #expect(deserted?.isNobodyListening == true)
    #expect(deserted?.code == ECONNREFUSED)
  }

  @Test func refuseAPathThatIsTooLong() {
    let path = "/" + String(repeating: "x", count: 107)
    let error = #expect(throws: SocketError.self) { _ = try Socket.connect(to: path) }
    #expect(error?.code == ENAMETOOLONG)
  }

  @Test func waitNoLongerThanTheyAreTold() throws {
    let (near, _) = try connectedSockets()
    #expect(try near.socket.wait(for: .writable, milliseconds: 0))
    let (quiet, other) = try connectedSockets()
    #expect(try !quiet.socket.wait(for: .readable, milliseconds: 1))
    _ = try other.send([1])
    #expect(try quiet.socket.wait(for: .readable))
  }
}
