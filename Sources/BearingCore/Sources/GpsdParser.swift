internal import CGps

/// One message of gpsd's.
enum GpsdMessage: Equatable {
  case position(PositionReport)
  case sky(SkyReport)
  case attitude(AttitudeReport)
  /// All the receivers that gpsd has.
  case devices([String])
  /// One receiver that came or was configured, or is gone.
  case device(String, isActive: Bool)
  /// Any other class.
  case other
}

/// Reads gpsd's lines with libgps.
@safe struct GpsdParser: ~Copyable {
  private let parser: OpaquePointer

  /// nil when there is no memory for it.
  init?() {
    guard let parser = unsafe cgps_open() else { return nil }
    unsafe self.parser = unsafe parser
  }

  deinit {
    unsafe cgps_close(parser)
  }

  /// What a line without its end says; nil when it is not a whole line of gpsd's.
  func message(_ line: ArraySlice<UInt8>, receipt: BootTime) -> GpsdMessage? {
    guard let known = GpsdLine(line) else { return nil }
    switch known.kind {
    case "TPV": return .position(position(known, receipt))
    case "SKY": return .sky(sky(known, receipt))
    case "ATT": return .attitude(AttitudeReport(known, receipt))
    case "DEVICES": return .devices(known.paths)
    case "DEVICE":
      guard let path = known.paths.first else { return .other }
      return .device(path, isActive: !known.isDeactivation)
    default: return .other
    }
  }

  private func position(_ line: GpsdLine, _ receipt: BootTime) -> PositionReport {
    var raw = cgps_position()
    unsafe withTerminated(line) { unsafe cgps_parse_position(parser, $0, &raw) }
    var report = PositionReport(receipt: receipt, mode: Int(raw.mode))
    report.receiver = Self.name(raw.receiver)
    report.status = raw.status == 0 ? nil : Int(raw.status)
    report.time = raw.has_time ? raw.time : nil
    report.latitude = Self.finite(raw.latitude)
    report.longitude = Self.finite(raw.longitude)
    report.altitudeMSL = Self.finite(raw.altitude_msl)
    report.altitudeHAE = Self.finite(raw.altitude_hae)
    if !report.hasAltitude { report.altitudeMSL = Self.finite(raw.altitude) }
    report.speed = Self.finite(raw.speed)
    report.track = Self.finite(raw.track)
    report.climb = Self.finite(raw.climb)
    report.magneticVariation = Self.finite(raw.magnetic_variation)
    report.eph = Self.finite(raw.eph)
    report.epx = Self.finite(raw.epx)
    report.epy = Self.finite(raw.epy)
    report.epv = Self.finite(raw.epv)
    report.eps = Self.finite(raw.eps)
    report.epd = Self.finite(raw.epd)
    return report
  }

  private func sky(_ line: GpsdLine, _ receipt: BootTime) -> SkyReport {
    var raw = cgps_sky()
    unsafe withTerminated(line) { unsafe cgps_parse_sky(parser, $0, &raw) }
    var report = SkyReport(receipt: receipt)
    report.receiver = Self.name(raw.receiver)
    report.hdop = Self.finite(raw.hdop)
    report.pdop = Self.finite(raw.pdop)
    report.vdop = Self.finite(raw.vdop)
    report.tdop = Self.finite(raw.tdop)
    if line.hasSatellites {
      report.satellites = (0..<raw.satellite_count).map { index in
        var satellite = cgps_satellite()
        unsafe cgps_satellite(parser, index, &satellite)
        return SatelliteReport(satellite)
      }
    }
    return report
  }

  private func withTerminated(_ line: GpsdLine, _ body: (UnsafePointer<CChar>) -> Void) {
    var text = line.text.map(CChar.init(bitPattern:))
    text.append(0)
    unsafe text.withUnsafeBufferPointer { buffer in
      if let address = buffer.baseAddress { unsafe body(address) }
    }
  }

  private static func name<Text>(_ characters: Text) -> String? {
    let bytes = unsafe withUnsafeBytes(of: characters) { unsafe Array($0.prefix { $0 != 0 }) }
    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
  }

  private static func finite(_ number: Double) -> Double? {
    number.isFinite ? number : nil
  }
}

extension AttitudeReport {
  /// Not by libgps, which before API 14 stops at a heading from magnetic north.
  fileprivate init(_ line: GpsdLine, _ receipt: BootTime) {
    self.init(receipt: receipt)
    receiver = line.attitude["device"]
    trueHeading = line.attitude["heading"].flatMap(Double.init)
    magneticHeading = line.attitude["mheading"].flatMap(Double.init)
    // Only compasses have a magnetometer's status, and they give their `heading` by it.
    if line.attitude["mag_st"] != nil, magneticHeading == nil {
      swap(&trueHeading, &magneticHeading)
    }
    pitch = line.attitude["pitch"].flatMap(Double.init)
    roll = line.attitude["roll"].flatMap(Double.init)
  }
}

extension SatelliteReport {
  /// libgps has 0 for a number that gpsd does not give, and no constellation counts from 0.
  fileprivate init(_ raw: cgps_satellite) {
    self.init(prn: Int(raw.prn), used: raw.used)
    if raw.svid > 0 {
      gnss = Int(raw.gnss)
      svid = Int(raw.svid)
    }
    elevation = raw.elevation.isFinite ? raw.elevation : nil
    azimuth = raw.azimuth.isFinite ? raw.azimuth : nil
    signal = raw.signal.isFinite && raw.signal >= 0 ? raw.signal : nil
    health = raw.health == 0 ? nil : Int(raw.health)
  }
}
