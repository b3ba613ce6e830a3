// libgps, whose structs change with its version, as a few calls and one struct of our own.
#ifndef CGPS_H
#define CGPS_H

#include <stdint.h>

/// Seconds since 1970 at 0:00 UTC of the day before the one that this was compiled on.
int64_t cgps_build_time(void);

#endif
