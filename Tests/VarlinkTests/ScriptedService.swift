import CLinux
import Foundation
import TestSupport

@testable import Varlink

/// A service whose every byte a test decides: the script runs once for each connection, one after
/// the other, on a thread of its own.
final class ScriptedService: Sendable {
  /// What a script waits for at most, in milliseconds.
  static let deadline: Int32 = 100_000

  let address: String
  private let folder: TemporaryFolder

  init(
    connections: Int = 1, _ script: @escaping @Sendable (inout ScriptedPeer) throws -> Void
  ) throws {
    folder = try TemporaryFolder()
    let path = folder.path + "/socket"
    address = "unix:" + path
    let listener = try Socket.listen(at: path, mode: 0o600)
    let handover = Handover(listener)
    Thread.detachNewThread { [folder] in
      defer { withExtendedLifetime(folder) {} }
      do {
        for _ in 0..<connections {
          guard try handover.listener.wait(for: .readable, milliseconds: Self.deadline),
            let socket = try handover.listener.accept()
          else { throw ScriptFailure("no client came") }
          var peer = ScriptedPeer(socket)
          try script(&peer)
        }
      } catch {
        // The test notices that its connection ends.
        print("scripted service: \(error)")
      }
    }
  }

  private final class Handover: Sendable {
    let listener: Socket
    init(_ listener: consuming Socket) { self.listener = listener }
  }
}

struct ScriptFailure: Error {
  let what: String
  init(_ what: String) { self.what = what }
}

/// The service's end of one connection.
struct ScriptedPeer: ~Copyable {
  let socket: Socket
  private var framer = MessageFramer(limit: 4 * 1024 * 1024)

  init(_ socket: consuming Socket) { self.socket = socket }

  /// The client's next message; nil at the end of its input.
  mutating func read() throws -> String? {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      if let message = try framer.next() { return String(decoding: message, as: UTF8.self) }
      guard try socket.wait(for: .readable, milliseconds: ScriptedService.deadline) else {
        throw ScriptFailure("nothing came from the client")
      }
      switch try socket.receive(into: &buffer) {
      case .bytes(let count): framer.append(buffer.span.extracting(0..<count))
      case .end: return nil
      case .wouldBlock: continue
      }
    }
  }

  /// Sends a text, a `|` in it standing for NUL.
  func write(_ text: String, descriptors: [Int32] = []) throws {
    let bytes = Array(text.utf8).map { $0 == UInt8(ascii: "|") ? 0 : $0 }
    guard try socket.send(bytes.span, descriptors: descriptors) == .bytes(bytes.count) else {
      throw ScriptFailure("the client takes nothing")
    }
  }

  /// Sends the same message until the client's socket is full; gives how often.
  func fill(with message: [UInt8]) throws -> Int {
    var count = 0
    while case .bytes = try socket.send(message.span) { count += 1 }
    return count
  }

  /// Waits until the client is gone.
  mutating func readToEnd() throws {
    while try read() != nil {}
  }
}

/// A channel for the bytes of one descriptor, to see who holds its writing end.
struct TestPipe {
  let reading: Descriptor
  let writing: Descriptor

  init() throws {
    let numbers = try socketPair()
    reading = Descriptor(adopting: numbers.0)
    writing = Descriptor(adopting: numbers.1)
  }

  /// What comes up to the end, which is when nobody holds the writing end any more; nil when
  /// somebody still does after the deadline.
  static func contents(of reading: Descriptor) -> String? {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 256)
    while true {
      var entries = [
        Socket.PollEntry(descriptor: reading.number, wantsInput: true, wantsOutput: false)
      ]
      let isReady = try? Socket.poll(&entries, milliseconds: ScriptedService.deadline)
      guard isReady == true else { return nil }
      let count = Glibc.read(reading.number, &buffer, buffer.count)
      guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
      bytes += buffer.prefix(count)
    }
  }
}

/// A socket that may be in a tuple, and in an expectation.
final class Connected: Sendable {
  let socket: Socket

  init(_ number: Int32) throws { socket = try Socket(adopting: number) }

  /// Another descriptor of the same socket.
  init(sharing other: borrowing Socket) throws {
    socket = try Socket(adopting: fcntl(other.descriptor, F_DUPFD_CLOEXEC, 0))
  }

  func send(_ bytes: [UInt8], descriptors: [Int32] = []) throws -> Socket.Sent {
    try socket.send(bytes.span, descriptors: descriptors)
  }
}

/// Two ends of one connection.
func connectedSockets() throws -> (Connected, Connected) {
  let numbers = try socketPair()
  return (try Connected(numbers.0), try Connected(numbers.1))
}

private func socketPair() throws -> (Int32, Int32) {
  var numbers: [Int32] = [-1, -1]
  guard clinux_socketpair(&numbers) == 0 else { throw ScriptFailure("no socket pair") }
  return (numbers[0], numbers[1])
}
