/// What is around a call's parameters, as it came.
struct CallEnvelope {
  let method: String
  let parameters: [String: JSON]
  let more: Bool
  let oneway: Bool

  /// Members that nobody knows are ignored: the protocol may grow.
  init(parsing message: [UInt8], depthLimit: Int) throws(InvalidCall) {
    let value: JSON
    do {
      value = try JSON(parsing: message, depthLimit: depthLimit)
    } catch {
      throw InvalidCall(reason: .invalidJSON(error))
    }
    guard let members = value.object else { throw InvalidCall(reason: .notAnObject) }

    switch members["method"] {
    case .string(let name): method = name
    case nil, .null: throw InvalidCall(reason: .missingMethod)
    default: throw InvalidCall(reason: .invalidMember("method"))
    }
    switch members["parameters"] {
    case nil, .null: parameters = [:]
    case .object(let object): parameters = object.filter { $0.value != .null }
    default: throw InvalidCall(reason: .invalidMember("parameters"))
    }
    more = try Self.flag("more", in: members)
    oneway = try Self.flag("oneway", in: members)
    if more && oneway { throw InvalidCall(reason: .moreAndOneway) }
    if try Self.flag("upgrade", in: members) { throw InvalidCall(reason: .upgrade) }
  }

  private static func flag(
    _ name: String, in members: [String: JSON]
  ) throws(InvalidCall) -> Bool {
    switch members[name] {
    case nil, .null: false
    case .bool(let value): value
    default: throw InvalidCall(reason: .invalidMember(name))
    }
  }

  /// A whole call message with its NUL; members that say nothing are left out.
  static func encode(
    method: String, parameters: JSON, more: Bool = false, oneway: Bool = false
  ) -> [UInt8] {
    var message = Array(#"{"method":"#.utf8)
    writeString(method, to: &message)
    if parameters != [:] {
      message.append(contentsOf: #","parameters":"#.utf8)
      parameters.write(to: &message)
    }
    if more { message.append(contentsOf: #","more":true"#.utf8) }
    if oneway { message.append(contentsOf: #","oneway":true"#.utf8) }
    message.append(contentsOf: "}\0".utf8)
    return message
  }
}

/// A message after which its sender is disconnected.
struct InvalidCall: Error {
  let reason: DisconnectReason
}
