// The only file of this library with unsafe code: everything between Swift and the system calls.
internal import CLinux
internal import Glibc

/// A file descriptor that is closed when nobody holds it any more.
public final class Descriptor: Sendable {
  /// Valid as long as this object lives.
  public let number: Int32

  /// Takes the descriptor over.
  public init(adopting number: Int32) {
    self.number = number
  }

  deinit {
    Glibc.close(number)
  }
}

/// A Unix stream socket, never blocking, closed at the end of its life.
public struct Socket: ~Copyable, Sendable {
  /// Who is at the other end, as of the moment of connecting.
  public struct Credentials: Sendable, Equatable {
    /// As this process sees it; 0 for one outside its PID namespace.
    public let processID: Int32
    /// 65534 for a user that does not exist in this process' user namespace.
    public let userID: UInt32
    /// The effective group; supplementary ones are in `peerGroups`.
    public let groupID: UInt32
  }

  /// What one read brought.
  public enum Received: Sendable, Equatable {
    /// That many bytes, at the start of the buffer.
    case bytes(Int)
    case wouldBlock
    /// The other end sends no more, or is gone.
    case end
  }

  /// What became of one send.
  public enum Sent: Sendable, Equatable {
    /// That many bytes, counted over all parts. Fewer than given only for more than
    /// `atomicSendLimit` bytes.
    case bytes(Int)
    case wouldBlock
    /// The other end is gone.
    case closed
  }

  /// Which of the two `wait` waits for.
  public enum Readiness: Sendable {
    case readable
    case writable
  }

  /// Valid as long as this socket lives; for event loops.
  public let descriptor: Int32
  /// Whether descriptors are refused that the kernel lets through.
  private var refusesByItself = false

  /// Takes over a descriptor, such as one passed by systemd, and makes it non-blocking.
  public init(adopting descriptor: Int32) throws(SocketError) {
    self.descriptor = descriptor
    try check(clinux_set_nonblocking(descriptor, true), "use descriptor \(descriptor)")
  }

  private init(owned descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit {
    if refusesByItself {
      clinux_close_unread(descriptor)
    } else {
      Glibc.close(descriptor)
    }
  }
}

// MARK: Making connections

extension Socket {
  /// A listening socket at a path; `@name` is in the abstract namespace.
  ///
  /// A path has 107 bytes at most. `mode` is the socket file's permissions: write permission is
  /// what lets a user connect. `replacing` removes a socket that is there already, and is only for
  /// who knows that nobody is behind it. `backlog` connections may wait to be accepted.
  public static func listen(
    at path: String, mode: UInt32, replacing: Bool = false, backlog: Int32 = 128
  ) throws(SocketError) -> Socket {
    let socket = try make()
    let attempt = "listen at \(path)"
    if replacing { unlink(path) }
    try check(unsafe clinux_bind_unix(socket.descriptor, path), attempt)
    if !path.hasPrefix("@") { try check(unsafe chmod(path, mode), attempt) }
    try check(Glibc.listen(socket.descriptor, backlog), attempt)
    return socket
  }

  /// Removes a socket from the file system; whatever else has the path stays.
  public static func unlink(_ path: String) {
    _ = unsafe clinux_unlink_socket(path)
  }

  /// A connection to who listens at a path; `@name` is in the abstract namespace.
  public static func connect(to path: String) throws(SocketError) -> Socket {
    let socket = try make()
    try check(unsafe clinux_connect_unix(socket.descriptor, path), "connect to \(path)")
    return socket
  }

  /// The next connection that waits; nil when none does.
  public func accept() throws(SocketError) -> Socket? {
    while true {
      let accepted = clinux_accept(descriptor)
      if accepted >= 0 { return Socket(owned: accepted) }
      switch errno {
      case EINTR, ECONNABORTED: continue
      case EAGAIN: return nil
      default: throw SocketError(attempt: "accept a connection", code: errno)
      }
    }
  }

