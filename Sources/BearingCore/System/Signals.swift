internal import CLinux

/// The process's signals.
public enum Signals {
  /// Keeps those that the loop watches for out of every thread, and ignores SIGPIPE.
  ///
  /// To be called first thing in the program, before any thread starts.
  public static func prepare() {
    _ = clinux_prepare_signals()
  }
}
