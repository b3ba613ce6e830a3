internal import Glibc

/// Names of users and groups, from the system's databases.
enum UserDatabase {
  /// Bytes for an entry at first, and at most: a group's has the names of all its members.
  private static let firstRoom = 1024
  private static let mostRoom = 16 * Bytes.mebi
  /// As many as the kernel gives a process.
  private static let mostGroups = 65_536

  /// The user's name, or its number when it has none.
  static func name(of uid: UInt32) -> String {
    look { buffer in
      var entry = unsafe passwd()
      var found: UnsafeMutablePointer<passwd>?
      let code = unsafe getpwuid_r(uid, &entry, &buffer, buffer.count, &found)
      guard unsafe found != nil, let name = unsafe entry.pw_name else { return (code, nil) }
      return (code, unsafe String(cString: name))
    } ?? String(uid)
  }

  /// The groups that a user would have at its next login; empty when there is no such user.
  static func groups(of uid: UInt32) -> [UInt32] {
    look { buffer in
      var entry = unsafe passwd()
      var found: UnsafeMutablePointer<passwd>?
      let code = unsafe getpwuid_r(uid, &entry, &buffer, buffer.count, &found)
      guard unsafe found != nil, let name = unsafe entry.pw_name else { return (code, nil) }
      var count = Int32(mostGroups)
      var groups = [gid_t](repeating: 0, count: mostGroups)
      let total = unsafe getgrouplist(name, entry.pw_gid, &groups, &count)
      return (code, Array(groups.prefix(total < 0 ? mostGroups : Int(count))))
    } ?? []
  }

  /// The number of the user `name`, which may be a number itself; nil when there is none.
  static func uid(of name: String) -> UInt32? {
    if let number = UInt32(name) { return number }
    return look { buffer in
      var entry = unsafe passwd()
      var found: UnsafeMutablePointer<passwd>?
      let code = unsafe getpwnam_r(name, &entry, &buffer, buffer.count, &found)
      return unsafe (code, found == nil ? nil : entry.pw_uid)
    }
  }

  /// The number of the group `name`, which may be a number itself; nil when there is none.
  static func gid(of name: String, firstRoom: Int = firstRoom) -> UInt32? {
    if let number = UInt32(name) { return number }
    return look(firstRoom: firstRoom) { buffer in
      var entry = unsafe group()
      var found: UnsafeMutablePointer<group>?
      let code = unsafe getgrnam_r(name, &entry, &buffer, buffer.count, &found)
      return unsafe (code, found == nil ? nil : entry.gr_gid)
    }
  }

  /// Looks something up with room enough for it; nil when there is none.
  private static func look<Found>(
    firstRoom: Int = firstRoom, _ lookUp: (inout [CChar]) -> (code: Int32, found: Found?)
  ) -> Found? {
    var room = firstRoom
    while true {
      var buffer = [CChar](repeating: 0, count: room)
      let (code, found) = lookUp(&buffer)
      guard code == ERANGE, room < mostRoom else { return found }
      room *= 4
    }
  }
}
