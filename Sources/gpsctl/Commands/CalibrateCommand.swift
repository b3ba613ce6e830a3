internal import BearingClient
internal import BearingModel

extension Option {
  static let three = Option("three", .flag, "three poses, which give the matrix alone")
  static let pose = Option(
    "pose", .choice(Pose.allCases.map(\.rawValue)), "measure this pose alone and print it")
  static let measured = Option(
    "measured", .file, "calibrate from poses that --pose --json printed; - is standard input")
}

extension Command {
  /// How an accelerometer is mounted.
  static let calibrate = Command(
    name: "calibrate",
    summary: "find out how an accelerometer is mounted, and its bias and scale",
    discussion: """
      Asks for six poses of the display, one after the other: hold it so and press Enter. Each is
      measured as soon as the device rests. Then it prints the lines for bearingd's configuration
      and, for the matrix, those for udev's hardware database; it changes nothing. Poses need not
      be exact: a sensor that is within 10° of right angles is taken to sit at right angles, and
      bias and scale come from the strength of gravity alone. In a script, a line on standard input
      is the Enter key; or measure each pose by itself with --pose.
      """,
    options: [.sensor, .three, .pose, .measured, .timeout],
    examples: [
      Example("gpsctl calibrate", "six poses, matrix, bias and scale"),
      Example("gpsctl calibrate --three --sensor base", "three poses of a sensor by its place"),
      Example("gpsctl calibrate --pose faceUp --json >> poses", "one pose, for a script"),
      Example("gpsctl calibrate --measured poses", "the calibration of such poses"),
    ]
  ) { invocation throws(Failure) in
    try await Calibrator(invocation).run()
  }
}

/// Leads through the poses and prints what comes of them.
private struct Calibrator {
  /// A file of six lines is a few hundred bytes.
  private static let largestFile = 64 * 1024

  let invocation: Invocation
  let session: Session

  init(_ invocation: Invocation) {
    self.invocation = invocation
    session = Session(invocation)
  }

  func run() async throws(Failure) {
    let modes = [Option.three, .pose, .measured].filter(invocation.has)
    if modes.count > 1 {
      throw .usage("--\(modes[0].name) and --\(modes[1].name) exclude each other")
    }
    if let file = invocation.text(.measured) { return try show(try read(file)) }
    if let pose = invocation.text(.pose).flatMap(Pose.init) {
      guard let measurement = try await meter.measure(pose) else {
        throw Failure(.noData, meter.unrest)
      }
      return try StandardStreams.writeOutput(
        (session.isJSON ? "\(measurement.json)" : measurement.text) + "\n")
    }
    try show(try await measureAll())
  }

  private var meter: PoseMeter {
    var meter = PoseMeter(
      client: session.client, sensor: invocation.text(.sensor),
      timeout: invocation.duration(.timeout) ?? .seconds(30))
    if StandardStreams.isErrorTerminal {
      meter.progress = { deviation in
        let shown = fixedPoint(deviation, decimals: 2)
        StandardStreams.writeError("\r  hold it still: moving by \(shown) m/s²   ")
      }
    }
    return meter
  }

  /// All poses, each when a line comes on standard input; one that cannot be is asked for again, and
  /// the second time the one before it too: that may be the one that was held otherwise.
  private func measureAll() async throws(Failure) -> [PoseMeasurement] {
    let poses = invocation.has(.three) ? Pose.three : Pose.allCases
    var measured: [PoseMeasurement] = []
    var wasRefused = false
    while measured.count < poses.count {
      let (index, pose) = (measured.count, poses[measured.count])
      let start = pose.instruction.prefix(1).uppercased() + pose.instruction.dropFirst()
      StandardStreams.writeError(
        "\(index + 1) of \(poses.count): \(start), and press Enter.\n")
      guard readLine() != nil else {
        throw Failure(.failed, "standard input ended before the pose \(pose.rawValue)")
      }
      let measurement = try await meter.measure(pose)
      let clear = StandardStreams.isErrorTerminal ? "\r\u{1B}[K" : ""
      StandardStreams.writeError("\(clear)  \(measurement?.text ?? meter.unrest)\n")
      guard let measurement else { continue }
      do throws(Calibration.Fault) {
        try Calibration.check(vectors(measured + [measurement]))
        measured.append(measurement)
        wasRefused = false
      } catch {
        StandardStreams.writeError("  \(error.description)\n")
        if wasRefused { _ = measured.popLast() }
        wasRefused.toggle()
      }
    }
    return measured
  }

  private func read(_ file: String) throws(Failure) -> [PoseMeasurement] {
    let lines = try InputFile.read(file, upTo: Self.largestFile).split(separator: 10)
    var measured: [PoseMeasurement] = []
    for (index, line) in lines.enumerated() {
      guard let measurement = PoseMeasurement(parsing: line) else {
        throw Failure(
          .failed,
          "\(InputFile.shown(file)), line \(index + 1): not a pose as gpsctl calibrate --pose --json"
            + " prints")
      }
      measured.append(measurement)
    }
    return measured
  }

  /// By their poses; one that was measured again replaces the one before.
  private func vectors(_ measured: [PoseMeasurement]) -> [Pose: SIMD3<Double>] {
    Dictionary(measured.map { ($0.pose, $0.vector) }) { $1 }
  }

  private func show(_ measured: [PoseMeasurement]) throws(Failure) {
    guard let first = measured.first else { throw Failure(.failed, "there are no poses") }
    if let other = measured.first(where: { $0.path != first.path }) {
      throw Failure(
        .failed, "the poses are of two sensors, \(first.sensor) and \(other.sensor); name one")
    }
    let calibration: Calibration
    do throws(Calibration.Fault) {
      calibration = try Calibration(vectors(measured))
    } catch {
      throw Failure(.failed, error.description)
    }
    let text = CalibrationText(
      calibration: calibration, sensor: first.sensor,
      path: invocation.has(.sensor) ? first.path : nil,
      entry: HardwareEntry(first.sensor, in: Tree(root: "")))
    try StandardStreams.writeOutput(
      (session.isJSON ? "\(text.json)" : text.text(session.style)) + "\n")
  }
}
