import Testing

@testable import gpsctl

private let accuracy = Option("accuracy", .distance, "")
private let timeout = Option("timeout", .duration, "")
private let rate = Option("rate", .rate, "")
private let count = Option("count", .count, "")
private let units = Option("units", .choice(["metric", "nautical"]), "")
private let best = Option("best-effort", .flag, "")

private let parser = ArgumentParser(commands: [
  Command(name: "fix", summary: "", options: [accuracy, timeout, best, units]),
  Command(
    name: "watch", summary: "", operands: .words(["location", "sky"]), options: [count, rate]),
  Command(
    name: "region", summary: "",
    subcommands: [
      Command(name: "add", summary: "", operands: .texts(["NAME", "[NOTE]"])),
      Command(name: "list", summary: ""),
    ]),
  Command(name: "picture", summary: "", insteadOfJSON: "gpsctl watch --json"),
])

private func invocation(_ line: String) throws -> Invocation {
  guard case .run(let invocation) = try parser.parse(line.split(separator: " ").map(String.init))
  else { throw Failure.usage("not a call of a command") }
  return invocation
}

@Suite struct ArgumentParserTests {
  @Test func `options may stand anywhere, with their value behind a space or an equals sign`()
    throws
  {
    let call = try invocation("--json fix --accuracy 30ft --socket=/run/x --timeout=2m")
    #expect(call.path == ["fix"])
    #expect(call.has(.json))
    #expect(call.text(.socket) == "/run/x")
    #expect(call.number(accuracy) == 9.144)
    #expect(call.duration(timeout) == .seconds(120))
    #expect(!call.has(best))
    #expect(call.duration(accuracy) == nil)
  }

  @Test func `operands and options mix, and two dashes end the options`() throws {
    let call = try invocation("watch sky --count 3 location")
    #expect(call.operands == ["sky", "location"])
    #expect(call.count(count) == 3)
    let text = try invocation("region add -- --name")
    #expect(text.path == ["region", "add"])
    #expect(text.operands == ["--name"])
  }

  @Test(arguments: [
    ("", "no command is given; see gpsctl --help"),
    ("fxi", "gpsctl has no command \"fxi\"; did you mean \"fix\"? (see gpsctl --help)"),
    ("wat", "gpsctl has no command \"wat\"; did you mean \"watch\"? (see gpsctl --help)"),
    ("frobnicate", "gpsctl has no command \"frobnicate\" (see gpsctl --help)"),
    (
      "fix --acuracy 5",
      "gpsctl fix has no option \"--acuracy\"; did you mean \"--accuracy\"? (see gpsctl fix --help)"
    ),
    ("fix -x", "gpsctl fix has no option \"-x\" (see gpsctl fix --help)"),
    ("fix --accuracy", "--accuracy needs a value: DISTANCE"),
    ("fix --best-effort=yes", "--best-effort takes no value"),
    (
      "fix --accuracy 5furlongs",
      "--accuracy 5furlongs: expected a distance such as 10m, 2km, 30ft, 1mi or 1nmi "
        + "(a bare number is metres)"
    ),
    (
      "fix --timeout -1",
      "--timeout -1: expected a time such as 500ms, 5s, 2m or 1h (a bare number is seconds)"
    ),
    ("watch --count 0", "--count 0: expected a whole number from 1"),
    ("watch --rate 0", "--rate 0: expected hertz above 0, such as 50"),
    (
      "fix --units metrc",
      "--units metrc: expected one of metric, nautical; did you mean \"metric\"?"
    ),
    ("fix here", "gpsctl fix takes no operand, but got \"here\""),
    ("watch skye", "gpsctl watch skye: expected one of location, sky; did you mean \"sky\"?"),
    ("watch sky sky", "gpsctl watch names \"sky\" twice"),
    ("region", "gpsctl region needs one of: add, list"),
    (
      "region ad",
      "gpsctl region has no command \"ad\"; did you mean \"add\"? (see gpsctl region --help)"
    ),
    ("region add", "gpsctl region add needs NAME"),
    ("region add a b c", "gpsctl region add: \"c\" is one operand too many"),
    (
      "picture --json", "gpsctl picture has no --json: for programs there is gpsctl watch --json"
    ),
    (
      "--json picture", "gpsctl picture has no --json: for programs there is gpsctl watch --json"
    ),
  ])
  func `a call that cannot be read says what was expected`(line: String, message: String) {
    let failure = #expect(throws: Failure.self) { try invocation(line) }
    #expect(failure == Failure(.usage, message))
  }

