internal import BearingModel

/// The word nearest to what was typed, when one is near enough to have been meant.
///
/// Near is a distance of at most a third of the word's letters, and at least one.
func suggestion(for typed: String, among words: [String]) -> String? {
  let near = words.map { (word: $0, distance: editDistance(typed, $0)) }
    .filter { $0.distance <= max(1, min(typed.count, $0.word.count) / 3) }
  return near.min { $0.distance < $1.distance }?.word
    ?? words.first { typed.count >= 3 && $0.hasPrefix(typed) }
}

/// Such as `; did you mean "watch"?`; empty when nothing is near.
func suggestionText(for typed: String, among words: [String]) -> String {
  suggestion(for: typed, among: words).map { "; did you mean \"\($0)\"?" } ?? ""
}
