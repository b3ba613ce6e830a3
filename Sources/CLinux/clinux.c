#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timex.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#ifndef SO_PASSRIGHTS
#define SO_PASSRIGHTS 83  // Linux 6.16
#endif

int clinux_socket_unix(void) {
  return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

static int address_of(const char *path, struct sockaddr_un *address, socklen_t *length) {
  size_t size = strlen(path);
  memset(address, 0, sizeof *address);
  address->sun_family = AF_UNIX;
  if (size >= sizeof address->sun_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  memcpy(address->sun_path, path, size);
  *length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + size + 1);
  if (path[0] == '@') {  // the abstract namespace, written as Varlink and systemd write it
    address->sun_path[0] = 0;
    *length -= 1;
  }
  return 0;
}

int clinux_bind_unix(int fd, const char *path) {
  struct sockaddr_un address;
  socklen_t length;
  if (address_of(path, &address, &length) < 0) return -1;
  return bind(fd, (struct sockaddr *)&address, length);
}

int clinux_connect_unix(int fd, const char *path) {
  struct sockaddr_un address;
  socklen_t length;
  if (address_of(path, &address, &length) < 0) return -1;
  return connect(fd, (struct sockaddr *)&address, length);
}

int clinux_unlink_socket(const char *path) {
  struct stat status;
  if (path[0] == '@') return 0;
  if (lstat(path, &status) < 0) return -1;
  if (!S_ISSOCK(status.st_mode)) {
    errno = ENOTSOCK;
    return -1;
  }
  return unlink(path);
}

int clinux_accept(int fd) {
  return accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

int clinux_socketpair(int fds[2]) {
  return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds);
}

int clinux_peer_credentials(int fd, struct clinux_credentials *out) {
  struct ucred credentials;
  socklen_t length = sizeof credentials;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &length) < 0) return -1;
  out->pid = credentials.pid;
  out->uid = credentials.uid;
  out->gid = credentials.gid;
  return 0;
}

int clinux_peer_groups(int fd, gid_t *groups, size_t *count) {
  socklen_t length = (socklen_t)(*count * sizeof(gid_t));
  int result = getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &length);
  if (result == 0 || errno == ERANGE) *count = length / sizeof(gid_t);
  return result;
}

int clinux_poll(struct pollfd *entries, size_t count, int milliseconds) {
  struct timespec start, now;
  clock_gettime(CLOCK_MONOTONIC, &start);
  int left = milliseconds;
  for (;;) {
    int ready = poll(entries, count, left);
    if (ready >= 0 || errno != EINTR) return ready;
    if (milliseconds < 0) continue;
    clock_gettime(CLOCK_MONOTONIC, &now);
    long passed = (now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000;
    if (passed >= milliseconds) return 0;
    left = milliseconds - (int)passed;
  }
}

int clinux_set_send_buffer(int fd, int bytes) {
  return setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
}

int clinux_send_buffer(int fd) {
  int bytes = 0;
  socklen_t length = sizeof bytes;
  return getsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, &length) < 0 ? -1 : bytes;
}

int clinux_refuse_descriptors(int fd) {
  int off = 0;
  return setsockopt(fd, SOL_SOCKET, SO_PASSRIGHTS, &off, sizeof off);
}

int clinux_socket_error(int fd) {
  int error = 0;
  socklen_t length = sizeof error;
  return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) < 0 ? -1 : error;
}

ssize_t clinux_send(int fd, const struct iovec *parts, size_t part_count, const int *fds,
                    size_t fd_count) {
  union {
    char bytes[CMSG_SPACE(sizeof(int) * CLINUX_DESCRIPTORS_MAX)];
    struct cmsghdr align;
  } control;
  struct msghdr message = {.msg_iov = (struct iovec *)parts, .msg_iovlen = part_count};
  if (fd_count > CLINUX_DESCRIPTORS_MAX) {
    errno = EINVAL;
    return -1;
  }
  if (fd_count > 0) {
    memset(&control, 0, sizeof control);
    message.msg_control = control.bytes;
    message.msg_controllen = CMSG_SPACE(sizeof(int) * fd_count);
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int) * fd_count);
    memcpy(CMSG_DATA(header), fds, sizeof(int) * fd_count);
  }
  ssize_t sent;
  do sent = sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  while (sent < 0 && errno == EINTR);
  return sent;
}

