internal import BearingModel

extension String {
  /// Without the spaces and tabs at both ends.
  var trimmed: String {
    let blanks: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    guard let first = firstIndex(where: { !blanks($0) }),
      let last = lastIndex(where: { !blanks($0) })
    else { return "" }
    return String(self[first...last])
  }

  /// Short enough for an error message.
  var clipped: String { count > 60 ? String(prefix(60)) + "…" : self }
}

/// The one of `names` that `name` was probably meant to be; nil when none is like it.
func nearestName(to name: String, in names: Set<String>) -> String? {
  nearestNames(to: name, in: names).first
}

/// Those of `names` that are like `name`, the likeliest first.
func nearestNames(to name: String, in names: Set<String>) -> [String] {
  // A longer name may be mistyped in more places; a name that is all different is another one.
  let most = max(1, name.count / 3)
  guard name.count <= 64 else { return [] }
  return names.map { (distance: editDistance(name.lowercased(), $0.lowercased()), name: $0) }
    .filter { $0.distance <= most }
    .sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }
    .map(\.name)
}
