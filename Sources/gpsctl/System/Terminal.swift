internal import BearingModel
internal import CCurses
import Glibc

/// The terminal, taken over for as long as this lives, and put back by its end.
///
/// It belongs to one thread, but for `wake`.
struct Terminal: ~Copyable {
  /// What a wait ended with.
  enum Event: Equatable {
    /// The time was over, or `wake` was called.
    case timeOver, woken
    /// A key that has a character.
    case key(Unicode.Scalar)
    /// The terminal has another size, or must be drawn anew.
    case resized
    /// A signal says to end.
    case ended(by: Int32)
  }

  /// What of its own a terminal can show.
  struct Abilities: Sendable {
    let isUTF8: Bool
    /// Whether colours are wanted; ncurses knows whether there are any.
    let isColoured: Bool

    /// As the locale, the environment and the terminal's type say. The Linux console counts as
    /// having ASCII alone: its fonts have no Braille.
    static var ofOutput: Abilities {
      Abilities(
        isUTF8: ccurses_is_utf8() && StandardStreams.environment("TERM") != "linux",
        isColoured: StandardStreams.environment("NO_COLOR") ?? "" == "")
    }
  }

  /// Refuses to draw where there is no terminal.
  static func check() throws(Failure) {
    for (descriptor, name) in [(STDIN_FILENO, "input"), (STDOUT_FILENO, "output")]
    where isatty(descriptor) != 1 {
      throw .usage(
        "monitor needs a terminal, and standard \(name) is none; for files and pipes there is "
          + "gpsctl watch")
    }
  }

  /// Takes the terminal over; `check` has found one.
  init(_ abilities: Abilities) throws(Failure) {
    let type = StandardStreams.environment("TERM") ?? ""
    switch ccurses_open(abilities.isColoured) {
    case CCURSES_OPENED:
      return
    case CCURSES_NO_PIPE:
      throw Failure(.failed, "no pipe can be made: \(StandardStreams.describe(errno))")
    case CCURSES_NO_CURSOR_ADDRESS:
      throw Failure(
        .failed, "the terminal (TERM=\(type)) cannot move its cursor; there is gpsctl watch")
    default:
      throw Failure(
        .failed,
        "terminfo does not know the terminal's type (TERM=\(type)); set TERM to one that "
          + "`toe -a` lists, such as xterm-256color")
    }
  }

  deinit { ccurses_close() }

  /// Its size now.
  var size: Size { Size(columns: Int(ccurses_columns()), rows: Int(ccurses_rows())) }

  /// Shows a picture; what has not changed since the last one is not sent again.
  func show(_ grid: Grid) {
    var run: [UInt32] = []
    for row in 0..<grid.size.rows {
      var column = 0
      while column < grid.size.columns {
        let start = column
        let look = grid[row, column].look
        run.removeAll(keepingCapacity: true)
        while column < grid.size.columns, grid[row, column].look == look {
          run.append(grid[row, column].character.value)
          column += 1
        }
        unsafe run.withUnsafeBufferPointer { characters in
          unsafe ccurses_put(
            Int32(row), Int32(start), characters.baseAddress, Int32(characters.count), look.bits)
        }
      }
    }
    ccurses_show()
  }

  /// Waits for a key, a signal or `wake`, for at most that long.
  func wait(atMost time: Duration) -> Event {
    let milliseconds = (time / .milliseconds(1)).rounded(.up)
    let event = ccurses_wait(Int32(max(0, min(milliseconds, 60_000))))
    switch event.kind {
    case CCURSES_WOKEN: return .woken
    case CCURSES_KEY: return .key(Unicode.Scalar(UInt32(event.value)) ?? "\u{FFFD}")
    case CCURSES_RESIZED: return .resized
    case CCURSES_END: return .ended(by: event.value)
    default: return .timeOver
    }
  }

  /// Ends a wait, from any thread.
  static func wake() { ccurses_wake() }

  /// Ends the program by a signal, once the terminal is put back, for its parent to see.
  static func end(by signal: Int32) { ccurses_die(signal) }
}

extension Look {
  /// As the C side has it.
  fileprivate var bits: UInt32 {
    UInt32(colour.rawValue) | (isBold ? CCURSES_BOLD : 0) | (isDim ? CCURSES_DIM : 0)
      | (isReversed ? CCURSES_REVERSE : 0)
  }
}
