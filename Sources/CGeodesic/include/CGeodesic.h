// The WGS84 geodesic of GeographicLib as two C functions.
#ifndef CGEODESIC_H
#define CGEODESIC_H

#ifdef __cplusplus
extern "C" {
#endif

/// Distance in metres between two places in degrees.
double cgeodesic_distance(double latitude1, double longitude1, double latitude2, double longitude2);

/// The place that is `distance` metres from a place in the direction `azimuth` (degrees from north).
void cgeodesic_direct(double latitude, double longitude, double azimuth, double distance,
                      double *latitude2, double *longitude2);

#ifdef __cplusplus
}
#endif
#endif
