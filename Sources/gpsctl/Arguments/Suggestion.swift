/// The word nearest to what was typed, when one is near enough to have been meant.
///
/// Distance counts inserted, missing, replaced and swapped neighbouring letters (optimal string
/// alignment); near is at most a third of the word's letters, and at least one.
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

private func editDistance(_ first: String, _ second: String) -> Int {
  let (a, b) = (Array(first), Array(second))
  var beforeLast: [Int] = []
  var last = Array(0...b.count)
  for i in 0..<a.count {
    var row = [i + 1]
    for j in 0..<b.count {
      var cost = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
      if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
        cost = min(cost, beforeLast[j - 1] + 1)
      }
      row.append(cost)
    }
    (beforeLast, last) = (last, row)
  }
  return last[b.count]
}
