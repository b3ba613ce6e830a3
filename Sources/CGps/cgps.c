#include "CGps.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

int64_t cgps_build_time(void) {
  static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
  static const char date[] = __DATE__;  // such as "Nov 30 2026"
  struct tm tm = {.tm_mday = atoi(date + 4) - 1, .tm_year = atoi(date + 7) - 1900};
  for (int month = 0; month < 12; month++) {
    if (memcmp(months + 3 * month, date, 3) == 0) tm.tm_mon = month;
  }
  return timegm(&tm);
}
