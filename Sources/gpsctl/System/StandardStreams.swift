internal import Dispatch
import Glibc

/// The program's output, errors and environment. What the C library only takes by pointer is here.
enum StandardStreams {
  /// Writes text to standard output in as few writes as it takes, nothing kept back.
  ///
  /// When the reader has gone (`gpsctl watch | head -1`), the program has done its work and ends
  /// with status 0, without a word.
  static func writeOutput(_ text: String) throws(Failure) {
    guard let error = write(text, to: STDOUT_FILENO) else { return }
    if error == EPIPE { exit(ExitStatus.done.rawValue) }
    throw Failure(.failed, "standard output cannot be written: \(describe(error))")
  }

  /// Writes text to standard error; what cannot be written there has no place to go.
  static func writeError(_ text: String) {
    _ = write(text, to: STDERR_FILENO)
  }

  /// Whether standard output is a terminal.
  static var isOutputTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// How many columns the terminal has that standard output is; nil where it is none, or its size
  /// is not known.
  static var outputColumns: Int? {
    var size = winsize()
    let isKnown = unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    return isKnown ? Int(size.ws_col) : nil
  }

  /// Whether standard error is a terminal.
  static var isErrorTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  /// A variable of the environment; nil when it is not set.
  static func environment(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    return unsafe String(cString: value)
  }

  /// The system's words for an error number.
  static func describe(_ error: Int32) -> String {
    var words = [CChar](repeating: 0, count: 256)
    guard unsafe strerror_r(error, &words, words.count) == 0 else { return "error \(error)" }
    return String(decoding: words.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Takes the place of each standard stream that the caller has closed: else the connection to the
  /// daemon would get it, and what is meant for people. Writing there fails as it did before.
  static func fillClosed() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      _ = unsafe open("/dev/null", O_RDONLY)  // takes the lowest number that is free
    }
  }

  /// Lets a write to a closed pipe fail with EPIPE instead of ending the program by a signal.
  static func ignoreBrokenPipes() {
    signal(SIGPIPE, SIG_IGN)
  }

  /// Keeps Dispatch from telling the system's log, at each call of an ordinary user, that it could
  /// not raise a thread's priority. It looks when it first has something to say.
  static func quietenDispatch() {
    _ = unsafe setenv("LIBDISPATCH_LOG", "NO", 0)
  }

  /// Waits beside everything else for whoever reads standard output to go, and then acts.
  ///
  /// A stream with nothing to say would not notice otherwise: it never writes.
  static func onReaderGone(_ act: @escaping @Sendable () -> Void) {
    // A queue of its own: the wait blocks its thread for as long as the reader stays.
    DispatchQueue(label: "reader").async {
      var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
      while unsafe poll(&output, 1, -1) < 0 && errno == EINTR {}
      act()
    }
  }

  /// Whether standard output is a pipe or socket, whose reader can go away.
  static var canReaderGo: Bool {
    var information = stat()
    guard unsafe fstat(STDOUT_FILENO, &information) == 0 else { return false }
    return [S_IFIFO, S_IFSOCK].contains(information.st_mode & S_IFMT)
  }

  /// Writes everything; gives the error number when that fails.
  private static func write(_ text: String, to descriptor: Int32) -> Int32? {
    var text = text
    return text.withUTF8 { bytes in
      var sent = 0
      while sent < bytes.count {
        let rest = unsafe UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[sent...])
        let count = unsafe Glibc.write(descriptor, rest.baseAddress, rest.count)
        if count >= 0 {
          sent += count
        } else if errno == EAGAIN {
          // Someone else made the shared descriptor non-blocking.
          var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          _ = unsafe poll(&wait, 1, -1)
        } else if errno != EINTR {
          return errno
        }
      }
      return nil
    }
  }
}
