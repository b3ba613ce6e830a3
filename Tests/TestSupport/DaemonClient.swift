import Foundation
import Glibc
public import Varlink

/// A client that shows everything of the wire, and checks each reply against its description.
public final class DaemonClient {
  /// What can go wrong with the daemon or the wire, as a test sees it.
  public enum Failure: Error, Sendable {
    /// Nothing came in time.
    case timedOut
    /// The connection ended where a reply was due.
    case ended
    /// A reply does not fit its description, or is no reply.
    case invalidReply(String)
    /// There is no connection.
    case notConnected(Int32)
  }

  /// One reply.
  public struct Message: Sendable {
    /// The whole of it.
    public let json: JSON
    /// Its bytes, the NUL not counted.
    public let size: Int
    /// Its parameters.
    public var parameters: JSON { json["parameters"] ?? [:] }
    /// The full name of its error.
    public var error: String? { json["error"]?.string }
    /// Whether another one follows.
    public var continues: Bool { json["continues"]?.bool ?? false }
  }

  private let socket: Socket
  private var framer = MessageFramer(limit: 16 << 20)
  private var buffer = [UInt8](repeating: 0, count: 64 * 1024)
  private var awaited: [String] = []
  /// All that came along with replies.
  public private(set) var descriptors: [Descriptor] = []

  /// Takes over a connection.
  public init(_ socket: consuming Socket) {
    self.socket = socket
  }

  /// Connects, and waits while the daemon's queue of connections is full.
  public convenience init(_ path: String) throws {
    let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard withUnixAddress(path, { connect(descriptor, $0, $1) }) == 0 else {
      let code = errno
      Glibc.close(descriptor)
      throw Failure.notConnected(code)
    }
    self.init(try Socket(adopting: descriptor))
  }

  /// To poll, and to set options of.
  public var descriptor: Int32 { socket.descriptor }

  // MARK: Out

  /// Sends a call, with descriptors on its first byte.
  public func send(
    _ method: String, _ parameters: JSON = [:], more: Bool = false, oneway: Bool = false,
    descriptors: [Int32] = []
  ) throws {
    try send(
      Self.encode(method, parameters, more: more, oneway: oneway), descriptors: descriptors)
    if !oneway { awaited.append(method) }
  }

  /// A call's bytes.
  public static func encode(
    _ method: String, _ parameters: JSON = [:], more: Bool = false, oneway: Bool = false
  ) -> [UInt8] {
    var call: [String: JSON] = ["method": .string(method), "parameters": parameters]
    if more { call["more"] = true }
    if oneway { call["oneway"] = true }
    return Array("\(JSON.object(call))".utf8) + [0]
  }

  /// Sends bytes as they are; throws `ended` when the daemon takes no more.
  public func send(_ bytes: [UInt8], descriptors: [Int32] = []) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      switch try socket.send(rest.span, descriptors: rest.count == bytes.count ? descriptors : []) {
      case .bytes(let count): rest.removeFirst(count)
      case .closed: throw Failure.ended
      case .wouldBlock:
        guard try socket.wait(for: .writable, milliseconds: Self.milliseconds) else {
          throw Failure.timedOut
        }
      }
    }
  }

  /// Says that no more calls come.
  public func endOutput() throws { try socket.endOutput() }

  /// Ends the connection.
  public func close() { socket.end() }

  // MARK: In

  /// Calls a method and gives its one reply.
  public func call(_ method: String, _ parameters: JSON = [:]) throws -> Message {
    try send(method, parameters)
    return try next()
  }

  /// Opens a stream and gives its first reply.
  public func open(_ method: String, _ parameters: JSON = [:]) throws -> Message {
    try send(method, parameters, more: true)
    return try next()
  }

  /// The next reply; throws `ended` at the connection's end.
  public func next() throws -> Message {
    guard let message = try nextOrEnd() else { throw Failure.ended }
    return message
  }

  /// The replies up to the connection's end.
  public func rest() throws -> [Message] {
    var messages: [Message] = []
    while let message = try nextOrEnd() { messages.append(message) }
    return messages
  }

  /// The next reply that `isWanted`.
  public func next(where isWanted: (Message) -> Bool) throws -> Message {
    let deadline = Date() + DaemonProcess.patience
    while Date() < deadline {
      let message = try next()
      if isWanted(message) { return message }
    }
    throw Failure.timedOut
  }

  /// The next reply; nil at the connection's end.
  public func nextOrEnd() throws -> Message? {
    while true {
      if let message = try takeBuffered() { return message }
      switch try receive() {
      case .bytes(let count): framer.append(buffer.span.extracting(first: count))
      case .end:
        if framer.hasPartial { throw Failure.invalidReply("the last message is cut") }
        return nil
      case .wouldBlock:
        guard try socket.wait(for: .readable, milliseconds: Self.milliseconds) else {
          throw Failure.timedOut
        }
      }
    }
  }

  /// A reply that has come; nil when there is none yet.
  public func nextIfThere() throws -> Message? {
    while true {
      if let message = try takeBuffered() { return message }
      guard case .bytes(let count) = try receive() else { return nil }
      framer.append(buffer.span.extracting(first: count))
    }
  }

  private static var milliseconds: Int32 { Int32(DaemonProcess.patience * 1000) }

  private func receive() throws -> Socket.Received {
    try socket.receive(into: &buffer, descriptors: &descriptors)
  }

  private func takeBuffered() throws -> Message? {
    guard let bytes = try framer.next() else { return nil }
    guard let json = try? JSON(parsing: bytes), json.object != nil else {
      throw Failure.invalidReply(String(decoding: bytes, as: UTF8.self))
    }
    let message = Message(json: json, size: bytes.count)
    // What was sent as bytes is not known here, and its answer is the test's to check.
    if let method = awaited.first {
      if let fault = DaemonInterfaces.fault(of: message, to: method) {
        throw Failure.invalidReply("\(fault) in the reply to \(method): \(json)")
      }
      if !message.continues { awaited.removeFirst() }
    }
    return message
  }
}
