// Descriptors that nobody wants, from peers whom the kernel does not let us refuse them.
//
// Whoever drops the last descriptor of a file waits as long as that takes: for a TCP socket with
// SO_LINGER as long as its owner likes. A socket that is closed drops those that it holds unread.
#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

ssize_t clinux_receive_bytes(int fd, void *buffer, size_t size) {
  struct iovec part = {.iov_base = buffer, .iov_len = size};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  ssize_t seen, received;
  do seen = recvmsg(fd, &message, MSG_PEEK | MSG_DONTWAIT);
  while (seen < 0 && errno == EINTR);
  if (seen <= 0) return seen;
  if (message.msg_flags & MSG_CTRUNC) {
    errno = EBADMSG;
    return -1;
  }
  // No more than was seen: what came since may bring descriptors.
  do received = recv(fd, buffer, (size_t)seen, MSG_DONTWAIT);
  while (received < 0 && errno == EINTR);
  return received;
}

struct parting {
  sem_t has_own_table, is_last;
};

static void *part(void *context) {
  struct parting *parting = context;
  unshare(CLONE_FILES);
  sem_post(&parting->has_own_table);
  while (sem_wait(&parting->is_last) < 0) continue;
  return NULL;
}

void clinux_close_unread(int fd) {
  int unread = 0;
  struct parting parting;
  pthread_t thread;
  shutdown(fd, SHUT_RDWR);  // Nothing comes any more.
  if (ioctl(fd, FIONREAD, &unread) < 0 || unread == 0) {
    close(fd);
    return;
  }
  // The kernel lingers for nobody who ends: a thread with a table of its own is the last to have the
  // socket, and ends.
  sem_init(&parting.has_own_table, 0, 0);
  sem_init(&parting.is_last, 0, 0);
  int failure = pthread_create(&thread, NULL, part, &parting);
  if (failure == 0)
    while (sem_wait(&parting.has_own_table) < 0) continue;
  close(fd);
  if (failure == 0) {
    sem_post(&parting.is_last);
    pthread_join(thread, NULL);
  }
  sem_destroy(&parting.has_own_table);
  sem_destroy(&parting.is_last);
}
