public import BearingModel

/// Fixes against what gpsd itself said in the same run.
///
/// A fix, in its last version, is to be the last report that gpsd gave of its time. By the rules of
/// epochs it may be an earlier one in two cases, which are told apart here: the later report came
/// when the fix had been delivered and was no better (no higher mode, no altitude where there was
/// none); or it lies elsewhere and is a fix of its own, as where a leap second repeats a time.
public struct GpsdComparison {
  /// Fixes that gpsd said nothing of, or that come in another order than gpsd's.
  public private(set) var strangers: [Fix] = []
  /// Fixes that a later report of the same time is better than.
  public private(set) var outdone: [Fix] = []
  /// Fixes that a later report of the same time differs from, without being better.
  public private(set) var followed: [Fix] = []
  /// Epochs of gpsd's with a fix of which none came, each with the fix told last before it.
  public private(set) var missing: [(epoch: [GpsdTPV], after: GpsdTPV?)] = []
  /// How many epochs of gpsd's have a fix.
  public private(set) var epochCount = 0

  /// Compares all versions of fixes, as they came, with the TPVs of a run.
  public init(_ versions: [Fix], with tpvs: [GpsdTPV]) {
    let fixes = Dictionary(versions.map { ($0.sequence, $0) }) { $1 }.values
      .sorted { $0.sequence < $1.sequence }
    var told: [Int] = []
    for fix in fixes {
      // A report without time is an epoch, and so a fix, of its own; one with time tells its last.
      let next = (told.last ?? -1) + 1
      guard let first = tpvs.indices[next...].first(where: { tpvs[$0].isTold(by: fix) }) else {
        strangers.append(fix)
        continue
      }
      var index = first
      while tpvs[first].milliseconds != nil, index + 1 < tpvs.count,
        tpvs[index + 1].milliseconds == tpvs[first].milliseconds, tpvs[index + 1].isTold(by: fix)
      {
        index += 1
      }
      told.append(index)
    }
    judge(fixes.filter { fix in !strangers.contains(fix) }, told, tpvs)
  }

  private mutating func judge(_ fixes: [Fix], _ told: [Int], _ tpvs: [GpsdTPV]) {
    for (position, (fix, index)) in zip(fixes, told).enumerated() {
      let end = position + 1 < told.count ? told[position + 1] : tpvs.count
      let later = tpvs[(index + 1)..<max(end, index + 1)].prefix {
        $0.milliseconds != nil && $0.milliseconds == tpvs[index].milliseconds
      }
      let own = tpvs[index]
      if later.contains(where: {
        $0.isFix && ($0.mode > own.mode || ($0.hasAltitude && !own.hasAltitude))
      }) {
        outdone.append(fix)
      } else if later.contains(where: { $0.isFix && $0.mode == own.mode }) {
        followed.append(fix)
      }
    }
    var start = 0
    var last: GpsdTPV?
    for epoch in GpsdTPV.epochs(tpvs) {
      let range = start..<(start + epoch.count)
      start = range.upperBound
      guard epoch.contains(where: \.isFix) else { continue }
      epochCount += 1
      if let index = told.last(where: range.contains) {
        last = tpvs[index]
      } else {
        missing.append((epoch, last))
      }
    }
  }
}
