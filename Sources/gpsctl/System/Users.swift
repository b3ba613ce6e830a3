import Glibc

/// Names of users, from the system's database.
enum Users {
  private static let bufferSize = 16 * 1024

  /// The groups of this process.
  static var ownGroups: [UInt32] {
    let count = getgroups(0, nil)
    var groups = [gid_t](repeating: 0, count: Int(max(count, 0)))
    let got = unsafe getgroups(count, &groups)
    return Array(groups.prefix(Int(max(got, 0)))) + [getegid()]
  }

  /// The user's name, or its number when it has none here.
  static func name(of number: Int) -> String {
    guard let uid = uid_t(exactly: number) else { return "\(number)" }
    var entry = unsafe passwd()
    var found: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: bufferSize)
    guard unsafe getpwuid_r(uid, &entry, &buffer, buffer.count, &found) == 0,
      unsafe found != nil, let name = unsafe entry.pw_name
    else { return "\(number)" }
    return unsafe String(cString: name)
  }
}
