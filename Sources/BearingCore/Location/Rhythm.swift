/// The median step between a receiver's last epochs, by receipt.
struct Rhythm: Sendable {
  private let capacity: Int
  private var steps: [Int64] = []
  private var last: BootTime?

  /// Keeps the steps between the last `epochs` epochs.
  init(epochs: Int) {
    capacity = max(1, epochs - 1)
  }

  /// Counts an epoch.
  mutating func note(_ receipt: BootTime) {
    if let last {
      if steps.count == capacity { steps.removeFirst() }
      steps.append(receipt - last)
    }
    last = receipt
  }

  /// Nanoseconds; nil before the second epoch.
  var median: Int64? {
    guard !steps.isEmpty else { return nil }
    let sorted = steps.sorted()
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }
}
