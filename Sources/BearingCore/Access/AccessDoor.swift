internal import Glibc

/// The one door: decides for each call, before dispatch, and for each open stream when rules change.
public struct AccessDoor: Sendable {
  /// The rules, with names turned into numbers.
  public struct Rules: Sendable {
    /// Rules for one user.
    public var users: [UInt32: Precision] = [:]
    /// The configuration's rules for groups, first match wins.
    public var groups: [(gid: UInt32, precision: Precision)] = []
    /// The group `bearing`; nil when there is none.
    public var preciseGroup: UInt32?
    /// The group `bearing-approximate`.
    public var approximateGroup: UInt32?
    /// The group `bearing-admin`.
    public var administratorGroup: UInt32?
    /// The user that the daemon runs as.
    public var ownUser: UInt32 = 0
    /// For whom no other rule is.
    public var otherwise: Precision = .denied
    /// For motion.
    public var motion: MotionAccess = .orientation
    /// Where more rules go.
    public var place: RulePlace

    /// No rules: for nobody but the daemon's user.
    init(place: RulePlace) { self.place = place }

    /// The configuration's rules; a name that the system does not know is said in `unknownNames`.
    public init(_ settings: AccessSettings, place: RulePlace, unknownNames: inout [String]) {
      self.init(place: place)
      for rule in settings.users {
        if let uid = UserDatabase.uid(of: rule.name) {
          users[uid] = rule.precision
        } else {
          unknownNames.append("User.\(rule.name)")
        }
      }
      for rule in settings.groups {
        if let gid = UserDatabase.gid(of: rule.name) {
          groups.append((gid, rule.precision))
        } else {
          unknownNames.append("Group.\(rule.name)")
        }
      }
      preciseGroup = UserDatabase.gid(of: "bearing")
      approximateGroup = UserDatabase.gid(of: "bearing-approximate")
      administratorGroup = UserDatabase.gid(of: "bearing-admin")
      ownUser = geteuid()
      otherwise = settings.standard
      motion = settings.motion
    }
  }

  private let rules: Rules

  /// A door with these rules.
  public init(_ rules: Rules) {
    self.rules = rules
  }

  /// How exactly `caller` may know the position: the first rule that matches.
  public func precision(of caller: Caller) -> Precision {
    if let rule = rule(for: caller) { return rule }
    if let group = rules.preciseGroup, caller.groups.contains(group) { return .precise }
    if let group = rules.approximateGroup, caller.groups.contains(group) { return .approximate }
    if caller.uid == 0 || caller.uid == rules.ownUser { return .precise }
    return rules.otherwise
  }

  /// Whether `caller` may see other users' clients, metrics and machine preferences: also the daemon's
  /// own user, who can do with it as they like.
  public func isAdministrator(_ caller: Caller) -> Bool {
    if caller.uid == 0 || caller.uid == rules.ownUser { return true }
    guard let group = rules.administratorGroup else { return false }
    return caller.groups.contains(group)
  }

  /// Lets `caller` through, with how exactly it may know what it asks for, or says why not.
  public func check(
    _ caller: Caller, for requirement: AccessRequirement
  ) throws(Refusal) -> Precision {
    let precision = precision(of: caller)
    switch requirement {
    case .everyone:
      return precision
    case .orientation:
      if rules.motion == .denied, precision == .denied {
        throw denial(of: caller, what: "the orientation")
      }
      return precision
    case .samples:
      if precision != .denied { return precision }
      if rules.motion == .samples { return .approximate }
      throw denial(of: caller, what: "acceleration")
    case .everySample:
      if precision == .precise { return precision }
      if precision == .denied, rules.motion != .samples {
        throw denial(of: caller, what: "acceleration")
      }
      throw Refusal(
        reason: "\(Self.name(caller)) may have 50 samples of acceleration a second, and this would "
          + "give all of them",
        remedy: remedy(caller))
    case .position:
      if precision != .denied { return precision }
      throw denial(of: caller, what: "the position")
    case .precisePosition:
      if precision == .precise { return precision }
      if precision == .denied { throw denial(of: caller, what: "the position") }
      throw Refusal(
        reason: "\(Self.name(caller)) may know only approximately where the machine is, and this "
          + "would tell more",
        remedy: remedy(caller))
    case .administrator:
      if isAdministrator(caller) { return precision }
      throw Refusal(
        reason: "only root and members of the group bearing-admin may have this",
        remedy: administratorRemedy(caller))
    }
  }

  private func denial(of caller: Caller, what: String) -> Refusal {
    let name = Self.name(caller)
    let reason =
      if rules.users[caller.uid] != nil {
        "the configuration's rule for \(name) denies it \(what)"
      } else if rule(for: caller) != nil {
        "the configuration's rule for a group of \(name) denies it \(what)"
      } else {
        "no rule lets \(name) know \(what)"
      }
    return Refusal(reason: reason, remedy: remedy(caller))
  }

  /// What the configuration says of a caller; nil when it says nothing.
  private func rule(for caller: Caller) -> Precision? {
    rules.users[caller.uid]
      ?? rules.groups.first { caller.groups.contains($0.gid) }?.precision
  }

  private static func name(_ caller: Caller) -> String {
    "user \(UserDatabase.name(of: caller.uid))"
  }

  /// The command that lets a caller know the position. The group will do, unless a rule of the
  /// configuration comes before it.
  private func remedy(_ caller: Caller) -> String {
    let name = UserDatabase.name(of: caller.uid)
    let isKnown = name != String(caller.uid)
    if rule(for: caller) != nil || !isKnown || rules.preciseGroup == nil {
      return rules.place.adding("User.\(name)=precise")
    }
    return Self.joining("bearing", name)
  }

  private func administratorRemedy(_ caller: Caller) -> String {
    let name = UserDatabase.name(of: caller.uid)
    // Who has no name can be in no group.
    if name == String(caller.uid) { return "do it as root" }
    let joining = Self.joining("bearing-admin", name)
    // A group is looked for when the configuration is read.
    return rules.administratorGroup == nil
      ? "sudo sh -c 'groupadd --system bearing-admin && \(rules.place.reload)' && \(joining)"
      : joining
  }

  private static func joining(_ group: String, _ name: String) -> String {
    "sudo usermod -aG \(group) \(name)  # then log in again"
  }
}
