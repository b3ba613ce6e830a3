internal import Glibc

/// TCP ports on 127.0.0.1 for servers of a test's own.
public enum LoopbackPort {
  /// Those that the system does not give to clients, one of which could take it meanwhile.
  public static let range: Range<Int> = 10_240..<32_768

  /// A port that nothing listened on a moment ago, and that no other test is given while this process
  /// lives.
  public static func unused(in range: Range<Int> = range) throws -> Int {
    for _ in 0..<100 {
      let port = Int.random(in: range)
      guard reserve(port), let descriptor = try? open(port) else { continue }
      close(descriptor)
      return port
    }
    throw LoopbackError.cannotListen(0, EADDRINUSE)
  }

  /// Takes a name for the port that all tests on the machine see, for good; false when it is taken.
  private static func reserve(_ port: Int) -> Bool {
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard withUnixAddress("\0bearing-tests/port-\(port)", { bind(descriptor, $0, $1) }) == 0 else {
      close(descriptor)
      return false
    }
    return true
  }

  /// A listening socket; port 0 lets the system choose one.
  static func listen(_ port: Int) throws -> Int32 {
    let descriptor = try open(port)
    guard Glibc.listen(descriptor, 16) == 0 else {
      close(descriptor)
      throw LoopbackError.cannotListen(port, errno)
    }
    return descriptor
  }

  static func number(of descriptor: Int32) -> Int {
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    _ = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    return Int(UInt16(bigEndian: address.sin_port))
  }

  /// A socket that connects, or waits to; nil when it is refused.
  static func beginToConnect(_ port: Int) -> Int32? {
    let type = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
    let descriptor = socket(AF_INET, Int32(type), 0)
    if withAddress(port, { connect(descriptor, $0, $1) }) == 0 || errno == EINPROGRESS {
      return descriptor
    }
    close(descriptor)
    return nil
  }

  private static func withAddress(
    _ port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  private static func open(_ port: Int) throws -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var on: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    let result = withAddress(port) { bind(descriptor, $0, $1) }
    guard descriptor >= 0, result == 0 else {
      close(descriptor)
      throw LoopbackError.cannotListen(port, errno)
    }
    return descriptor
  }
}

/// What can go wrong with a server of a test's own.
public enum LoopbackError: Error {
  case cannotListen(Int, Int32)
  case nobodyCame
  case closed
  case notReady(String)
}