  private static func make() throws(SocketError) -> Socket {
    Socket(owned: try check(clinux_socket_unix(), "make a socket"))
  }
}

// MARK: Reading and writing

extension Socket {
  /// Reads what is there into a buffer, as far as it goes. Descriptors that come along are closed;
  /// where they are refused, they are an error.
  public func receive(into buffer: inout [UInt8]) throws(SocketError) -> Received {
    if refusesByItself {
      return try Self.outcome(
        unsafe buffer.withUnsafeMutableBytes {
          unsafe clinux_receive_bytes(descriptor, $0.baseAddress, $0.count)
        })
    }
    var none: [Descriptor] = []
    return try receive(into: &buffer, descriptors: &none, limit: 0)
  }

  private static func outcome(_ received: Int) throws(SocketError) -> Received {
    if received > 0 { return .bytes(received) }
    if received == 0 { return .end }
    switch errno {
    case EAGAIN: return .wouldBlock
    case ECONNRESET: return .end
    default: throw SocketError(attempt: "read from the connection", code: errno)
    }
  }

  /// Reads what is there into a buffer, as far as it goes, and appends descriptors that come along.
  /// One read never goes past bytes that carry descriptors.
  ///
  /// The buffer keeps its size, which must not be 0. At most `limit` descriptors are taken, 16 at
  /// most; the others are closed.
  public func receive(
    into buffer: inout [UInt8], descriptors: inout [Descriptor], limit: Int = 16
  ) throws(SocketError) -> Received {
    var numbers = [Int32](repeating: -1, count: min(limit, Int(CLINUX_DESCRIPTORS_MAX)))
    var count = numbers.count
    let received = unsafe buffer.withUnsafeMutableBytes { bytes in
      unsafe numbers.withUnsafeMutableBufferPointer { numbers in
        unsafe clinux_receive(
          descriptor, bytes.baseAddress, bytes.count, numbers.baseAddress, &count)
      }
    }
    let outcome = try Self.outcome(received)
    descriptors += numbers.prefix(count).map(Descriptor.init(adopting:))
    return outcome
  }

  /// Sends up to three parts, one after the other, in one system call. Up to `atomicSendLimit`
  /// bytes are taken all or not at all.
  ///
  /// The descriptors, 16 at most, ride on the first byte.
  public func send(
    _ first: Span<UInt8>, _ second: Span<UInt8> = Span(), _ third: Span<UInt8> = Span(),
    descriptors: [Int32] = []
  ) throws(SocketError) -> Sent {
    let sent = unsafe first.withUnsafeBytes { first in
      unsafe second.withUnsafeBytes { second in
        unsafe third.withUnsafeBytes { third in
          unsafe clinux_send_parts(
            descriptor, first.baseAddress, first.count, second.baseAddress, second.count,
            third.baseAddress, third.count, descriptors, descriptors.count)
        }
      }
    }
    if sent >= 0 { return .bytes(sent) }
    switch errno {
    case EAGAIN: return .wouldBlock
    case EPIPE, ECONNRESET: return .closed
    default: throw SocketError(attempt: "write to the connection", code: errno)
    }
  }

  /// Blocks the thread until the socket is ready, also to report its end; false when the time,
  /// in milliseconds, was over first. No time is for ever.
  public func wait(
    for readiness: Readiness, milliseconds: Int32? = nil
  ) throws(SocketError) -> Bool {
    var entry = [
      PollEntry(
        descriptor: descriptor, wantsInput: readiness == .readable,
        wantsOutput: readiness == .writable)
    ]
    return try Socket.poll(&entry, milliseconds: milliseconds)
  }

  /// One of the descriptors that `poll` waits for.
  public struct PollEntry: Sendable {
    fileprivate var entry: pollfd

    /// With neither wish, only the end of the connection and errors make it ready.
    public init(descriptor: Int32, wantsInput: Bool, wantsOutput: Bool) {
      let events = (wantsInput ? POLLIN : 0) | (wantsOutput ? POLLOUT : 0)
      entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    }

