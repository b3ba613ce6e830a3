internal import Foundation
internal import Glibc

/// Other descriptors of what this process has open, as a child has them that is being started.
public final class OpenCopies {
  private let numbers: [Int32]

  /// Copies of all that is open now under a path.
  public init(of path: String) {
    let folder = "/proc/self/fd"
    let real = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    numbers = names.filter { name in
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")) == real
    }.compactMap(Int32.init).map { fcntl($0, F_DUPFD_CLOEXEC, 0) }
  }

  deinit {
    for number in numbers { close(number) }
  }

  /// How many there are.
  public var count: Int { numbers.count }
}
