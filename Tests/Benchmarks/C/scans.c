#include "CBenchmarks.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { AXES = 4, MOST_BATCH = 64 };

/// As a kernel buffer of three 16-bit axes with a timestamp has it, in the machine's byte order.
struct scan {
  int16_t axes[AXES];
  int64_t time;
};

struct bench_scans {
  pthread_t thread;
  int fd;
  int batch;
  int64_t period;
  atomic_bool is_stopping;
  int64_t written[BENCH_SCAN_VALUES];
};

static int64_t boot_time(void) {
  struct timespec now;
  clock_gettime(CLOCK_BOOTTIME, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void *fill(void *argument) {
  struct bench_scans *scans = argument;
  struct scan batch[MOST_BATCH];
  memset(batch, 0, sizeof batch);
  int64_t start = bench_now();
  int64_t offset = boot_time() - start;
  for (int64_t i = 0; !atomic_load(&scans->is_stopping); i += scans->batch) {
    int64_t due = start + (i + scans->batch) * scans->period;
    bench_wait_until(due);
    int64_t now = bench_now();
    for (int j = 0; j < scans->batch; j++) {
      int value = (int)((i + j) % BENCH_SCAN_VALUES);
      batch[j].axes[0] = (int16_t)value;
      batch[j].time = start + (i + j + 1) * scans->period + offset;
      scans->written[value] = now;
    }
    size_t size = (size_t)scans->batch * sizeof *batch;
    if (write(scans->fd, batch, size) != (ssize_t)size) break;
  }
  return NULL;
}

struct bench_scans *bench_scans_start(int fd, int batch, int64_t period) {
  struct bench_scans *scans = calloc(1, sizeof *scans);
  if (!scans || batch > MOST_BATCH) return NULL;
  scans->fd = fd;
  scans->batch = batch;
  scans->period = period;
  return pthread_create(&scans->thread, NULL, fill, scans) == 0 ? scans : NULL;
}

int64_t bench_scans_written(const struct bench_scans *scans, int value) {
  return scans->written[value];
}

void bench_scans_stop(struct bench_scans *scans) {
  atomic_store(&scans->is_stopping, true);
  pthread_join(scans->thread, NULL);
}

void bench_scans_free(struct bench_scans *scans) { free(scans); }
