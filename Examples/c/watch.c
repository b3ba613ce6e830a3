/* Prints each reply of bearingd's stream of positions, one JSON object a line, in plain C.
 *
 *   cc -o watch watch.c && ./watch [SOCKET]
 *
 * A Varlink message is one JSON object and a NUL byte, in either direction: to read one, read up to
 * the NUL and hand the text to any JSON parser. "more" asks for a stream. The heartbeat makes the
 * daemon repeat its last reply after 20 s without news, so that silence means that it is gone. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

static const char call[] = "{\"method\":\"io.bearing.location.Subscribe\","
                           "\"parameters\":{\"minInterval\":1000,\"heartbeat\":20000},\"more\":true}";

int main(int argc, char **argv) {
  const char *path = argc > 1 ? argv[1] : getenv("BEARING_SOCKET");
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (!path) path = "/run/bearingd/io.bearing";
  if (strlen(path) >= sizeof address.sun_path) {
    fprintf(stderr, "%s: too long for a socket's path\n", path);
    return 2;
  }
  strcpy(address.sun_path, path);

  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  struct timeval silence = {.tv_sec = 45};
  if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &silence, sizeof silence) < 0 ||
      connect(fd, (struct sockaddr *)&address, sizeof address) < 0 ||
      send(fd, call, sizeof call, MSG_NOSIGNAL) != sizeof call) { /* with its NUL */
    perror(path);
    return 4;
  }

  char bytes[4096];
  ssize_t count;
  while ((count = recv(fd, bytes, sizeof bytes, 0)) > 0) {
    for (ssize_t i = 0; i < count; i++) putchar(bytes[i] ? bytes[i] : '\n');
    if (fflush(stdout) == EOF) return 1;
  }
  if (count < 0) perror("no word from the daemon");
  close(fd);
  return count < 0; /* 0: the daemon has ended the stream, as after an error, which was printed */
}
