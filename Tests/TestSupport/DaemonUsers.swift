import Foundation
import Glibc
import Varlink

/// Connections that the kernel says are another user's.
///
/// A helper process takes on the user and the groups, connects, and hands the connections over.
public enum OtherUser {
  /// Whether this process may take on others' names.
  public static var isPossible: Bool { geteuid() == 0 }

  private static let helper = """
    import socket, sys
    drop = socket.socket(socket.AF_UNIX)
    drop.connect(sys.argv[2])
    for _ in range(int(sys.argv[3])):
        daemon = socket.socket(socket.AF_UNIX)
        daemon.connect(sys.argv[1])
        socket.send_fds(drop, [b"."], [daemon.fileno()])
        daemon.close()
    """

  /// Connects to a socket as the user `uid` with a primary group and supplementary ones.
  public static func connect(
    to path: String, uid: UInt32, gid: UInt32? = nil, groups: [UInt32] = [], count: Int = 1
  ) throws -> [DaemonClient] {
    let folder = try TemporaryFolder()
    chmod(folder.path, 0o777)
    let listener = try Socket.listen(at: folder.path + "/drop", mode: 0o666)
    let arguments = [
      "--reuid=\(uid)", "--regid=\(gid ?? uid)",
      groups.isEmpty
        ? "--clear-groups" : "--groups=" + groups.map(String.init).joined(separator: ","),
      "/usr/bin/python3", "-c", helper, path, folder.path + "/drop", String(count),
    ]
    let process = try ChildProcess("/usr/bin/setpriv", arguments)
    defer { process.wait() }
    let milliseconds = Int32(DaemonProcess.patience * 1000)
    guard try listener.wait(for: .readable, milliseconds: milliseconds),
      let drop = try listener.accept()
    else { throw DaemonClient.Failure.timedOut }
    var clients: [DaemonClient] = []
    var buffer = [UInt8](repeating: 0, count: 16)
    while clients.count < count {
      var descriptors: [Descriptor] = []
      switch try drop.receive(into: &buffer, descriptors: &descriptors) {
      case .bytes:
        for descriptor in descriptors {
          clients.append(DaemonClient(try Socket(adopting: dup(descriptor.number))))
        }
      case .end: throw DaemonClient.Failure.ended
      case .wouldBlock:
        guard try drop.wait(for: .readable, milliseconds: milliseconds) else {
          throw DaemonClient.Failure.timedOut
        }
      }
    }
    return clients
  }
}
