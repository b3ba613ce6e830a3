// What a benchmark must not do more slowly than the system can: read many sockets, keep a receiver's
// time, and, as bare loops, the least that the daemon's work can cost.
// Times are nanoseconds on CLOCK_MONOTONIC. Functions return -1 with errno set when they fail.
#ifndef CBENCHMARKS_H
#define CBENCHMARKS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

int64_t bench_now(void);
void bench_wait_until(int64_t moment);
/// CPU time of a process, all its threads, in nanoseconds.
int64_t bench_cpu_time(pid_t process);
/// Lets this process and those that it starts have as many descriptors as the system gives.
int bench_raise_descriptors(void);

// Connections

int bench_connect_unix(const char *path);
/// A client of a loopback port; a small receive buffer of that many bytes, 0 for the usual one.
int bench_connect_tcp(int port, int receive_buffer);
/// A listening loopback socket on a port that the system chooses.
int bench_listen_tcp(int *port);
/// The next client of a listening socket; waits at most that many milliseconds.
int bench_accept(int listener, int milliseconds);
int bench_send(int fd, const void *bytes, size_t size);
void bench_close(int fd);

// Readers: one thread that reads many sockets

/// What is noted of each message.
enum bench_key {
  /// Nothing: messages are only counted.
  BENCH_COUNT,
  /// Varlink replies with a new fix: its UTC's milliseconds of the day.
  BENCH_FIX,
  /// gpsd's TPVs with a time: the same.
  BENCH_TPV,
  /// Varlink replies with samples: x in millionths.
  BENCH_SAMPLE,
};

struct bench_reading {
  int64_t time;
  int64_t key;
  int32_t client;
};

struct bench_readers;
struct bench_readers *bench_readers_start(const int *fds, size_t count, enum bench_key key);
/// Messages read so far, of those that its key counts.
size_t bench_readers_count(const struct bench_readers *readers);
/// Ends the thread; the descriptors stay open, the readings until they are freed.
void bench_readers_stop(struct bench_readers *readers);
size_t bench_readers_readings(const struct bench_readers *readers,
                              const struct bench_reading **readings);
void bench_readers_free(struct bench_readers *readers);

// Rings: clients that map the daemon's ring of samples

struct bench_rings;
/// So many clients of a Varlink socket that hold the ring of a sensor at that rate. Each has a thread
/// that waits to be woken; or, when `pause` is not 0, one thread looks at all of them once in so
/// many nanoseconds and waits for nothing.
struct bench_rings *bench_rings_start(const char *path, size_t count, int rate, int64_t pause);
/// Samples that they have read, all together, and that they were too late for.
size_t bench_rings_samples(const struct bench_rings *rings);
size_t bench_rings_lost(const struct bench_rings *rings);
/// Ends the threads and the clients, and frees all.
void bench_rings_end(struct bench_rings *rings);

// Receivers: one thread that writes what is due when it is due

/// A pseudo-terminal in raw mode for anyone; the name of its other end goes to `name`.
int bench_open_terminal(char *name, size_t size);

struct bench_receiver;
/// Writes pieces of `text` to a descriptor, the i-th ending at ends[i], one in `period`.
struct bench_receiver *bench_receiver_start(int fd, const char *text, const size_t *ends,
                                            size_t count, int64_t period);
/// Ends the thread.
void bench_receiver_stop(struct bench_receiver *receiver);

// Scans: one thread that fills what stands for a kernel's buffer

/// Values of x, which rise by one from scan to scan and begin again at 0.
enum { BENCH_SCAN_VALUES = 900 };

struct bench_scans;
/// Writes scans of three 16-bit axes and a time, `batch` of them (64 at most) each `batch` periods.
struct bench_scans *bench_scans_start(int fd, int batch, int64_t period);
/// When the last scan with that x was written.
int64_t bench_scans_written(const struct bench_scans *scans, int value);
/// Ends the thread; the times stay until they are freed.
void bench_scans_stop(struct bench_scans *scans);
void bench_scans_free(struct bench_scans *scans);

// Bare loops

/// Serves `clients` of a Unix socket: each `period` reads the files of a NULL-ended list (none when
/// it is NULL) and sends to each client the message, or, when there are files, the first number that
/// was read as a sample. Never returns but for a failure.
int bench_bare_server(const char *path, int clients, const char *message, int64_t period,
                      const char *const *files);

// Programs

/// Starts a program and waits until it says READY=1 on a datagram socket at `notify`, or, when that
/// is NULL, until `port` takes a connection. Gives the nanoseconds from its start; ends it.
int64_t bench_time_to_ready(const char *program, char *const *arguments, char *const *environment,
                            const char *notify, int port);

#endif
