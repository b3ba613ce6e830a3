/// A method call that fits the interface's description.
public struct Call: Sendable {
  /// The interface's name, such as `org.varlink.service`.
  public let interface: String
  /// The method's name without the interface's.
  public let method: String
  /// An object without null members: absent and null are the same.
  public let parameters: JSON
  /// The client takes any number of replies.
  public let more: Bool
  /// The client takes no reply, not even an error.
  public let oneway: Bool

  /// The parameters as a type of the caller's.
  ///
  /// - Throws: `invalidParameter` for what fits the description but not the type, such as a
  ///   number beyond the type's range.
  public func decode<Value: Decodable>(_ type: Value.Type) throws(ServiceError) -> Value {
    do {
      return try parameters.decode(type)
    } catch {
      throw .invalidParameter(error.path.first ?? "")
    }
  }
}

/// Why a client is disconnected.
public enum DisconnectReason: Sendable, Equatable {
  case invalidJSON(JSONError)
  case notAnObject
  /// A member of the call itself, such as `more`, that is not of its type.
  case invalidMember(String)
  case missingMethod
  /// Not a name that any method can have.
  case invalidMethodName
  case moreAndOneway
  /// No method here takes the connection over.
  case upgrade
  case messageTooLong(limit: Int)
  /// The client ended its input inside a message.
  case incompleteMessage
  /// The client ended its input, and all its calls are answered.
  case finished
}

extension DisconnectReason: CustomStringConvertible {
  /// What the client did, for a log.
  public var description: String {
    switch self {
    case .invalidJSON(let error): "a message is not valid JSON: \(error)"
    case .notAnObject: "a message is not a JSON object"
    case .invalidMember(let name): "the call's member `\(name)` has the wrong type"
    case .missingMethod: "a call without `method`"
    case .invalidMethodName: "`method` is not `interface.Method`"
    case .moreAndOneway: "a call with both `more` and `oneway`"
    case .upgrade: "a call with `upgrade`, which no method here supports"
    case .messageTooLong(let limit): "a message of more than \(limit) bytes"
    case .incompleteMessage: "the client ended its input inside a message"
    case .finished: "the client ended its input, and all its calls are answered"
    }
  }
}
