#include "CGeodesic.h"

#include <GeographicLib/Geodesic.hpp>

extern "C" double cgeodesic_distance(double latitude1, double longitude1, double latitude2,
                                     double longitude2) {
  double distance = 0;
  GeographicLib::Geodesic::WGS84().Inverse(latitude1, longitude1, latitude2, longitude2, distance);
  return distance;
}

extern "C" void cgeodesic_direct(double latitude, double longitude, double azimuth, double distance,
                                 double *latitude2, double *longitude2) {
  GeographicLib::Geodesic::WGS84().Direct(latitude, longitude, azimuth, distance, *latitude2,
                                          *longitude2);
}
