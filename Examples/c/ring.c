/* Prints every sample of the accelerometer at 500 Hz or more, from memory that bearingd shares.
 *
 *   cc -o ring ring.c && ./ring [SOCKET]
 *
 * docs/ring.md says what stands where in the memory, and why it is read in this order. */
#include <linux/futex.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

static const char call[] = "{\"method\":\"io.bearing.accelerometer.OpenRing\","
                           "\"parameters\":{\"rate\":500}}"; /* sent with its NUL */
#define U32(at) __atomic_load_n((const uint32_t *)(ring + (at)), __ATOMIC_ACQUIRE)
#define U64(at) __atomic_load_n((const uint64_t *)(ring + (at)), __ATOMIC_ACQUIRE)

int main(int argc, char **argv) {
  struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "/run/bearingd/io.bearing"};
  if (argc > 1) strncpy(address.sun_path, argv[1], sizeof address.sun_path - 1);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), memory;
  char reply[4096] = "", byte;
  union { struct cmsghdr align; char bytes[CMSG_SPACE(sizeof(int))]; } control;
  struct iovec part = {reply, sizeof reply - 1};
  struct msghdr message = {NULL, 0, &part, 1, &control, sizeof control, 0};
  if (connect(fd, (struct sockaddr *)&address, sizeof address) < 0 ||
      send(fd, call, sizeof call, MSG_NOSIGNAL) < 0 ||
      recvmsg(fd, &message, MSG_CMSG_CLOEXEC) <= 0)
    return perror(address.sun_path), 4;
  if (!CMSG_FIRSTHDR(&message)) return puts(reply), 1; /* an error, and no descriptor with it */
  memcpy(&memory, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof memory);
  struct stat status;
  fstat(memory, &status);
  const char *ring = mmap(NULL, status.st_size, PROT_READ, MAP_SHARED, memory, 0);
  if (ring == MAP_FAILED || memcmp(ring, "BRBRING1", 8) || U32(8) != 1) return puts("no ring"), 1;
  uint32_t first = U32(12), size = U32(16), count = U32(20);
  for (uint64_t next = U64(64), lost = 0, head;;) {
    uint32_t woken = U32(72), ended = U32(76); /* before head, so that what they tell of is read */
    while ((head = U64(64)) > next) {
      if (head - next > count - 1) lost += head - next - (count - 1), next = head - (count - 1);
      uint64_t slot[6];
      for (int i = 0; i < 6; i++) slot[i] = U64(first + next % count * size + 8 * i);
      if (U64(64) - next > count - 1) continue; /* overwritten meanwhile: it is lost */
      double xyz[3];
      memcpy(xyz, slot + 2, sizeof xyz);
      printf("%ld %f %f %f, %ld lost\n", (long)slot[0], xyz[0], xyz[1], xyz[2], (long)lost);
      next++;
    }
    if (fflush(stdout) == EOF || ended) return 0; /* ended: OpenRing gives another */
    struct timespec second = {.tv_sec = 1};
    if (syscall(SYS_futex, ring + 72, FUTEX_WAIT, woken, &second, NULL, 0) < 0 &&
        recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0) return 0; /* the daemon is gone */
  }
}
