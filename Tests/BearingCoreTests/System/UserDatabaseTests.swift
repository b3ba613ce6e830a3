import Testing

@testable import BearingCore

@Suite struct UserDatabaseTests {
  @Test func namesAndNumbersOfRootAreThere() {
    #expect(UserDatabase.name(of: 0) == "root")
    #expect(UserDatabase.uid(of: "root") == 0)
    #expect(UserDatabase.gid(of: "root") == 0)
    #expect(UserDatabase.groups(of: 0).contains(0))
  }

  @Test func whatIsNotThereIsNothing() {
    #expect(UserDatabase.name(of: 4_000_000_001) == "4000000001")
    #expect(UserDatabase.uid(of: "no such user") == nil)
    #expect(UserDatabase.gid(of: "no such group") == nil)
    #expect(UserDatabase.groups(of: 4_000_000_001) == [])
  }

  @Test func aGroupWithMoreMembersThanThereIsRoomForIsFound() {
    #expect(UserDatabase.gid(of: "root", firstRoom: 2) == 0)
  }
}
