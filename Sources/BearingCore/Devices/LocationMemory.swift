internal import BearingModel
internal import SQLiteStore

/// Keeps the last fix, and the secret of approximate positions, over restarts and reboots.
final class LocationMemory {
  /// How often the last fix is written at most; it is also written when it is lost, and at the end.
  private static let writeInterval = 60 * Nanoseconds.second

  private let storage: Storage
  private let boot = Boot.identifier()
  private var unsaved: Fix?
  private var last: Fix?
  private var secret: ApproximateView.Secret?
  /// Whether the store has lost the secret.
  private var isSecretLost = false
  private var savedAt: BootTime?
  private var hasFailed = false

  init(_ storage: Storage) {
    self.storage = storage
    storage.onLoss { [weak self] in self?.storeAgain() }
  }

  /// The store has begun afresh: the next writing is of all that is known.
  private func storeAgain() {
    unsaved = unsaved ?? last
    isSecretLost = secret != nil
  }

  /// Gives what is stored, once: the fix with its receipt when it is of this boot, nil when there is
  /// none or the store fails, and the secret.
  func recall(
    _ fix: @escaping (Fix?, BootTime?) -> Void,
    secret: @escaping (ApproximateView.Secret) -> Void
  ) {
    let boot = boot
    storage.run { (store) throws(StoreError) in
      try store.lastFix(boot: boot)
    } then: {
      [unowned self] result in
      let stored = unwrap(result) ?? nil
      fix(stored, stored?.bootTimestamp.flatMap { BootTime(past: $0) })
    }
    storage.run { (store) throws(StoreError) in
      try store.approximateSecret()
    } then: {
      [unowned self] result in
      // Without a store the secret is of this run only.
      let known = unwrap(result) ?? .drawn()
      self.secret = known
      secret(known)
    }
  }

  /// Takes in a fix, and writes it when the last writing is long enough ago.
  func note(_ fix: Fix, at now: BootTime) {
    (unsaved, last) = (fix, fix)
    if let savedAt, now - savedAt < Self.writeInterval { return }
    savedAt = now
    saveNow()
  }

  /// Writes the last fix if it is not written.
  func saveNow() {
    if isSecretLost, let secret { save(secret) }
    guard let fix = unsaved else { return }
    unsaved = nil
    let boot = boot
    storage.run { (store) throws(StoreError) in
      try store.saveLastFix(fix, boot: boot)
    } then: {
      [unowned self] result in
      // What could not be written is still to be.
      if unwrap(result) == nil, unsaved == nil { unsaved = fix }
    }
  }

  func save(_ secret: ApproximateView.Secret) {
    self.secret = secret
    isSecretLost = false
    storage.run { (store) throws(StoreError) in
      try store.saveApproximateSecret(secret)
    } then: {
      [unowned self] result in
      _ = unwrap(result)
    }
  }

  /// What a job gave; a failure is told once, until one succeeds again.
  private func unwrap<Output>(_ result: Result<Output, StoreError>) -> Output? {
    switch result {
    case .success(let output):
      hasFailed = false
      return output
    case .failure(let error):
      if !hasFailed { Journal.error("\(error); the last fix is kept in memory only", .storage) }
      hasFailed = true
      return nil
    }
  }
}