  @Test(arguments: [
    ("--help", []), ("help", []), ("help fix", ["fix"]), ("fix --help", ["fix"]),
    ("fix -h", ["fix"]), ("fix --accuracy 5 --help", ["fix"]), ("region --help", ["region"]),
    ("region add --help", ["region", "add"]), ("help region add", ["region", "add"]),
  ])
  func `help is for the command that it stands at`(line: String, path: [String]) throws {
    let request = try parser.parse(line.split(separator: " ").map(String.init))
    guard case .help(let found) = request else {
      Issue.record("\(request)")
      return
    }
    #expect(found == path)
  }

  @Test func `help for a command that there is not is a mistake`() throws {
    let failure = #expect(throws: Failure.self) { try parser.command(at: ["region", "add", "x"]) }
    #expect(
      failure
        == .usage("gpsctl region add has no command \"x\" (see gpsctl region add --help)"))
  }
}

@Suite struct QuantityTests {
  @Test(arguments: [
    ("500ms", Duration.milliseconds(500)), ("5s", .seconds(5)), ("0.25", .milliseconds(250)),
    ("2m", .seconds(120)), ("2min", .seconds(120)), ("1h", .seconds(3600)), ("0", .zero),
    ("1e2", .seconds(100)),
  ])
  func `reads a time`(text: String, expected: Duration) {
    #expect(Quantity.duration(text) == expected)
  }

  @Test(arguments: [
    ("10", 10.0), ("10m", 10), ("1.5km", 1500), ("100ft", 30.48), ("1mi", 1609.344),
    ("2nmi", 3704), ("0", 0),
  ])
  func `reads a distance in metres`(text: String, expected: Double) {
    #expect(Quantity.distance(text) == expected)
  }

  @Test(arguments: [
    "", "m", "-1", "+1", "1,5", "nan", "inf", "0x10", "5 s", "5d", "1e400", "٣", "1e", "1e306km",
    "1e306h",
  ])
  func `refuses what is not a quantity`(text: String) {
    #expect(Quantity.duration(text) == nil)
    #expect(Quantity.distance(text) == nil)
    #expect(Quantity.rate(text) == nil)
  }
}

@Suite struct UnitsTests {
  @Test(arguments: [
    (Units.metric, "12.3 m", "36.0 km/h"), (.imperial, "40.4 ft", "22.4 mph"),
    (.nautical, "40.4 ft", "19.4 kn"),
  ])
  func `shows a length and a speed`(units: Units, length: String, speed: String) {
    #expect(units.length(12.3) == length)
    #expect(units.speed(10) == speed)
  }

  @Test(arguments: [
    (CoordinateFormat.decimal, 52.52, 13.405, "52.5200000, 13.4050000"),
    (.dms, 52.52, 13.405, "52°31′12.00″N 13°24′18.00″E"),
    (.utm, 52.52, 13.405, "33U 391779.26 5820072.16"),
    (.maidenhead, 52.52, 13.405, "JO62qm84"),
    (.utm, 85, 0, "85.0000000, 0.0000000"),
    (.decimal, -0.00000001, -180, "0.0000000, -180.0000000"),
  ])
  func `writes a place`(
    format: CoordinateFormat, latitude: Double, longitude: Double, expected: String
  ) {
    #expect(format.text(latitude: latitude, longitude: longitude) == expected)
  }
}
