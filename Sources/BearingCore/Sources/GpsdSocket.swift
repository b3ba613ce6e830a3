internal import CLinux
internal import Glibc

/// A TCP connection to gpsd that never blocks. Closed when it goes.
struct GpsdSocket: ~Copyable {
  /// What reading gave.
  enum Received: Equatable {
    case bytes(Int)
    case nothing
    /// The connection is over; the text says why.
    case end(String)
  }

  /// To poll.
  let descriptor: Int32

  /// Starts to connect; `isConnected` and `failure` say what became of it.
  init(_ address: Address) throws(SystemError) {
    let type = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
    descriptor = socket(address.family, Int32(type), 0)
    guard descriptor >= 0 else { throw SystemError("make a socket") }
    var on: Int32 = 1
    _ = unsafe setsockopt(
      descriptor, SOL_SOCKET, SO_KEEPALIVE, &on, socklen_t(MemoryLayout<Int32>.size))
    let result = unsafe address.bytes.withUnsafeBytes { raw in
      guard let base = raw.baseAddress else { return Int32(-1) }
      return unsafe connect(
        descriptor, base.assumingMemoryBound(to: sockaddr.self), socklen_t(raw.count))
    }
    guard result == 0 || errno == EINPROGRESS else { throw SystemError("connect") }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Whether the other end has taken the connection.
  var isConnected: Bool {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return unsafe withUnsafeMutableBytes(of: &storage) { raw in
      guard let base = raw.baseAddress else { return false }
      return unsafe getpeername(
        descriptor, base.assumingMemoryBound(to: sockaddr.self), &length) == 0
    }
  }

  /// Why connecting failed; nil while it has not.
  var failure: String? {
    let code = clinux_socket_error(descriptor)
    return code == 0 ? nil : SystemError.message(code)
  }

  /// Whether all of `text` was taken; a closed peer raises no signal.
  func send(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    let flags = Int32(MSG_NOSIGNAL | MSG_DONTWAIT)
    return unsafe Glibc.send(descriptor, bytes, bytes.count, flags) == bytes.count
  }

  /// Reads what is there.
  func receive(into buffer: inout [UInt8]) -> Received {
    let count = unsafe recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
    if count > 0 { return .bytes(count) }
    if count == 0 { return .end("it closed the connection") }
    return errno == EAGAIN || errno == EINTR ? .nothing : .end(SystemError.message(errno))
  }
}

extension GpsdSocket {
  /// One of the addresses that a host's name stands for.
  struct Address {
    fileprivate let family: Int32
    /// The sockaddr.
    fileprivate let bytes: [UInt8]

    /// Looks a name up; blocks as long as the system's resolver does, which for localhost and
    /// numbers is not at all. Empty when there is none.
    static func all(host: String, port: Int) -> [Address] {
      var hints = unsafe addrinfo()
      unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
      var first: UnsafeMutablePointer<addrinfo>?
      guard unsafe getaddrinfo(host, String(port), &hints, &first) == 0 else { return [] }
      defer { unsafe freeaddrinfo(first) }
      var addresses: [Address] = []
      var next = unsafe first
      while let info = unsafe next?.pointee {
        if let address = unsafe info.ai_addr {
          let raw = unsafe UnsafeRawBufferPointer(start: address, count: Int(info.ai_addrlen))
          unsafe addresses.append(Address(family: info.ai_family, bytes: Array(raw)))
        }
        unsafe next = unsafe info.ai_next
      }
      return addresses
    }
  }
}
