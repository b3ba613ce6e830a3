internal import Glibc

/// Names of users and groups, from the system's databases.
enum UserDatabase {
  private static let bufferSize = 16 * 1024
  /// As many as the kernel gives a process.
  private static let mostGroups = 65_536

  /// The user's name, or its number when it has none.
  static func name(of uid: UInt32) -> String {
    var entry = unsafe passwd()
    var found: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: bufferSize)
    guard unsafe getpwuid_r(uid, &entry, &buffer, buffer.count, &found) == 0,
      unsafe found != nil, let name = unsafe entry.pw_name
    else { return String(uid) }
    return unsafe String(cString: name)
  }

  /// The groups that a user would have at its next login; empty when there is no such user.
  static func groups(of uid: UInt32) -> [UInt32] {
    var entry = unsafe passwd()
    var found: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: bufferSize)
    guard unsafe getpwuid_r(uid, &entry, &buffer, buffer.count, &found) == 0,
      unsafe found != nil, let name = unsafe entry.pw_name
    else { return [] }
    var count = Int32(mostGroups)
    var groups = [gid_t](repeating: 0, count: mostGroups)
    let total = unsafe getgrouplist(name, entry.pw_gid, &groups, &count)
    return Array(groups.prefix(total < 0 ? mostGroups : Int(count)))
  }

  /// The number of the user `name`, which may be a number itself; nil when there is none.
  static func uid(of name: String) -> UInt32? {
    if let number = UInt32(name) { return number }
    var entry = unsafe passwd()
    var found: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: bufferSize)
    guard unsafe getpwnam_r(name, &entry, &buffer, buffer.count, &found) == 0, unsafe found != nil
    else { return nil }
    return unsafe entry.pw_uid
  }

  /// The number of the group `name`, which may be a number itself; nil when there is none.
  static func gid(of name: String) -> UInt32? {
    if let number = UInt32(name) { return number }
    var entry = unsafe group()
    var found: UnsafeMutablePointer<group>?
    var buffer = [CChar](repeating: 0, count: bufferSize)
    guard unsafe getgrnam_r(name, &entry, &buffer, buffer.count, &found) == 0, unsafe found != nil
    else { return nil }
    return unsafe entry.gr_gid
  }
}
