#include "CBenchmarks.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

int64_t bench_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

void bench_wait_until(int64_t moment) {
  struct timespec until = {.tv_sec = moment / 1000000000, .tv_nsec = moment % 1000000000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) {
  }
}

int64_t bench_cpu_time(pid_t process) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/task", (int)process);
  DIR *tasks = opendir(path);
  if (!tasks) return -1;
  int64_t total = 0;
  struct dirent *task;
  while ((task = readdir(tasks))) {
    if (task->d_name[0] == '.') continue;
    char file[sizeof path + sizeof task->d_name + 16];
    snprintf(file, sizeof file, "%s/%s/schedstat", path, task->d_name);
    FILE *statistics = fopen(file, "re");
    if (!statistics) continue;
    long long time = 0;
    if (fscanf(statistics, "%lld", &time) == 1) total += time;
    fclose(statistics);
  }
  closedir(tasks);
  return total;
}

int bench_raise_descriptors(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) < 0) return -1;
  limit.rlim_cur = limit.rlim_max;
  return setrlimit(RLIMIT_NOFILE, &limit);
}

int bench_connect_unix(const char *path) {
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) < 0) {
    close(fd);
    return -1;
  }
  return fd;
}

static struct sockaddr_in loopback(int port) {
  return (struct sockaddr_in){
      .sin_family = AF_INET,
      .sin_port = htons((uint16_t)port),
      .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
  };
}

int bench_connect_tcp(int port, int receive_buffer) {
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (receive_buffer > 0)
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
  struct sockaddr_in address = loopback(port);
  if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) < 0) {
    close(fd);
    return -1;
  }
  return fd;
}

int bench_listen_tcp(int *port) {
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  struct sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  if (fd < 0 || bind(fd, (struct sockaddr *)&address, size) < 0 || listen(fd, 16) < 0 ||
      getsockname(fd, (struct sockaddr *)&address, &size) < 0)
    return -1;
  *port = ntohs(address.sin_port);
  return fd;
}

int bench_accept(int listener, int milliseconds) {
  struct pollfd entry = {.fd = listener, .events = POLLIN};
  if (poll(&entry, 1, milliseconds) <= 0) {
    errno = ETIMEDOUT;
    return -1;
  }
  return accept4(listener, NULL, NULL, SOCK_CLOEXEC);
}

int bench_send(int fd, const void *bytes, size_t size) {
  return send(fd, bytes, size, MSG_NOSIGNAL) == (ssize_t)size ? 0 : -1;
}

void bench_close(int fd) { close(fd); }