    /// Whether it was ready when `poll` returned, also to report its end or an error.
    public var isReady: Bool { entry.revents != 0 }
  }

  /// Blocks the thread until one of the descriptors is ready; false when the time, in
  /// milliseconds, was over first. No time is for ever.
  public static func poll(
    _ entries: inout [PollEntry], milliseconds: Int32? = nil
  ) throws(SocketError) -> Bool {
    var raw = entries.map(\.entry)
    let ready = try check(
      unsafe clinux_poll(&raw, raw.count, milliseconds ?? -1), "wait for a connection")
    for index in raw.indices { entries[index].entry = raw[index] }
    return ready > 0
  }

  /// Another descriptor of the same socket, to wait on; nil when none is left.
  func duplicate() -> Descriptor? {
    let number = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    return number < 0 ? nil : Descriptor(adopting: number)
  }

  /// Says to the other end that no more comes; it can still send.
  public func endOutput() throws(SocketError) {
    try check(shutdown(descriptor, Int32(SHUT_WR)), "end the connection's output")
  }

  /// Ends both directions, and with them every wait for this socket.
  public func end() {
    _ = shutdown(descriptor, Int32(SHUT_RDWR))
  }
}

// MARK: What the socket is

extension Socket {
  /// The process that connected.
  public func peerCredentials() throws(SocketError) -> Credentials {
    var found = clinux_credentials()
    try check(
      unsafe clinux_peer_credentials(descriptor, &found), "ask who is at the other end")
    return Credentials(processID: found.pid, userID: found.uid, groupID: found.gid)
  }

  /// The supplementary groups of the process that connected, as they were then.
  public func peerGroups() throws(SocketError) -> [UInt32] {
    var groups = [UInt32](repeating: 0, count: 32)
    while true {
      var count = groups.count
      let result = unsafe clinux_peer_groups(descriptor, &groups, &count)
      if result == 0 { return Array(groups.prefix(count)) }
      guard errno == ERANGE, count > groups.count else {
        throw SocketError(attempt: "ask for the other end's groups", code: errno)
      }
      groups = [UInt32](repeating: 0, count: count)
    }
  }

  /// Sets how many bytes may wait in the kernel for the other end to read. The kernel doubles
  /// the number for its own bookkeeping, which counts too.
  public func setSendBuffer(bytes: Int32) throws(SocketError) {
    try check(clinux_set_send_buffer(descriptor, bytes), "set the send buffer to \(bytes) bytes")
  }

  /// The size that the kernel granted, its bookkeeping included.
  public func sendBufferSize() throws(SocketError) -> Int {
    Int(try check(clinux_send_buffer(descriptor), "ask for the send buffer's size"))
  }

  /// Bytes that one `send` takes all or not at all: half the granted size, less 64
  /// (`unix_stream_sendmsg` of Linux), and at most the 32 KiB of one kernel buffer.
  public func atomicSendLimit() throws(SocketError) -> Int {
    min(try sendBufferSize() / 2 - 64, 32 * 1024)
  }

  /// Takes no descriptors from the other end any more: it cannot send them.
  ///
  /// On kernels before 6.16, and without `askingKernel`, it can: `receive(into:)` throws then, and the
  /// socket's end waits for nobody, whatever it holds unread. To close what others pass may take as
  /// long as they like.
  public mutating func refuseDescriptors(askingKernel: Bool = true) {
    refusesByItself = !askingKernel || clinux_refuse_descriptors(descriptor) < 0
  }
}

extension SocketError {
  /// What the system calls an errno, such as `Connection refused`.
  static func name(of code: Int32) -> String {
    var text = [CChar](repeating: 0, count: 128)
    _ = unsafe strerror_r(code, &text, text.count)
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

/// Throws the errno of a call that gave a negative result.
@discardableResult
private func check(_ result: Int32, _ attempt: @autoclosure () -> String) throws(SocketError)
  -> Int32
{
  if result >= 0 { return result }
  let code = errno
  throw SocketError(attempt: attempt(), code: code)
}