ssize_t clinux_send_parts(int fd, const void *first, size_t first_size, const void *second,
                          size_t second_size, const void *third, size_t third_size,
                          const int *fds, size_t fd_count) {
  // A stream's message is one part almost always, and send costs the kernel a tenth less.
  if (second_size == 0 && third_size == 0 && fd_count == 0) {
    ssize_t sent;
    do sent = send(fd, first, first_size, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (sent < 0 && errno == EINTR);
    return sent;
  }
  const struct iovec parts[] = {{(void *)first, first_size},
                                {(void *)second, second_size},
                                {(void *)third, third_size}};
  return clinux_send(fd, parts, 3, fds, fd_count);
}

ssize_t clinux_send_datagram(const char *path, const void *bytes, size_t size, int passed) {
  int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  ssize_t sent = clinux_connect_unix(fd, path);
  if (sent == 0) {
    const struct iovec part = {(void *)bytes, size};
    sent = clinux_send(fd, &part, 1, &passed, passed >= 0);
  }
  int code = errno;
  close(fd);
  errno = code;
  return sent;
}

ssize_t clinux_receive(int fd, void *buffer, size_t size, int *fds, size_t *fd_count) {
  union {
    char bytes[CMSG_SPACE(sizeof(int) * CLINUX_DESCRIPTORS_MAX)];
    struct cmsghdr align;
  } control;
  struct iovec part = {.iov_base = buffer, .iov_len = size};
  struct msghdr message = {.msg_iov = &part,
                           .msg_iovlen = 1,
                           .msg_control = control.bytes,
                           .msg_controllen = sizeof control.bytes};
  size_t capacity = *fd_count, taken = 0;
  ssize_t received;
  do received = recvmsg(fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  while (received < 0 && errno == EINTR);
  *fd_count = 0;
  if (received < 0) return received;
  for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header;
       header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; i++) {
      int one;
      memcpy(&one, CMSG_DATA(header) + i * sizeof(int), sizeof one);
      if (taken < capacity) fds[taken++] = one;
      else close(one);
    }
  }
  *fd_count = taken;
  return received;
}

int clinux_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

int clinux_wait_readable(int first, int second, int64_t nanoseconds) {
  struct pollfd polls[] = {{.fd = first, .events = POLLIN}, {.fd = second, .events = POLLIN}};
  struct timespec timeout = {nanoseconds / 1000000000, nanoseconds % 1000000000};
  if (ppoll(polls, 2, nanoseconds < 0 ? NULL : &timeout, NULL) < 0) return -1;
  return (polls[0].revents ? 1 : 0) | (polls[1].revents ? 2 : 0);
}

int clinux_memfd(const char *name, bool sealable) {
  return memfd_create(name, MFD_CLOEXEC | (sealable ? MFD_ALLOW_SEALING : 0));
}

int clinux_open(const char *path, int flags, mode_t mode) {
  int fd;
  do fd = open(path, flags | O_CLOEXEC, mode);
  while (fd < 0 && errno == EINTR);
  return fd;
}

int clinux_set_nonblocking(int fd, bool on) {
  int flags = fcntl(fd, F_GETFL);
  if (flags < 0) return -1;
  return fcntl(fd, F_SETFL, on ? flags | O_NONBLOCK : flags & ~O_NONBLOCK);
}

void clinux_name_thread(const char *name) {
  char cut[16] = {0};
  strncpy(cut, name, sizeof cut - 1);
  pthread_setname_np(pthread_self(), cut);
}

int clinux_prepare_signals(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGHUP);
  signal(SIGPIPE, SIG_IGN);
  return pthread_sigmask(SIG_BLOCK, &set, NULL);
}

int clinux_clock_is_synchronised(void) {
  struct timex state = {.modes = 0};
  int result = adjtimex(&state);
  return result < 0 ? -1 : result != TIME_ERROR;
}

#if defined(__SANITIZE_THREAD__)
#define WITH_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define WITH_TSAN 1
#endif
#endif

#ifdef WITH_TSAN
void __tsan_acquire(void *);
void __tsan_release(void *);
void clinux_tsan_acquire(const void *address) { __tsan_acquire((void *)address); }
void clinux_tsan_release(const void *address) { __tsan_release((void *)address); }
#else
void clinux_tsan_acquire(const void *address) { (void)address; }
void clinux_tsan_release(const void *address) { (void)address; }
#endif
