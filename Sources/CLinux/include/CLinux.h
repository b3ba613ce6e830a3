// What Swift cannot import from Linux: macros, variadic calls, structs behind _GNU_SOURCE.
// Every function returns what the call it wraps returns, with errno set by it.
#ifndef CLINUX_H
#define CLINUX_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

/// Most descriptors that one message may carry.
#define CLINUX_DESCRIPTORS_MAX 16

struct clinux_credentials {
  pid_t pid;
  uid_t uid;
  gid_t gid;
};

/// A non-blocking close-on-exec Unix stream socket.
int clinux_socket_unix(void);
/// Binds or connects to a path; errno ENAMETOOLONG when it does not fit in sockaddr_un.
int clinux_bind_unix(int fd, const char *path);
int clinux_connect_unix(int fd, const char *path);
/// Removes a socket from the file system; errno ENOTSOCK when something else has the path.
int clinux_unlink_socket(const char *path);
/// Sends one datagram to a path without waiting, with a descriptor unless that is negative: errno
/// EAGAIN when the receiver is behind.
ssize_t clinux_send_datagram(const char *path, const void *bytes, size_t size, int passed);
/// accept4 with SOCK_NONBLOCK | SOCK_CLOEXEC.
int clinux_accept(int fd);
/// A connected pair of non-blocking close-on-exec Unix stream sockets.
int clinux_socketpair(int fds[2]);
/// SO_PEERCRED: who was at the other end when the connection was made.
int clinux_peer_credentials(int fd, struct clinux_credentials *out);
/// SO_PEERGROUPS: supplementary groups at connect. *count is the capacity in, the number out.
int clinux_peer_groups(int fd, gid_t *groups, size_t *count);
int clinux_set_send_buffer(int fd, int bytes);
/// poll that goes on after a signal, for as long as was left. Milliseconds -1: no limit.
int clinux_poll(struct pollfd *entries, size_t count, int milliseconds);
/// The size that the kernel granted (twice what was asked for).
int clinux_send_buffer(int fd);
/// SO_PASSRIGHTS=0 where the kernel has it: no descriptor is taken from the peer.
int clinux_refuse_descriptors(int fd);
/// SO_ERROR, the pending error of a non-blocking connect; -1 on failure.
int clinux_socket_error(int fd);

/// One sendmsg with MSG_NOSIGNAL | MSG_DONTWAIT; descriptors ride on the first byte.
ssize_t clinux_send(int fd, const struct iovec *parts, size_t part_count, const int *fds,
                    size_t fd_count);
/// clinux_send of three parts, of which any may be empty.
ssize_t clinux_send_parts(int fd, const void *first, size_t first_size, const void *second,
                          size_t second_size, const void *third, size_t third_size,
                          const int *fds, size_t fd_count);
/// One recvmsg with MSG_DONTWAIT | MSG_CMSG_CLOEXEC. *fd_count is the capacity in, the number out;
/// those past the capacity are closed.
ssize_t clinux_receive(int fd, void *buffer, size_t size, int *fds, size_t *fd_count);

/// recv with MSG_DONTWAIT that takes no descriptors: errno EBADMSG, and nothing is read, where some
/// come with what is next.
ssize_t clinux_receive_bytes(int fd, void *buffer, size_t size);
/// Ends and closes a socket without ever waiting for the files whose descriptors it holds unread.
void clinux_close_unread(int fd);

int clinux_eventfd(void);
/// Waits until one of two descriptors is readable or has ended (-1: none), at most that many
/// nanoseconds (negative: for ever). 1 the first, 2 the second, 3 both, 0 none, -1 failure.
int clinux_wait_readable(int first, int second, int64_t nanoseconds);
int clinux_memfd(const char *name, bool sealable);
/// open with O_CLOEXEC added; mode is for O_CREAT.
int clinux_open(const char *path, int flags, mode_t mode);
int clinux_set_nonblocking(int fd, bool on);
/// Names this thread for ps and debuggers; cut to 15 bytes.
void clinux_name_thread(const char *name);

/// Blocks SIGTERM, SIGINT, SIGHUP in this thread and those it makes, and ignores SIGPIPE.
int clinux_prepare_signals(void);

/// Reads the kernel's clock state without changing it: 1 synchronised, 0 not, -1 refused.
int clinux_clock_is_synchronised(void);

// Memory that others share

/// One word, read or written in order with what is around it.
uint32_t clinux_load_acquire(const void *address);
void clinux_store_release(void *address, uint32_t value);
uint64_t clinux_load_acquire_64(const void *address);
void clinux_store_release_64(void *address, uint64_t value);
/// Copies words out: each whole, in no order among them, but all before what is loaded after.
void clinux_load_words(uint64_t *words, const void *shared, size_t count);
/// Copies words in: each whole, in no order among them, but all after what was stored before.
void clinux_store_words(void *shared, const uint64_t *words, size_t count);
/// Waits while the word is `expected`, at most that many nanoseconds; may return sooner.
void clinux_futex_wait(const void *address, uint32_t expected, int64_t nanoseconds);
/// Wakes all that wait for the word, in every process.
void clinux_futex_wake(const void *address);
/// Lets nobody ever grow or shrink a memfd, or write to it but through mappings that are there.
int clinux_seal_for_readers(int fd);
/// Whether a descriptor's memory can never become shorter, so that reading it cannot fail.
bool clinux_cannot_shrink(int fd);

/// Tells ThreadSanitizer of a lock that it cannot see. Nothing without the sanitizer.
void clinux_tsan_acquire(const void *address);
void clinux_tsan_release(const void *address);

#endif
