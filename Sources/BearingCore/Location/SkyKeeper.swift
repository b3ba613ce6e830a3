internal import BearingModel

/// Keeps the satellites of the last full SKY when gpsd sends only dilutions.
struct SkyKeeper: Sendable {
  /// The newest sky; nil before the first.
  private(set) var sky: Sky?

  /// Merges a SKY into what is known; the time stays that of the satellites' list.
  mutating func note(_ report: SkyReport) -> Sky {
    var merged: Sky
    if let satellites = report.satellites {
      merged = Sky(
        bootTimestamp: report.receipt.microseconds, satellites: satellites.map(Satellite.init))
    } else {
      merged = sky ?? Sky(bootTimestamp: report.receipt.microseconds, satellites: [])
      if merged.satellites.isEmpty { merged.bootTimestamp = report.receipt.microseconds }
    }
    merged.horizontalDilution = report.hdop ?? sky?.horizontalDilution
    merged.positionDilution = report.pdop ?? sky?.positionDilution
    merged.verticalDilution = report.vdop ?? sky?.verticalDilution
    merged.timeDilution = report.tdop ?? sky?.timeDilution
    sky = merged
    return merged
  }

  /// Forgets it: another receiver sees another sky.
  mutating func reset() {
    sky = nil
  }
}

extension Satellite {
  /// gpsd's gnssid 0 to 7 in order.
  private static let constellations = [
    "GPS", "SBAS", "Galileo", "BeiDou", "IMES", "QZSS", "GLONASS", "NavIC",
  ]

  fileprivate init(_ report: SatelliteReport) {
    var constellation = "unknown"
    if let gnss = report.gnss, Self.constellations.indices.contains(gnss) {
      constellation = Self.constellations[gnss]
    }
    self.init(
      constellation: constellation, identifier: report.svid ?? report.prn, used: report.used)
    elevation = report.elevation
    azimuth = report.azimuth
    signal = report.signal
    health = report.health
  }
}
