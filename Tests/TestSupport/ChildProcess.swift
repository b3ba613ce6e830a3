public import Foundation
import Glibc
import Locking

/// A program run beside the tests.
///
/// Not Foundation's `Process`: its children inherit each other's descriptors when they are started
/// at the same time, so that one's end is only seen when the other, such as a daemon, has ended too.
public final class ChildProcess: Sendable {
  /// What kept it from starting.
  public struct Failure: Error, CustomStringConvertible {
    /// The program and what the system said.
    public let description: String
  }

  /// How it ended.
  public enum End: Sendable, Equatable {
    /// By itself, with this status.
    case exit(Int32)
    /// By this signal.
    case signal(Int32)
  }

  /// Its process number.
  public let pid: Int32
  /// What it writes to standard output.
  public let output: FileHandle
  /// What it writes to standard error.
  public let errors: FileHandle
  /// What it reads from standard input, which ends when this is closed; nil when that is empty.
  public let input: FileHandle?
  private let state = Guarded<End?>(nil)

  /// Starts a program by its absolute path, without descriptors other than the three standard ones.
  ///
  /// The environment is this process' own with `environment` put over it. Standard input is empty,
  /// unless the program `hasInput`.
  public init(
    _ program: String, _ arguments: [String] = [], environment: [String: String] = [:],
    hasInput: Bool = false
  ) throws {
    let (outputEnds, errorEnds) = (try Self.pipe(), try Self.pipe())
    let inputEnds = hasInput ? try Self.pipe() : nil
    defer {
      close(outputEnds.write)
      close(errorEnds.write)
      if let inputEnds { close(inputEnds.read) }
    }
    output = FileHandle(fileDescriptor: outputEnds.read, closeOnDealloc: true)
    errors = FileHandle(fileDescriptor: errorEnds.read, closeOnDealloc: true)
    input = inputEnds.map { FileHandle(fileDescriptor: $0.write, closeOnDealloc: true) }

    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let inputEnds {
      posix_spawn_file_actions_adddup2(&actions, inputEnds.read, STDIN_FILENO)
    } else {
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    }
    posix_spawn_file_actions_adddup2(&actions, outputEnds.write, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, errorEnds.write, STDERR_FILENO)
    _ = GNU.closeFrom(&actions, STDERR_FILENO + 1)
    // The test runner, or who started it, blocks and ignores signals; a program expects none of that.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF))

    let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let argv = ([program] + arguments).map { strdup($0) } + [nil]
    let envp = variables.map { strdup("\($0)=\($1)") } + [nil]
    defer { for text in argv + envp { free(text) } }
    var pid: pid_t = 0
    let error = posix_spawn(&pid, program, &actions, &attributes, argv, envp)
    guard error == 0 else {
      throw Failure(description: "\(program): \(String(cString: strerror(error)))")
    }
    self.pid = pid
  }

  deinit {
    if state.withValue({ $0 == nil }) {
      Glibc.kill(pid, SIGKILL)
      _ = wait()
    }
  }

  /// Sends a signal, unless its end was waited for: the number may be another's by then.
  public func send(_ signal: Int32) {
    state.withValue { end in
      if end == nil { Glibc.kill(pid, signal) }
    }
  }

  /// Waits for its end.
  @discardableResult
  public func wait() -> End {
    // Seen without being taken, so that a signal still has its process to go to.
    var seen = siginfo_t()
    while state.withValue({ $0 == nil }),
      waitid(P_PID, id_t(pid), &seen, WEXITED | WNOWAIT) < 0, errno == EINTR
    {}
    return state.withValue { end in
      if let end { return end }
      var status: Int32 = 0
      while waitpid(pid, &status, 0) < 0, errno == EINTR {}
      let found: End = status & 0x7f == 0 ? .exit(status >> 8 & 0xff) : .signal(status & 0x7f)
      end = found
      return found
    }
  }

  /// Ends it by a signal when the time is over; call the result when that is no longer wanted.
  public func kill(after seconds: Double, with signal: Int32 = SIGKILL) -> () -> Void {
    let killer = DispatchWorkItem { [weak self] in self?.send(signal) }
    DispatchQueue.global().asyncAfter(deadline: .now() + seconds, execute: killer)
    return { killer.cancel() }
  }

  private static func pipe() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    guard GNU.pipe(&ends, O_CLOEXEC) == 0 else {
      throw Failure(description: "pipe: \(String(cString: strerror(errno)))")
    }
    return (ends[0], ends[1])
  }
}

/// What the C library has and does not show without _GNU_SOURCE.
private enum GNU {
  typealias Pipe = @convention(c) (UnsafeMutablePointer<Int32>, Int32) -> Int32
  typealias CloseFrom =
    @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32

  /// pipe2: close-on-exec from the start, so that no program started meanwhile inherits it.
  static let pipe = function("pipe2", as: Pipe.self)
  /// posix_spawn_file_actions_addclosefrom_np.
  static let closeFrom = function("posix_spawn_file_actions_addclosefrom_np", as: CloseFrom.self)

  private static func function<Function>(_ name: String, as type: Function.Type) -> Function {
    unsafeBitCast(dlsym(nil, name), to: type)
  }
}
