#include "CGps.h"

#include <gps.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// 11: Debian 12's 3.22. What is used here is the same up to 16 (3.27); the size of the struct is
// not, not even between two versions of one number, so compile against the installed header.
#if GPSD_API_MAJOR_VERSION < 11
#error "libgps 3.22 or newer is needed"
#endif

struct cgps_parser {
  struct gps_data_t data;
};

struct cgps_parser *cgps_open(void) {
  struct cgps_parser *parser = calloc(1, sizeof *parser);
  return parser;
}

void cgps_close(struct cgps_parser *parser) {
  free(parser);
}

// libgps keeps the fix and the set of an earlier line through lines of other classes, and stops in
// the middle of one that it does not understand, so all that is read afterwards is emptied before.
static void parse(struct gps_data_t *data, const char *line) {
  data->set = 0;
  data->dev.path[0] = '\0';
  data->satellites_visible = 0;
  gps_clear_fix(&data->fix);
  gps_clear_dop(&data->dop);
  data->fix.altitude = NAN;  // undefined from API 9, and not cleared by all
  // 3.22 declares the line writable and does not write it.
  (void)gps_unpack((char *)line, data);
}

static void copy_name(char out[CGPS_NAME_SIZE], const char *name, size_t size) {
  size_t length = strnlen(name, size < CGPS_NAME_SIZE ? size : CGPS_NAME_SIZE - 1);
  memcpy(out, name, length);
  out[length] = '\0';
}

void cgps_parse_position(struct cgps_parser *parser, const char *line, struct cgps_position *out) {
  const struct gps_fix_t *fix = &parser->data.fix;
  parse(&parser->data, line);
  memset(out, 0, sizeof *out);
  copy_name(out->receiver, parser->data.dev.path, sizeof parser->data.dev.path);
  out->mode = fix->mode;
  out->status = fix->status;
  // A text that is no time becomes one before 1970; past 2262 nanoseconds do not fit.
  const int64_t second = 1000000000;
  out->has_time = (parser->data.set & TIME_SET) != 0 && fix->time.tv_sec > 0 &&
                  fix->time.tv_sec < INT64_MAX / second;
  if (out->has_time) out->time = (int64_t)fix->time.tv_sec * second + fix->time.tv_nsec;
  out->latitude = fix->latitude;
  out->longitude = fix->longitude;
  out->altitude_msl = fix->altMSL;
  out->altitude_hae = fix->altHAE;
  out->altitude = fix->altitude;
  out->speed = fix->speed;
  out->track = fix->track;
  out->climb = fix->climb;
  out->magnetic_variation = fix->magnetic_var;
  out->eph = fix->eph;
  out->epx = fix->epx;
  out->epy = fix->epy;
  out->epv = fix->epv;
  out->eps = fix->eps;
  out->epd = fix->epd;
}

void cgps_parse_sky(struct cgps_parser *parser, const char *line, struct cgps_sky *out) {
  parse(&parser->data, line);
  memset(out, 0, sizeof *out);
  copy_name(out->receiver, parser->data.dev.path, sizeof parser->data.dev.path);
  out->hdop = parser->data.dop.hdop;
  out->pdop = parser->data.dop.pdop;
  out->vdop = parser->data.dop.vdop;
  out->tdop = parser->data.dop.tdop;
  int count = parser->data.satellites_visible;
  out->satellite_count = count < 0 ? 0 : count > MAXCHANNELS ? MAXCHANNELS : count;
}

void cgps_satellite(const struct cgps_parser *parser, int index, struct cgps_satellite *out) {
  const struct satellite_t *satellite = &parser->data.skyview[index];
  out->prn = satellite->PRN;
  out->gnss = satellite->gnssid;
  out->svid = satellite->svid;
  out->health = satellite->health;
  out->used = satellite->used;
  out->elevation = satellite->elevation;
  out->azimuth = satellite->azimuth;
  out->signal = satellite->ss;
}

int64_t cgps_build_time(void) {
  static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
  static const char date[] = __DATE__;  // such as "Nov 30 2026"
  struct tm tm = {.tm_mday = atoi(date + 4) - 1, .tm_year = atoi(date + 7) - 1900};
  for (int month = 0; month < 12; month++) {
    if (memcmp(months + 3 * month, date, 3) == 0) tm.tm_mon = month;
  }
  return timegm(&tm);
}
