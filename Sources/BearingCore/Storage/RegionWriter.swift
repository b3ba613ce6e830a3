internal import SQLiteStore

/// Brings what users ask for and what happens into the store: one change at a time, with all that
/// waits in it.
///
/// So nobody waits for more than two changes, however much others ask for, and what is stored comes in
/// the order in which it was asked for.
final class RegionWriter {
  /// Happenings that wait; beyond it the oldest are lost, with a line in the journal.
  private static let waitingLimit = 10_000

  private let storage: Storage
  private let boot: String
  /// The regions as they are now, for a store that has lost them.
  private let known: () -> [StoredRegion]
  /// Called when a change is stored, with those whose events are in it.
  private let stored: (Set<UInt32>) -> Void
  /// Called when something could not be stored that waits now until it can be.
  private let failed: (StoreError) -> Void

  private var edits: [(edit: RegionEdit, then: (StoreError?) -> Void)] = []
  private var happenings: [RegionHappening] = []
  private var isWriting = false
  /// Whether the store has lost the regions.
  private var isLost = false

  init(
    _ storage: Storage, boot: String, known: @escaping () -> [StoredRegion],
    stored: @escaping (Set<UInt32>) -> Void, failed: @escaping (StoreError) -> Void
  ) {
    self.storage = storage
    self.boot = boot
    self.known = known
    self.stored = stored
    self.failed = failed
  }

  /// The store has begun afresh: the next change has all that is known.
  func noteLoss() { isLost = true }

  /// Stores what a user asked for, and then calls `then`, with the error if it could not be stored.
  func write(_ edit: RegionEdit, then: @escaping (StoreError?) -> Void) {
    edits.append((edit, then))
    writeNext()
  }

  /// Stores what happened, when it can be.
  func write(_ happenings: [RegionHappening]) {
    self.happenings += happenings
    if self.happenings.count > Self.waitingLimit {
      let lost = self.happenings.count - Self.waitingLimit
      self.happenings.removeFirst(lost)
      Journal.error(
        "\(lost) region events are lost: they could not be stored for too long", .storage)
    }
    writeNext()
  }

  /// Stores what waits, unless a change is under way.
  func writeNext() {
    guard !isWriting, isLost || !edits.isEmpty || !happenings.isEmpty else { return }
    isWriting = true
    let (asked, isRestoring) = (edits, isLost)
    // What is known is what was stored before, as nothing else is under way: a region that is to be
    // removed is in it, and goes by the same change.
    let change = RegionChange(
      restored: isRestoring ? known() : [], edits: asked.map(\.edit), happenings: happenings)
    (edits, happenings) = ([], [])
    storage.run { [boot] (store) throws(StoreError) in
      try store.write(change, boot: boot)
    } then: { [unowned self] result in
      follow(result, change, asked.map(\.then), isRestoring: isRestoring)
    }
  }

  private func follow(
    _ result: Result<Void, StoreError>, _ change: RegionChange,
    _ asked: [(StoreError?) -> Void], isRestoring: Bool
  ) {
    switch result {
    case .success:
      if isRestoring { isLost = false }
      for then in asked { then(nil) }
      stored(Set(change.happenings.map(\.owner)))
    case .failure(let error):
      happenings = change.happenings + happenings
      for then in asked { then(error) }
      if isRestoring || !happenings.isEmpty { failed(error) }
    }
    // Not before: what is removed is known until those who asked for it have been told.
    isWriting = false
    // After a failure what happened waits for a better moment, but nobody waits for an answer.
    if (try? result.get()) != nil || !edits.isEmpty { writeNext() }
  }
}
