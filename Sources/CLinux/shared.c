// Memory that processes share: ordered words, the futex, seals.
#define _GNU_SOURCE
#include "CLinux.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010  // Linux 5.1
#endif

uint32_t clinux_load_acquire(const void *address) {
  return __atomic_load_n((const uint32_t *)address, __ATOMIC_ACQUIRE);
}

void clinux_store_release(void *address, uint32_t value) {
  __atomic_store_n((uint32_t *)address, value, __ATOMIC_RELEASE);
}

uint64_t clinux_load_acquire_64(const void *address) {
  return __atomic_load_n((const uint64_t *)address, __ATOMIC_ACQUIRE);
}

void clinux_store_release_64(void *address, uint64_t value) {
  __atomic_store_n((uint64_t *)address, value, __ATOMIC_RELEASE);
}

void clinux_load_words(uint64_t *words, const void *shared, size_t count) {
  for (size_t i = 0; i < count; i++)
    words[i] = __atomic_load_n((const uint64_t *)shared + i, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
}

void clinux_store_words(void *shared, const uint64_t *words, size_t count) {
  __atomic_thread_fence(__ATOMIC_RELEASE);
  for (size_t i = 0; i < count; i++)
    __atomic_store_n((uint64_t *)shared + i, words[i], __ATOMIC_RELAXED);
}

void clinux_futex_wait(const void *address, uint32_t expected, int64_t nanoseconds) {
  struct timespec timeout = {nanoseconds / 1000000000, nanoseconds % 1000000000};
  syscall(SYS_futex, address, FUTEX_WAIT, expected, &timeout, NULL, 0);
}

void clinux_futex_wake(const void *address) {
  syscall(SYS_futex, address, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

int clinux_seal_for_readers(int fd) {
  return fcntl(fd, F_ADD_SEALS,
               F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL);
}

bool clinux_cannot_shrink(int fd) {
  int seals = fcntl(fd, F_GET_SEALS);
  return seals >= 0 && (seals & F_SEAL_SHRINK);
}
