internal import BearingClient
internal import BearingModel
internal import Varlink

/// How preferences read, and how what a person types for one is understood.
struct PreferenceText {
  let style: Style

  /// All preferences, a line each.
  func table(_ preferences: [Preference]) -> String {
    var table = Table([
      ("KEY", .left), ("VALUE", .left), ("DEFAULT", .left), ("", .left), ("DECIDES", .left),
    ])
    for preference in preferences {
      table.add([
        .init(preference.key), .init(Self.value(preference.value, of: preference)),
        .init(Self.value(preference.defaultValue, of: preference)),
        preference.forced
          ? .init("forced", .yellow) : .init(preference.isDefault ? "" : "set", .green),
        .init(Self.firstSentence(preference.description)),
      ])
    }
    return table.text(style: style)
  }

  /// A preference in one line.
  func line(_ preference: Preference) -> String {
    let note = preference.forced ? "forced" : preference.isDefault ? "default" : "set"
    return "\(preference.key) = \(Self.value(preference.value, of: preference))  (\(note))"
  }

  /// A value for people: words without quotation marks, numbers with their unit.
  static func value(_ json: String, of preference: Preference) -> String {
    guard let value = try? JSON(parsing: Array(json.utf8)) else { return json }
    if value == .null { return "none" }
    return value.string ?? json + (preference.unit.map { " \($0)" } ?? "")
  }

  private static func firstSentence(_ text: String) -> String {
    text.split(separator: ".").first.map(String.init) ?? text
  }

  /// What `typed` means for a preference, as JSON. What it cannot mean is left for the daemon to refuse.
  ///
  /// Numbers are in the preference's unit, or with one of their own: 5s, 2km. Words and texts need
  /// no quotation marks.
  static func json(_ typed: String, for preference: Preference) -> JSON {
    let json = try? JSON(parsing: Array(typed.utf8))
    switch preference.kind {
    case "integer", "number":
      if let json { return json }
      if preference.unit == "ms", let time = Quantity.duration(typed) {
        return .milliseconds(time) ?? .string(typed)
      }
      if preference.unit == "m", let distance = Quantity.distance(typed) {
        return .double(distance)
      }
      return .string(typed)
    default:
      if let json, json.string != nil || json == .null { return json }
      return .string(typed)
    }
  }
}

extension Failure {
  /// What the daemon said of a preference, in words.
  init(preference error: BearingError) {
    guard case .other(let name, let parameters) = error else {
      self.init(error)
      return
    }
    let key = parameters["key"]?.string ?? ""
    switch name.split(separator: ".").last {
    case "UnknownKey":
      let nearest = (parameters["nearest"]?.array ?? []).compactMap(\.string)
      let hint =
        nearest.isEmpty
        ? "; gpsctl prefs list shows them all"
        : "; did you mean \(nearest.map { "\"\($0)\"" }.joined(separator: " or "))?"
      self = .usage("there is no preference \"\(key)\"" + hint)
    case "InvalidValue":
      let (expected, reason) = (parameters["expected"]?.string, parameters["reason"]?.string)
      self = .usage("\(key): expected \(expected ?? "another value"); \(reason ?? "this is none")")
    case "Forced":
      self.init(
        .failed,
        "\(key) is fixed by the administrator, under [Preferences] in the daemon's configuration")
    case "StorageFailed":
      self.init(
        .failed, "the daemon could not store \(key): \(parameters["reason"]?.string ?? "")")
    default:
      self.init(error)
    }
  }
}
