/// The errors that every service has, those of `org.varlink.service`.
public enum ServiceError: Error, Sendable, Equatable {
  case interfaceNotFound(String)
  case methodNotFound(String)
  /// The interface has the method, this service does not.
  case methodNotImplemented(String)
  case invalidParameter(String)
  case permissionDenied
  /// The method can only be called with `more`.
  case expectedMore

  /// The full name on the wire.
  public var name: String {
    let error =
      switch self {
      case .interfaceNotFound: "InterfaceNotFound"
      case .methodNotFound: "MethodNotFound"
      case .methodNotImplemented: "MethodNotImplemented"
      case .invalidParameter: "InvalidParameter"
      case .permissionDenied: "PermissionDenied"
      case .expectedMore: "ExpectedMore"
      }
    return "\(Service.interfaceName).\(error)"
  }

  /// The parameters on the wire. What the client sent is repeated up to a limit: escapes can make
  /// it six times as long as its request was.
  public var parameters: JSON {
    switch self {
    case .interfaceNotFound(let name): ["interface": Self.shortened(name)]
    case .methodNotFound(let name), .methodNotImplemented(let name):
      ["method": Self.shortened(name)]
    case .invalidParameter(let name): ["parameter": Self.shortened(name)]
    case .permissionDenied, .expectedMore: [:]
    }
  }

  private static func shortened(_ text: String) -> JSON {
    .string(String(text.unicodeScalars.prefix(2 * InterfaceName.limit)))
  }
}
