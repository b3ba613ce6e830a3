#include "CBenchmarks.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

enum { FILES_MAX = 3 };

int bench_open_terminal(char *name, size_t size) {
  int fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (fd < 0 || grantpt(fd) < 0 || unlockpt(fd) < 0 || ptsname_r(fd, name, size) != 0) return -1;
  // Held open here too: without any, the first end reads as hung up.
  int other = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
  struct termios settings;
  if (other < 0 || tcgetattr(other, &settings) < 0) return -1;
  cfmakeraw(&settings);
  if (tcsetattr(other, TCSANOW, &settings) < 0 || chmod(name, 0666) < 0) return -1;
  return fd;
}

struct bench_receiver {
  pthread_t thread;
  int fd;
  const char *text;
  const size_t *ends;
  size_t count;
  int64_t period;
  atomic_bool is_stopping;
};

static void *receive(void *argument) {
  struct bench_receiver *receiver = argument;
  int64_t start = bench_now();
  for (size_t i = 0; i < receiver->count && !atomic_load(&receiver->is_stopping); i++) {
    bench_wait_until(start + (int64_t)i * receiver->period);
    size_t from = i == 0 ? 0 : receiver->ends[i - 1];
    size_t size = receiver->ends[i] - from;
    if (write(receiver->fd, receiver->text + from, size) != (ssize_t)size) break;
  }
  return NULL;
}

struct bench_receiver *bench_receiver_start(int fd, const char *text, const size_t *ends,
                                            size_t count, int64_t period) {
  struct bench_receiver *receiver = calloc(1, sizeof *receiver);
  if (!receiver) return NULL;
  *receiver = (struct bench_receiver){
      .fd = fd, .text = text, .ends = ends, .count = count, .period = period};
  return pthread_create(&receiver->thread, NULL, receive, receiver) == 0 ? receiver : NULL;
}

void bench_receiver_stop(struct bench_receiver *receiver) {
  atomic_store(&receiver->is_stopping, true);
  pthread_join(receiver->thread, NULL);
  free(receiver);
}

int bench_bare_server(const char *path, int clients, const char *message, int64_t period,
                      const char *const *files) {
  int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  // Under its name only when it listens: that is what clients wait for.
  snprintf(address.sun_path, sizeof address.sun_path, "%s.new", path);
  if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) < 0 ||
      listen(listener, 128) < 0 || rename(address.sun_path, path) < 0)
    return -1;
  int *fds = calloc((size_t)clients, sizeof *fds);
  for (int i = 0; i < clients; i++) {
    fds[i] = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fds[i] < 0) return -1;
  }
  int inputs[FILES_MAX], input_count = 0;
  while (files && files[input_count] && input_count < FILES_MAX) {
    inputs[input_count] = open(files[input_count], O_RDONLY | O_CLOEXEC);
    if (inputs[input_count++] < 0) return -1;
  }
  char sample[256];
  size_t size = strlen(message) + 1;
  int64_t start = bench_now();
  for (int64_t i = 1;; i++) {
    bench_wait_until(start + i * period);
    if (input_count > 0) {
      long values[FILES_MAX] = {0};
      for (int k = 0; k < input_count; k++) {
        char text[32];
        ssize_t length = pread(inputs[k], text, sizeof text - 1, 0);
        text[length > 0 ? length : 0] = 0;
        values[k] = strtol(text, NULL, 10);
      }
      size = 1 + (size_t)snprintf(sample, sizeof sample,
                                  "{\"parameters\":{\"state\":\"live\",\"samples\":[{\"sequence\":%lld,"
                                  "\"bootTimestamp\":%lld,\"x\":%.7f,\"y\":%.7f,\"z\":%.7f}]},"
                                  "\"continues\":true}",
                                  (long long)i, (long long)bench_now() / 1000, (double)values[0],
                                  (double)values[1], (double)values[2]);
      message = sample;
    }
    for (int k = 0; k < clients; k++) send(fds[k], message, size, MSG_NOSIGNAL | MSG_DONTWAIT);
  }
}

static int notice_socket(const char *path) {
  int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  unlink(path);
  return fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof address) == 0 ? fd : -1;
}

int64_t bench_time_to_ready(const char *program, char *const *arguments, char *const *environment,
                            const char *notify, int port) {
  int notices = notify ? notice_socket(notify) : -1;
  if (notify && notices < 0) return -1;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (int fd = 0; fd < 3; fd++)
    posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
  pid_t process;
  int64_t start = bench_now(), end = -1;
  int error = posix_spawn(&process, program, &actions, NULL, arguments, environment);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return -1;
  while (end < 0 && waitpid(process, NULL, WNOHANG) == 0) {
    if (notify) {
      char text[512];
      ssize_t size = recv(notices, text, sizeof text - 1, 0);
      text[size > 0 ? size : 0] = 0;
      if (strstr(text, "READY=1")) end = bench_now();
    } else {
      int fd = bench_connect_tcp(port, 0);
      if (fd >= 0) end = bench_now();
      if (fd >= 0) close(fd);
      if (fd < 0) bench_wait_until(bench_now() + 50000);
    }
  }
  kill(process, SIGTERM);
  waitpid(process, NULL, 0);
  if (notices >= 0) close(notices);
  return end < 0 ? -1 : end - start;
}
