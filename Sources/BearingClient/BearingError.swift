public import Varlink

/// Why a call or a stream of the daemon gave nothing more.
public enum BearingError: Error, Sendable, Equatable {
  /// Nobody answers at the socket: the daemon is not running, or its socket is elsewhere.
  case unreachable(socket: String, reason: String)
  /// The daemon was reached and then went away, or gave no answer in the time it has for one.
  case connectionLost(reason: String)
  /// The caller may not have this. `remedy` is the command that grants it; empty when there is none.
  case denied(reason: String, remedy: String)
  /// Nothing came in the time that the caller gave; `state` is the device's, in the wire's word.
  case timeout(state: String)
  /// The machine has no such sensor.
  case noSensor(reason: String)
  /// A limit of the daemon is used up: too many connections or streams of this user.
  case quotaExceeded(resource: String, limit: Int)
  /// The daemon does not take a value that was given for this parameter.
  case invalidParameter(String)
  /// The daemon does not have this method or interface: it is older than the client.
  case unsupported(String)
  /// The user has a region of that name already.
  case regionExists(String)
  /// The user has no region of that name.
  case regionNotFound(String)
  /// The daemon could not write to disk what was asked; nothing has changed.
  case storageFailed(reason: String)
  /// Any other error of the daemon, by its full name, with its parameters as JSON.
  case other(name: String, parameters: JSON)
  /// The daemon sent what cannot be read.
  case invalidReply(String)
  /// The task that waited was cancelled.
  case cancelled
}

extension BearingError: CustomStringConvertible {
  /// What was tried, what came and what to do, for people.
  public var description: String {
    switch self {
    case .unreachable(_, let reason):
      return "the daemon cannot be reached: \(reason)"
    case .connectionLost(let reason):
      return "the connection to the daemon was lost: \(reason)"
    case .denied(let reason, let remedy):
      return "denied: \(reason)" + (remedy.isEmpty ? "" : "; to allow it: \(remedy)")
    case .timeout(let state):
      return "nothing good enough came in time" + (state.isEmpty ? "" : " (state: \(state))")
    case .noSensor(let reason):
      return "no such sensor: \(reason)"
    case .quotaExceeded(let resource, let limit):
      return "the daemon's limit of \(limit) for \(resource) is used up"
    case .invalidParameter(let name):
      return "the daemon refuses the value given for \(name)"
    case .unsupported(let what):
      return "the daemon does not have \(what); it may be older than this program"
    case .regionExists(let identifier):
      return "there is a region \(identifier) already: remove it first"
    case .regionNotFound(let identifier):
      return "there is no region \(identifier)"
    case .storageFailed(let reason):
      return "the daemon could not store it, and nothing has changed: \(reason)"
    case .other(let name, let parameters):
      return parameters == [:] ? name : "\(name) \(parameters)"
    case .invalidReply(let reason):
      return "the daemon's reply cannot be read: \(reason)"
    case .cancelled:
      return "cancelled"
    }
  }
}

extension BearingError {
  /// Whether trying again later can help a stream that ran before.
  ///
  /// A quota counts as such: after the daemon's restart its clients come back all at once.
  var isPassing: Bool {
    switch self {
    case .unreachable, .connectionLost, .quotaExceeded: true
    default: false
    }
  }

  /// What a failure of the connection to `socket` means; `isConnected` tells before from after.
  init(_ error: VarlinkError, socket: String, isConnected: Bool) {
    switch error {
    case .remote(let name, let parameters):
      self.init(name: name, parameters: parameters)
    case .cancelled:
      self = .cancelled
    case .invalidReply(let reason):
      self = .invalidReply(reason)
    case .invalidAddress, .socket, .closedByService, .closedHere, .timedOut, .tooManyCalls:
      self =
        isConnected
        ? .connectionLost(reason: error.description)
        : .unreachable(socket: socket, reason: error.description)
    }
  }

  /// The daemon's interfaces have the same errors under their own names, so the last part decides.
  private init(name: String, parameters: JSON) {
    func text(_ member: String) -> String { parameters[member]?.string ?? "" }
    switch name.split(separator: ".").last {
    case "AccessDenied":
      self = .denied(reason: text("reason"), remedy: text("remedy"))
    case "PermissionDenied":
      self = .denied(reason: "permission denied", remedy: "")
    case "Timeout":
      self = .timeout(state: text("state"))
    case "NoSensor":
      self = .noSensor(reason: text("reason"))
    case "QuotaExceeded":
      let limit = parameters["limit"]?.integer ?? 0
      self = .quotaExceeded(resource: text("resource"), limit: Int(limit))
    case "InvalidParameter":
      self = .invalidParameter(text("parameter"))
    case "MethodNotFound", "MethodNotImplemented":
      self = .unsupported("the method \(text("method"))")
    case "InterfaceNotFound":
      self = .unsupported("the interface \(text("interface"))")
    case "RegionExists":
      self = .regionExists(text("identifier"))
    case "RegionNotFound":
      self = .regionNotFound(text("identifier"))
    case "StorageFailed":
      self = .storageFailed(reason: text("reason"))
    default:
      self = .other(name: name, parameters: parameters)
    }
  }
}
