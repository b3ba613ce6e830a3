/// Who is at the other end of a connection, as the kernel knew when it was made.
public struct Caller: Sendable, Equatable {
  /// The user.
  public var uid: UInt32
  /// The process.
  public var pid: Int32
  /// The primary group and the supplementary ones.
  public var groups: [UInt32]

  /// A caller as the kernel tells.
  public init(uid: UInt32, pid: Int32, groups: [UInt32]) {
    self.uid = uid
    self.pid = pid
    self.groups = groups
  }
}

/// What a method asks of its caller.
public enum AccessRequirement: Sendable, Equatable {
  /// Nothing.
  case everyone
  /// To be allowed to know the position, be it approximately.
  case position
  /// To be allowed to know the position precisely.
  case precisePosition
  /// To be allowed raw acceleration, by the rule of positions unless `Motion=` says otherwise.
  case samples
  /// To be allowed each sample of acceleration at the sensor's full rate.
  case everySample
  /// To be allowed orientation and tilt, which everyone is unless `Motion=denied`.
  case orientation
  /// To be root or in the group bearing-admin.
  case administrator
}

/// Why a caller is refused, and what would let it in.
public struct Refusal: Error, Sendable, Equatable {
  /// The rule that refuses, in words.
  public var reason: String
  /// The command that grants access.
  public var remedy: String

  /// A refusal with these words.
  public init(reason: String, remedy: String) {
    self.reason = reason
    self.remedy = remedy
  }
}
