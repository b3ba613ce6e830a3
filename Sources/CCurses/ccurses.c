#define _GNU_SOURCE
#define NCURSES_WIDECHAR 1

#include "CCurses.h"

#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

// curses.h and term.h have macros by the names of short words; none is used below.

_Static_assert(sizeof(wchar_t) == sizeof(uint32_t), "wide characters are Unicode scalars");

/// Ends and stops that come as events.
static const int asked[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH};
/// Faults of the program itself.
static const int fatal[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS};
#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/// Seconds that an end may take before it is helped, and then again before it is made.
#define PATIENCE 2

static bool is_open;
static struct sigaction asked_before[COUNT(asked)];
static struct sigaction fatal_before[COUNT(fatal)];
static struct sigaction alarm_before;

/// Set by signals, read by ccurses_wait.
static atomic_int end_signal, is_resized, is_stopped, is_continued;
/// Whether an end that takes long was helped.
static atomic_bool is_helped;

/// A byte goes in to end a wait. Never closed: ccurses_wake may come at any time.
static int wake_pipe[2] = {-1, -1};
/// Whether a byte of ccurses_wake is in the pipe: one is enough.
static atomic_flag is_woken = ATOMIC_FLAG_INIT;

/// What puts the terminal back without ncurses, which no signal handler may call.
static struct termios settings_before;
static char restoration[256];
static size_t restoration_size;

static void ring(char byte) {
  int error = errno;
  // Full: then the waiting thread has enough to wake up for.
  ssize_t count = write(wake_pipe[1], &byte, 1);
  (void)count;
  errno = error;
}

// MARK: Signals

/// Puts the terminal back from a signal handler; gives up where that would block.
static void put_back(void) {
  tcsetattr(STDOUT_FILENO, TCSANOW, &settings_before);
  int flags = fcntl(STDOUT_FILENO, F_GETFL);
  fcntl(STDOUT_FILENO, F_SETFL, flags | O_NONBLOCK);
  ssize_t count = write(STDOUT_FILENO, restoration, restoration_size);
  (void)count;
  fcntl(STDOUT_FILENO, F_SETFL, flags);
}

static void on_asked(int number) {
  switch (number) {
    case SIGWINCH: is_resized = 1; break;
    case SIGTSTP: is_stopped = 1; break;
    case SIGCONT: is_continued = 1; break;
    default:
      end_signal = number;
      alarm(PATIENCE);
  }
  ring('s');
}

static void on_alarm(int number) {
  (void)number;
  if (!is_helped) {
    // Ctrl-S may have stopped the output, with a write that waits for it. To go on ends only a stop
    // of its own kind.
    is_helped = true;
    tcflow(STDOUT_FILENO, TCOOFF);
    tcflow(STDOUT_FILENO, TCOON);
    alarm(PATIENCE);
    return;
  }
  put_back();
  _exit(128 + end_signal);
}

static void on_fatal(int number, siginfo_t *information, void *context) {
  (void)context;
  put_back();
  for (size_t i = 0; i < COUNT(fatal); i++) sigaction(fatal[i], &fatal_before[i], NULL);
  // A fault happens again on return, with all that the former handler wants to know. A signal that
  // someone sent does not.
  if (information->si_code <= 0) raise(number);
}

static void take_signals(void) {
  struct sigaction action = {.sa_handler = on_asked, .sa_flags = SA_RESTART};
  sigfillset(&action.sa_mask);
  for (size_t i = 0; i < COUNT(asked); i++) {
    sigaction(asked[i], NULL, &asked_before[i]);
    // nohup and the like: what is ignored stays so. A default of "ignore" is not that.
    if (asked_before[i].sa_handler == SIG_IGN && asked[i] != SIGWINCH) continue;
    sigaction(asked[i], &action, NULL);
  }
  action.sa_handler = on_alarm;
  sigaction(SIGALRM, &action, &alarm_before);
  struct sigaction last = {.sa_sigaction = on_fatal, .sa_flags = SA_SIGINFO};
  sigfillset(&last.sa_mask);
  for (size_t i = 0; i < COUNT(fatal); i++) sigaction(fatal[i], &last, &fatal_before[i]);
}

static void give_signals_back(void) {
  alarm(0);
  for (size_t i = 0; i < COUNT(asked); i++) sigaction(asked[i], &asked_before[i], NULL);
  for (size_t i = 0; i < COUNT(fatal); i++) sigaction(fatal[i], &fatal_before[i], NULL);
  sigaction(SIGALRM, &alarm_before, NULL);
}

// MARK: Opening and closing

