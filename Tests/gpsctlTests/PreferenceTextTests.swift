import BearingClient
import BearingModel
import Testing
import Varlink

@testable import gpsctl

@Suite struct PreferenceTextTests {
  private func preference(_ kind: String, _ unit: String? = nil) -> Preference {
    Preference(
      key: "k", kind: kind, unit: unit, value: "1", defaultValue: "0", isDefault: false,
      forced: false, expected: "", description: "")
  }

  @Test(arguments: [
    ("integer", "ms" as String?, "5000", 5000 as JSON), ("integer", "ms", "5s", 5000),
    ("integer", "ms", "2m", 120_000), ("integer", "ms", "soon", "soon"),
    ("number", "m", "2.5", 2.5), ("number", "m", "2km", 2000.0), ("number", "m", "30ft", 9.144),
    ("word", nil, "dms", "dms"), ("word", nil, "\"dms\"", "dms"), ("text", nil, "null", .null),
    ("text", nil, "5", "5"), ("text", nil, "true", "true"), ("text", nil, "a b", "a b"),
  ]) func `what is typed is read in the preference's kind and unit`(
    kind: String, unit: String?, typed: String, json: JSON
  ) {
    #expect(PreferenceText.json(typed, for: preference(kind, unit)) == json)
  }

  @Test(arguments: [
    ("number", "m" as String?, "2.5", "2.5 m"), ("word", nil, "\"dms\"", "dms"),
    ("text", nil, "null", "none"),
  ]) func `a value reads without JSON's marks`(
    kind: String, unit: String?, json: String, text: String
  ) {
    #expect(PreferenceText.value(json, of: preference(kind, unit)) == text)
  }

  @Test func `errors are told in words, with what to do`() {
    func failure(_ name: String, _ parameters: JSON) -> Failure {
      Failure(preference: .other(name: "io.bearing.preferences." + name, parameters: parameters))
    }
    #expect(
      failure("UnknownKey", ["key": "a", "nearest": ["b", "c"]])
        == .usage("there is no preference \"a\"; did you mean \"b\" or \"c\"?"))
    #expect(failure("UnknownKey", ["key": "a", "nearest": []]).message.contains("prefs list"))
    #expect(
      failure("InvalidValue", ["key": "a", "expected": "x", "reason": "1 is none"])
        == .usage("a: expected x; 1 is none"))
    #expect(failure("Forced", ["key": "a"]).status == .failed)
    #expect(Failure(preference: .denied(reason: "r", remedy: "")).status == .denied)
  }
}
