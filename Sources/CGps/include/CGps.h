// libgps, whose structs change with its version, as a few calls and small structs of our own.
//
// Only its parser is used: its own reading blocks in connect, spins in gps_waiting, fails for ever
// on a line over 20,480 bytes and raises SIGPIPE. Numbers that gpsd did not give are NaN.
#ifndef CGPS_H
#define CGPS_H

#include <stdbool.h>
#include <stdint.h>

/// Room for a receiver's name; libgps cuts longer ones.
#define CGPS_NAME_SIZE 128

/// A parser with libgps's state (some 100 KB); one line at a time, one thread at a time.
struct cgps_parser;

/// One TPV, in gpsd's units.
struct cgps_position {
  char receiver[CGPS_NAME_SIZE];
  int mode;
  /// 0 when gpsd says nothing (it leaves "normal" out, too).
  int status;
  bool has_time;
  /// UTC in nanoseconds since 1970.
  int64_t time;
  double latitude, longitude;
  /// altitude is the one that old versions give alone: above mean sea level.
  double altitude_msl, altitude_hae, altitude;
  double speed, track, climb, magnetic_variation;
  double eph, epx, epy, epv, eps, epd;
};

/// One SKY.
struct cgps_sky {
  char receiver[CGPS_NAME_SIZE];
  double hdop, pdop, vdop, tdop;
  int satellite_count;
};

/// One satellite of the SKY parsed last.
struct cgps_satellite {
  int prn, gnss, svid, health;
  bool used;
  double elevation, azimuth, signal;
};

/// NULL when there is no memory.
struct cgps_parser *cgps_open(void);
void cgps_close(struct cgps_parser *parser);

/// Each parses one line of the class that its name says, ended by NUL and without newline, that the
/// caller has found to be whole: libgps takes a torn one for good. Nothing of an earlier line is kept.
void cgps_parse_position(struct cgps_parser *parser, const char *line, struct cgps_position *out);
void cgps_parse_sky(struct cgps_parser *parser, const char *line, struct cgps_sky *out);
/// index from 0 to satellite_count - 1.
void cgps_satellite(const struct cgps_parser *parser, int index, struct cgps_satellite *out);

/// Seconds since 1970 at 0:00 UTC of the day before the one that this was compiled on.
int64_t cgps_build_time(void);

#endif
