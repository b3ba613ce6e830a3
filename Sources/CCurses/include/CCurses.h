// ncurses for one program on one terminal: what Swift cannot import (macros, globals, wide
// characters), and the signals that concern a terminal. One thread calls all of it but for
// ccurses_wake.
#ifndef CCURSES_H
#define CCURSES_H

#include <stdbool.h>
#include <stdint.h>

/// What ccurses_wait saw.
enum ccurses_kind {
  /// The time is over.
  CCURSES_NOTHING,
  /// ccurses_wake was called.
  CCURSES_WOKEN,
  /// A key: its character, or one of ncurses' codes from 256 on.
  CCURSES_KEY,
  /// The terminal has another size, or must be drawn anew.
  CCURSES_RESIZED,
  /// A signal says to end; its number. SIGHUP also when the terminal is gone.
  CCURSES_END,
};

struct ccurses_event {
  enum ccurses_kind kind;
  int value;
};

/// How characters look: a colour (0 the terminal's own, 1 to 7 as ncurses numbers them) with bits.
#define CCURSES_BOLD 0x10u
#define CCURSES_DIM 0x20u
#define CCURSES_REVERSE 0x40u

enum ccurses_failure {
  CCURSES_OPENED = 0,
  /// terminfo does not know the terminal's type.
  CCURSES_UNKNOWN_TERMINAL,
  /// The terminal cannot put its cursor anywhere.
  CCURSES_NO_CURSOR_ADDRESS,
  /// errno tells.
  CCURSES_NO_PIPE,
};

/// Takes the locale's character set; whether that is UTF-8. For before ccurses_open.
bool ccurses_is_utf8(void);

/// Takes the terminal over: saves its settings, clears it and hides the cursor.
///
/// From here on the signals INT, TERM, HUP, QUIT, TSTP, CONT and WINCH come as events (TSTP stops
/// the program with the terminal as it was), and one that the program dies of, as far as it can be
/// caught, puts the terminal back first. An end that was asked for is made within 4 s, also when the
/// terminal takes no output.
enum ccurses_failure ccurses_open(bool colours);
/// Puts the terminal back as it was; the signals end the program again. Harmless when not open.
void ccurses_close(void);
/// Ends the program by a signal that ccurses_wait told of, for its parent to see.
void ccurses_die(int signal);

int ccurses_rows(void);
int ccurses_columns(void);

/// Puts characters of one column each into the next picture.
void ccurses_put(int row, int column, const uint32_t *characters, int count, uint32_t look);
/// Shows the picture: sends what has changed since the last one.
void ccurses_show(void);

/// Waits for one event, at most that long.
struct ccurses_event ccurses_wait(int milliseconds);
/// Ends a wait. From any thread.
void ccurses_wake(void);

#endif
