import Glibc
import Testing

@testable import BearingCore

@Suite struct AccessDoorTests {
  private static let (bearing, approximate, admin): (UInt32, UInt32, UInt32) = (901, 902, 903)
  private static let place = RulePlace(file: "/etc/x/y.conf", reload: "systemctl reload x")
  private static let ownUser: UInt32 = 905
  /// A user that every system has by name.
  private static let daemon: UInt32 = 1

  private static func rules(_ change: (inout AccessDoor.Rules) -> Void = { _ in })
    -> AccessDoor.Rules
  {
    var rules = AccessDoor.Rules(place: place)
    rules.preciseGroup = bearing
    rules.approximateGroup = approximate
    rules.administratorGroup = admin
    rules.ownUser = ownUser
    change(&rules)
    return rules
  }

  private static func caller(_ uid: UInt32, _ groups: [UInt32]) -> Caller {
    Caller(uid: uid, pid: 1, groups: groups)
  }

  /// A user, its groups, and what it may know by the system's groups and the rules before them.
  @Test(
    arguments: [
      (1000, [], .denied), (1000, [bearing], .precise), (1000, [approximate], .approximate),
      (1000, [approximate, 7, bearing], .precise), (1000, [admin], .denied),
      (1001, [bearing], .denied), (1002, [approximate], .precise),
      (1000, [77, bearing], .approximate), (1002, [77], .precise),
      (0, [], .precise), (ownUser, [], .precise), (0, [approximate], .approximate),
      (ownUser, [77], .approximate),
    ] as [(UInt32, [UInt32], Precision)])
  func theFirstThatMatchesCounts(uid: UInt32, groups: [UInt32], precision: Precision) {
    let door = AccessDoor(
      Self.rules {
        $0.users = [1001: .denied, 1002: .precise]
        $0.groups = [(77, .approximate)]
      })
    #expect(door.precision(of: Self.caller(uid, groups)) == precision)
  }

  @Test(
    arguments: [
      (0, [], true), (1000, [admin], true), (1000, [7, admin], true), (1000, [bearing], false),
      (ownUser, [], true),
    ] as [(UInt32, [UInt32], Bool)])
  func rootTheDaemonsUserAndTheGroupBearingAdminAdminister(uid: UInt32, groups: [UInt32], may: Bool)
  {
    let door = AccessDoor(Self.rules())
    let caller = Self.caller(uid, groups)
    #expect(door.isAdministrator(caller) == may)
    #expect(((try? door.check(caller, for: .administrator)) != nil) == may)
    let without = AccessDoor(Self.rules { $0.administratorGroup = nil })
    #expect(without.isAdministrator(caller) == (uid == 0 || uid == Self.ownUser))
  }

  private static let addRule =
    #"sudo sh -c 'mkdir -p /etc/x && printf "[Access]\nUser.daemon=precise\n" >>/etc/x/y.conf "#
    + "&& systemctl reload x'"

  /// What is wrong about the user `daemon`, what it asks for, and the reason and command it is given.
  @Test(
    arguments: [
      ("nothing", .position, "no rule lets user daemon", "sudo usermod -aG bearing daemon  # "),
      (
        "approximate", .precisePosition, "only approximately", "sudo usermod -aG bearing daemon  # "
      ),
      ("user rule", .position, "rule for user daemon denies it the position", addRule),
      ("group rule", .samples, "a group of user daemon denies it acceleration", addRule),
      ("approximate rule", .precisePosition, "only approximately", addRule),
      ("no group", .position, "no rule lets user daemon", addRule),
      ("nothing", .administrator, "only root", "sudo usermod -aG bearing-admin daemon  # "),
      ("no group", .administrator, "only root", "sudo sh -c 'groupadd --system bearing-admin && "),
    ] as [(String, AccessRequirement, String, String)])
  func aRefusalHasItsReasonAndTheCommandThatMendsIt(
    wrong: String, requirement: AccessRequirement, reason: String, remedy: String
  ) {
    var groups: [UInt32] = [Self.daemon]
    let door = AccessDoor(
      Self.rules {
        switch wrong {
        case "user rule": $0.users = [Self.daemon: .denied]
        case "approximate rule": $0.users = [Self.daemon: .approximate]
        case "group rule": $0.groups = [(Self.daemon, .denied)]
        case "approximate": groups.append(Self.approximate)
        case "no group": ($0.preciseGroup, $0.administratorGroup) = (nil, nil)
        default: break
        }
      })
    let refusal = #expect(throws: Refusal.self) {
      try door.check(Self.caller(Self.daemon, groups), for: requirement)
    }
    #expect(refusal?.reason.contains(reason) == true)
    #expect(refusal?.remedy.hasPrefix(remedy) == true)
  }

  @Test func whoHasNoNameIsNotToldToJoinAGroup() {
    let door = AccessDoor(Self.rules())
    let nobody = Self.caller(4_000_000_000, [])
    func remedy(_ requirement: AccessRequirement) -> String? {
      #expect(throws: Refusal.self) { try door.check(nobody, for: requirement) }?.remedy
    }
    #expect(remedy(.position)?.contains("User.4000000000=precise") == true)
    #expect(remedy(.administrator) == "do it as root")
  }
}
