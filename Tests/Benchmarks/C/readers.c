#include "CBenchmarks.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PARTIAL_SIZE = 32 * 1024, EVENTS = 256 };

struct client {
  int fd;
  size_t partial_size;
  char *partial;
};

struct bench_readers {
  enum bench_key key;
  pthread_t thread;
  int poller;
  int stopper;
  struct client *clients;
  size_t client_count;
  atomic_size_t message_count;
  struct bench_reading *readings;
  size_t reading_count;
  size_t reading_capacity;
};

static void note(struct bench_readers *readers, size_t client, int64_t time, int64_t key) {
  if (readers->reading_count == readers->reading_capacity) {
    readers->reading_capacity = readers->reading_capacity ? 2 * readers->reading_capacity : 65536;
    readers->readings =
        realloc(readers->readings, readers->reading_capacity * sizeof *readers->readings);
    if (!readers->readings) abort();
  }
  readers->readings[readers->reading_count++] =
      (struct bench_reading){.time = time, .key = key, .client = (int32_t)client};
  atomic_fetch_add_explicit(&readers->message_count, 1, memory_order_relaxed);
}

static int64_t rounded(double number) { return (int64_t)(number + (number < 0 ? -0.5 : 0.5)); }

static const char *after(const char *text, size_t size, const char *name) {
  const char *found = memmem(text, size, name, strlen(name));
  return found ? found + strlen(name) : NULL;
}

/// A message without its end, which is a 0 in memory.
static void take(struct bench_readers *readers, size_t client, int64_t time, const char *text,
                 size_t size) {
  enum { DAY_MILLISECONDS = 86400000 };
  const char *place;
  switch (readers->key) {
    case BENCH_COUNT:
      break;
    case BENCH_FIX:
      if (!(place = after(text, size, "\"timestamp\":"))) return;
      note(readers, client, time, strtoll(place, NULL, 10) / 1000 % DAY_MILLISECONDS);
      break;
    case BENCH_TPV: {
      int hour, minute;
      double second;
      if (!after(text, size, "\"class\":\"TPV\"") || !(place = after(text, size, "\"time\":\"")))
        return;
      if (sscanf(place, "%*d-%*d-%*dT%d:%d:%lf", &hour, &minute, &second) != 3) return;
      note(readers, client, time, (hour * 60 + minute) * 60000LL + rounded(second * 1000));
      break;
    }
    case BENCH_SAMPLE: {
      const char *end = text + size;
      for (place = text; (place = after(place, (size_t)(end - place), "\"x\":"));)
        note(readers, client, time, rounded(strtod(place, NULL) * 1e6));
      break;
    }
  }
}

static void split(struct bench_readers *readers, size_t index, char *bytes, size_t size) {
  struct client *client = &readers->clients[index];
  char end = readers->key == BENCH_TPV ? '\n' : 0;
  int64_t time = bench_now();
  if (readers->key == BENCH_COUNT) {
    size_t count = 0;
    for (size_t i = 0; i < size; i++) count += bytes[i] == end;
    atomic_fetch_add_explicit(&readers->message_count, count, memory_order_relaxed);
    return;
  }
  char *from = bytes, *stop = bytes + size, *found;
  while ((found = memchr(from, end, (size_t)(stop - from)))) {
    *found = 0;
    size_t length = (size_t)(found - from);
    if (client->partial_size > 0 && client->partial_size + length < PARTIAL_SIZE) {
      memcpy(client->partial + client->partial_size, from, length + 1);
      take(readers, index, time, client->partial, client->partial_size + length);
    } else {
      take(readers, index, time, from, length);
    }
    client->partial_size = 0;
    from = found + 1;
  }
  size_t rest = (size_t)(stop - from);
  if (client->partial_size + rest < PARTIAL_SIZE) {
    memcpy(client->partial + client->partial_size, from, rest);
    client->partial_size += rest;
  }
}

static void *run(void *argument) {
  struct bench_readers *readers = argument;
  static _Thread_local char buffer[64 * 1024];
  struct epoll_event events[EVENTS];
  while (1) {
    int count = epoll_wait(readers->poller, events, EVENTS, -1);
    for (int i = 0; i < count; i++) {
      size_t index = events[i].data.u64;
      if (index == readers->client_count) return NULL;
      struct client *client = &readers->clients[index];
      ssize_t size = recv(client->fd, buffer, sizeof buffer, MSG_DONTWAIT);
      if (size > 0) split(readers, index, buffer, (size_t)size);
      if (size == 0) epoll_ctl(readers->poller, EPOLL_CTL_DEL, client->fd, NULL);
    }
  }
}

struct bench_readers *bench_readers_start(const int *fds, size_t count, enum bench_key key) {
  struct bench_readers *readers = calloc(1, sizeof *readers);
  if (!readers) return NULL;
  readers->key = key;
  readers->poller = epoll_create1(EPOLL_CLOEXEC);
  readers->stopper = eventfd(0, EFD_CLOEXEC);
  readers->clients = calloc(count, sizeof *readers->clients);
  readers->client_count = count;
  for (size_t i = 0; i <= count; i++) {
    int fd = i < count ? fds[i] : readers->stopper;
    if (i < count) {
      readers->clients[i].fd = fd;
      readers->clients[i].partial = key == BENCH_COUNT ? NULL : malloc(PARTIAL_SIZE);
    }
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = i};
    if (epoll_ctl(readers->poller, EPOLL_CTL_ADD, fd, &event) < 0) return NULL;
  }
  return pthread_create(&readers->thread, NULL, run, readers) == 0 ? readers : NULL;
}

size_t bench_readers_count(const struct bench_readers *readers) {
  return atomic_load_explicit(&readers->message_count, memory_order_relaxed);
}

void bench_readers_stop(struct bench_readers *readers) {
  uint64_t one = 1;
  if (write(readers->stopper, &one, sizeof one) < 0) abort();
  pthread_join(readers->thread, NULL);
}

size_t bench_readers_readings(const struct bench_readers *readers,
                              const struct bench_reading **readings) {
  *readings = readers->readings;
  return readers->reading_count;
}

void bench_readers_free(struct bench_readers *readers) {
  close(readers->poller);
  close(readers->stopper);
  for (size_t i = 0; i < readers->client_count; i++) free(readers->clients[i].partial);
  free(readers->clients);
  free(readers->readings);
  free(readers);
}
