internal import BearingModel

/// Every user's regions and what the fixes say of them. It does no input or output.
struct RegionTable {
  /// Regions that one user may have.
  static var limit: Int { 100 }

  /// One region of one user.
  struct Entry {
    /// Of this one alone: another can have its name later.
    let number: Int
    var owner: UInt32
    var region: Region
    var watch: RegionWatch

    /// The region with the state that it has now.
    var current: Region {
      var region = region
      region.state = watch.state
      return region
    }

    /// What is told of something that happened to it, given the last fix; the store gives its sequence.
    func event(_ kind: RegionEventKind, place: Fix, now: BootTime) -> RegionEvent {
      // What happens between fixes is dated on from the last one.
      let moment = kind == .dwell ? now.microseconds : place.bootTimestamp
      var time = place.timestamp
      if let moment, let receipt = place.bootTimestamp { time? += moment - receipt }
      return RegionEvent(
        sequence: 0, identifier: region.identifier, kind: kind, timestamp: time,
        bootTimestamp: moment, latitude: place.latitude, longitude: place.longitude,
        horizontalAccuracy: place.horizontalAccuracy)
    }
  }

  /// Something happened: the entry's number, and what; nil is a change that is not told.
  struct Happening {
    var entry: Int
    var kind: RegionEventKind?
  }

  private(set) var entries: [Entry] = []
  private var lastNumber = 0
  /// Whose regions sleep, because they may not know where the machine is.
  private var sleepers: Set<UInt32> = []

  /// Whether there is a region that does not sleep, which is permanent demand for the receiver.
  var needsFixes: Bool { entries.contains { !sleepers.contains($0.owner) } }

  /// Whether the regions of `owner` sleep.
  func isAsleep(_ owner: UInt32) -> Bool { sleepers.contains(owner) }

  /// Lets the regions of those sleep who are not `awake`, and the others' be watched.
  ///
  /// What falls asleep forgets whether the machine is inside: that is not known when it wakes up.
  mutating func wake(_ isAwake: (UInt32) -> Bool, now: BootTime) -> [Happening] {
    sleepers = Set(entries.map(\.owner)).filter { !isAwake($0) }
    var happenings: [Happening] = []
    for index in entries.indices where sleepers.contains(entries[index].owner) {
      let wasKnown = entries[index].watch.state != .unknown
      entries[index].region.state = .unknown
      entries[index].watch = RegionWatch(entries[index].region, now: now)
      if wasKnown { happenings.append(Happening(entry: index, kind: nil)) }
    }
    return happenings
  }

  /// Takes a region in; gives its number.
  @discardableResult
  mutating func add(
    _ region: Region, owner: UInt32, isDwellTold: Bool = false, insideSince: BootTime? = nil,
    now: BootTime
  ) -> Int {
    let watch = RegionWatch(region, now: now, isDwellTold: isDwellTold, insideSince: insideSince)
    lastNumber += 1
    entries.append(Entry(number: lastNumber, owner: owner, region: region, watch: watch))
    return lastNumber
  }

  /// Takes a region out, if it is still there.
  mutating func remove(_ number: Int) { entries.removeAll { $0.number == number } }

  /// The number of a user's region of that name; nil when there is none.
  func number(of identifier: String, owner: UInt32) -> Int? {
    entries.first { $0.owner == owner && $0.region.identifier == identifier }?.number
  }

  /// A user's regions, by name.
  func regions(of owner: UInt32) -> [Region] {
    entries.filter { $0.owner == owner }.map(\.current).sorted { $0.identifier < $1.identifier }
  }

  /// Takes in an accepted fix.
  mutating func note(_ fix: Fix, at moment: FixMoment) -> [Happening] {
    var happenings: [Happening] = []
    for index in entries.indices where !sleepers.contains(entries[index].owner) {
      let before = entries[index].watch.state
      let change = entries[index].watch.note(fix, at: moment)
      switch change {
      case .enter: happenings.append(Happening(entry: index, kind: .enter))
      case .exit: happenings.append(Happening(entry: index, kind: .exit))
      case nil where entries[index].watch.state != before:
        happenings.append(Happening(entry: index, kind: nil))
      case nil: break
      }
    }
    return happenings + takeDwells(at: moment.receipt)
  }

  /// The dwells that are due.
  mutating func takeDwells(at now: BootTime) -> [Happening] {
    var happenings: [Happening] = []
    for index in entries.indices where entries[index].watch.takeDwell(at: now) {
      happenings.append(Happening(entry: index, kind: .dwell))
    }
    return happenings
  }

  /// When the first dwell is due; nil when none is.
  var deadline: BootTime? { entries.compactMap(\.watch.deadline).min() }
}