bool ccurses_is_utf8(void) {
  // Only the characters: numbers are written the same everywhere.
  setlocale(LC_CTYPE, "");
  return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

/// Adds a capability to what is written at a crash, without the delays "$<…>" of old terminals.
static void remember(const char *name) {
  const char *text = tigetstr(name);
  if (text == NULL || text == (char *)-1) return;
  while (*text != 0 && restoration_size < sizeof(restoration)) {
    const char *end = text[0] == '$' && text[1] == '<' ? strchr(text, '>') : NULL;
    if (end != NULL) {
      text = end + 1;
    } else {
      restoration[restoration_size++] = *text++;
    }
  }
}

static void use_colours(void) {
  if (!has_colors() || start_color() == ERR) return;
  use_default_colors();
  for (short colour = 1; colour <= 7; colour++) init_pair(colour, colour, -1);
}

enum ccurses_failure ccurses_open(bool colours) {
  if (wake_pipe[0] < 0 && pipe2(wake_pipe, O_NONBLOCK | O_CLOEXEC) < 0) return CCURSES_NO_PIPE;
  tcgetattr(STDOUT_FILENO, &settings_before);
  // Before newterm, which leaves alone what has a handler.
  take_signals();
  // The terminal's own size, whatever LINES and COLUMNS say.
  use_tioctl(TRUE);
  SCREEN *screen = newterm(NULL, stdout, stdin);
  if (screen == NULL) {
    give_signals_back();
    return CCURSES_UNKNOWN_TERMINAL;
  }
  is_open = true;
  const char *address = tigetstr("cup");
  if (address == NULL || address == (char *)-1) {
    ccurses_close();
    return CCURSES_NO_CURSOR_ADDRESS;
  }
  restoration_size = 0;
  static const char *const names[] = {"sgr0", "op", "rmkx", "rmcup", "cnorm"};
  for (size_t i = 0; i < COUNT(names); i++) remember(names[i]);
  cbreak();
  noecho();
  nonl();
  nodelay(stdscr, TRUE);
  keypad(stdscr, TRUE);
  set_escdelay(25);
  curs_set(0);
  if (colours) use_colours();
  return CCURSES_OPENED;
}

void ccurses_close(void) {
  if (!is_open) return;
  is_open = false;
  endwin();
  give_signals_back();
}

/// Has a signal do what it does by itself, to the whole program, before this returns.
static void suffer(int number) {
  struct sigaction own = {.sa_handler = SIG_DFL}, before;
  sigset_t set, mask_before;
  sigemptyset(&set);
  sigaddset(&set, number);
  sigaction(number, &own, &before);
  // The threads that Swift runs tasks on have signals blocked.
  pthread_sigmask(SIG_UNBLOCK, &set, &mask_before);
  raise(number);
  pthread_sigmask(SIG_SETMASK, &mask_before, NULL);
  sigaction(number, &before, NULL);
}

void ccurses_die(int number) { suffer(number); }

// MARK: Drawing

int ccurses_rows(void) { return LINES; }
int ccurses_columns(void) { return COLS; }

void ccurses_put(int row, int column, const uint32_t *characters, int count, uint32_t look) {
  attr_t attributes = A_NORMAL;
  if (look & CCURSES_BOLD) attributes |= A_BOLD;
  if (look & CCURSES_DIM) attributes |= A_DIM;
  if (look & CCURSES_REVERSE) attributes |= A_REVERSE;
  attr_set(attributes, (short)(look & 0x0f), NULL);
  mvaddnwstr(row, column, (const wchar_t *)characters, count);
}

void ccurses_show(void) { refresh(); }

// MARK: Events

/// Takes the terminal's size as it is now.
static void measure(void) {
  struct winsize size;
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0) {
    resize_term(size.ws_row, size.ws_col);
  }
}

/// Stops as Ctrl-Z says, with the terminal as it was; comes back when it is continued.
static void stop(void) {
  endwin();
  suffer(SIGTSTP);
  is_continued = 1;
}

/// What signals have told; CCURSES_NOTHING when they have not.
static struct ccurses_event told_by_signals(void) {
  if (end_signal != 0) return (struct ccurses_event){CCURSES_END, end_signal};
  if (is_stopped) {
    is_stopped = 0;
    stop();
  }
  if (!is_continued && !is_resized) return (struct ccurses_event){CCURSES_NOTHING, 0};
  // The shell had the terminal in between.
  if (is_continued) reset_prog_mode();
  is_continued = 0;
  is_resized = 0;
  measure();
  // A terminal moves lines about when its size changes.
  clearok(curscr, TRUE);
  return (struct ccurses_event){CCURSES_RESIZED, 0};
}

/// Takes what is in the pipe; whether ccurses_wake put anything there.
static bool empty_pipe(void) {
  char bytes[64];
  bool woken = false;
  ssize_t count;
  while ((count = read(wake_pipe[0], bytes, sizeof(bytes))) > 0) {
    if (memchr(bytes, 'w', (size_t)count) != NULL) woken = true;
  }
  if (woken) atomic_flag_clear(&is_woken);
  return woken;
}

struct ccurses_event ccurses_wait(int milliseconds) {
  bool is_last = false;
  for (;;) {
    struct ccurses_event event = told_by_signals();
    if (event.kind != CCURSES_NOTHING) return event;
    int key = getch();
    if (key != ERR && key != KEY_RESIZE) return (struct ccurses_event){CCURSES_KEY, key};
    if (is_last) return event;
    struct pollfd inputs[] = {{STDIN_FILENO, POLLIN, 0}, {wake_pipe[0], POLLIN, 0}};
    int count = poll(inputs, COUNT(inputs), milliseconds);
    if (count > 0 && inputs[1].revents != 0 && empty_pipe()) {
      return (struct ccurses_event){CCURSES_WOKEN, 0};
    }
    if (count > 0 && (inputs[0].revents & (POLLHUP | POLLERR | POLLNVAL)) != 0) {
      return (struct ccurses_event){CCURSES_END, SIGHUP};
    }
    // After whatever ended the wait, what came with it is looked at once more.
    is_last = true;
  }
}

void ccurses_wake(void) {
  if (!atomic_flag_test_and_set(&is_woken)) ring('w');
}
