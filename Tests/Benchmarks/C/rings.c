#include "CBenchmarks.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { STACK_SIZE = 256 * 1024, HEAD = 64, WAKE_UPS = 72, SLOT_WORDS = 6 };

struct ring_reader {
  struct bench_rings *rings;
  pthread_t thread;
  int fd;
  const char *memory;
  size_t size;
  uint32_t first, slot, count;
  uint64_t next;
};

struct bench_rings {
  struct ring_reader *readers;
  size_t reader_count;
  int64_t pause;
  size_t thread_count;
  atomic_size_t samples, lost;
  atomic_bool is_ending;
};

static uint32_t word(const struct ring_reader *reader, size_t offset) {
  return __atomic_load_n((const uint32_t *)(reader->memory + offset), __ATOMIC_ACQUIRE);
}

static uint64_t long_word(const struct ring_reader *reader, size_t offset) {
  return __atomic_load_n((const uint64_t *)(reader->memory + offset), __ATOMIC_ACQUIRE);
}

/// Reads all that there is, as docs/ring.md says.
static void look(struct ring_reader *reader) {
  uint64_t head, samples = 0, lost = 0, words[SLOT_WORDS];
  while ((head = long_word(reader, HEAD)) > reader->next) {
    if (head - reader->next > reader->count - 1) {
      lost += head - reader->next - (reader->count - 1);
      reader->next = head - (reader->count - 1);
    }
    size_t place = reader->first + reader->next % reader->count * reader->slot;
    for (size_t i = 0; i < SLOT_WORDS; i++) words[i] = long_word(reader, place + 8 * i);
    if (long_word(reader, HEAD) - reader->next > reader->count - 1) continue;
    reader->next++;
    samples++;
  }
  if (samples > 0) atomic_fetch_add(&reader->rings->samples, samples);
  if (lost > 0) atomic_fetch_add(&reader->rings->lost, lost);
}

static void *wait_and_look(void *argument) {
  struct ring_reader *reader = argument;
  struct timespec second = {.tv_sec = 1};
  while (!atomic_load(&reader->rings->is_ending)) {
    uint32_t woken = word(reader, WAKE_UPS);
    look(reader);
    syscall(SYS_futex, reader->memory + WAKE_UPS, FUTEX_WAIT, woken, &second, NULL, 0);
  }
  return NULL;
}

static void *look_at_all(void *argument) {
  struct bench_rings *rings = argument;
  for (int64_t moment = bench_now(); !atomic_load(&rings->is_ending); moment += rings->pause) {
    bench_wait_until(moment);
    for (size_t i = 0; i < rings->reader_count; i++) look(&rings->readers[i]);
  }
  return NULL;
}

/// Connects, opens the ring and maps it.
static int open_ring(struct ring_reader *reader, const char *path, int rate) {
  char text[256];
  int length = snprintf(text, sizeof text,
                        "{\"method\":\"io.bearing.accelerometer.OpenRing\","
                        "\"parameters\":{\"rate\":%d}}",
                        rate);
  union {
    struct cmsghdr align;
    char bytes[CMSG_SPACE(sizeof(int))];
  } control;
  struct iovec part = {text, sizeof text};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  struct stat status;
  int memory;
  reader->fd = bench_connect_unix(path);
  if (reader->fd < 0 || bench_send(reader->fd, text, (size_t)length + 1) < 0) return -1;
  message.msg_control = &control;
  message.msg_controllen = sizeof control;
  if (recvmsg(reader->fd, &message, MSG_CMSG_CLOEXEC) <= 0 || !CMSG_FIRSTHDR(&message)) return -1;
  memcpy(&memory, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof memory);
  if (fstat(memory, &status) < 0) return -1;
  reader->size = (size_t)status.st_size;
  void *address = mmap(NULL, reader->size, PROT_READ, MAP_SHARED, memory, 0);
  close(memory);
  if (address == MAP_FAILED) return -1;
  reader->memory = address;
  reader->first = word(reader, 12);
  reader->slot = word(reader, 16);
  reader->count = word(reader, 20);
  reader->next = long_word(reader, HEAD);
  return 0;
}

struct bench_rings *bench_rings_start(const char *path, size_t count, int rate, int64_t pause) {
  struct bench_rings *rings = calloc(1, sizeof *rings);
  if (!rings || !(rings->readers = calloc(count, sizeof *rings->readers))) return NULL;
  rings->pause = pause;
  for (size_t i = 0; i < count; i++) {
    struct ring_reader *reader = &rings->readers[i];
    reader->rings = rings;
    if (open_ring(reader, path, rate) < 0) return NULL;
    rings->reader_count++;
  }
  rings->thread_count = pause > 0 ? 1 : count;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, STACK_SIZE);
  for (size_t i = 0; i < rings->thread_count; i++) {
    struct ring_reader *reader = &rings->readers[i];
    if (pthread_create(&reader->thread, &attributes, pause > 0 ? look_at_all : wait_and_look,
                       pause > 0 ? (void *)rings : reader) != 0)
      return NULL;
  }
  pthread_attr_destroy(&attributes);
  return rings;
}

size_t bench_rings_samples(const struct bench_rings *rings) {
  return atomic_load(&rings->samples);
}

size_t bench_rings_lost(const struct bench_rings *rings) { return atomic_load(&rings->lost); }

void bench_rings_end(struct bench_rings *rings) {
  atomic_store(&rings->is_ending, true);
  if (rings->pause == 0 && rings->reader_count > 0)
    syscall(SYS_futex, rings->readers[0].memory + WAKE_UPS, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
  for (size_t i = 0; i < rings->thread_count; i++) pthread_join(rings->readers[i].thread, NULL);
  for (size_t i = 0; i < rings->reader_count; i++) {
    munmap((void *)rings->readers[i].memory, rings->readers[i].size);
    close(rings->readers[i].fd);
  }
  free(rings->readers);
  free(rings);
}
