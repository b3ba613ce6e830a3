internal import Glibc

/// Why a sensor could not be read.
enum IIOFailure: Error, Equatable {
  /// The device is no longer there.
  case gone
  /// It gave nothing for too long: what, and for how long.
  case silent(reason: String)
  /// What was tried and what came.
  case unreadable(reason: String)

  /// What a failed call to the system says of the device that it was made on.
  init(_ error: SystemError) {
    let isGone = [ENODEV, ENXIO, ENOENT, ENOTDIR].contains(error.code)
    self = isGone ? .gone : .unreadable(reason: "cannot \(error)")
  }

  /// What a failed call on one of its settings says: a file that is missing does not mean that the
  /// device is.
  init(_ error: SystemError, on folder: IIOFolder) {
    self = folder.isThere ? .unreadable(reason: "cannot \(error)") : .gone
  }

  /// What came, for people; nil when the device is gone.
  var reason: String? {
    switch self {
    case .gone: nil
    case .silent(let reason), .unreadable(let reason): reason
    }
  }
}
