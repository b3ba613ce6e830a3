/// A reply to a Varlink call, and how one is written.
public struct Reply: Sendable {
  /// Always an object.
  public let parameters: JSON
  /// Whether another reply to the same call follows.
  public let continues: Bool
  /// The descriptors that came with it, by the index that the parameters name.
  public let descriptors: [Descriptor]

  init(parameters: JSON, continues: Bool, descriptors: [Descriptor]) {
    self.parameters = parameters
    self.continues = continues
    self.descriptors = descriptors
  }

  /// The parameters as a type of the caller's.
  public func decode<Value: Decodable>(_ type: Value.Type) throws(JSONCodingError) -> Value {
    try parameters.decode(type)
  }
}

/// Each gives a whole message with its NUL. As strict peers want it, there are no other members
/// than `parameters`, `continues` (only when true) and `error` (never with `continues`).
extension Reply {
  /// What stands before a reply's parameters, for who sends a message in parts.
  public static let opening: [UInt8] = Array(#"{"parameters":"#.utf8)
  /// What stands after the parameters of the last reply to a call.
  public static let closing: [UInt8] = Array("}\0".utf8)
  /// What stands after the parameters of a reply that another follows.
  public static let closingContinued: [UInt8] = Array(#","continues":true}"#.utf8) + [0]

  /// A reply with parameters, which must be an object.
  public static func encode(parameters: JSON = [:], continues: Bool = false) -> [UInt8] {
    var message = opening
    parameters.write(to: &message)
    message.append(contentsOf: continues ? closingContinued : closing)
    return message
  }

  /// A reply with a value that encodes as an object.
  ///
  /// - Throws: when a number in it is NaN or infinite.
  public static func encode(
    _ parameters: some Encodable, continues: Bool = false
  ) throws(JSONCodingError) -> [UInt8] {
    encode(serialised: try JSON.serialising(parameters), continues: continues)
  }

  /// A reply with parameters that are JSON text already: an object, without NUL. Not parsed again.
  public static func encode(
    serialised parameters: some Collection<UInt8>, continues: Bool = false
  ) -> [UInt8] {
    let end = continues ? closingContinued : closing
    var message: [UInt8] = []
    message.reserveCapacity(opening.count + parameters.count + end.count)
    message.append(contentsOf: opening)
    message.append(contentsOf: parameters)
    message.append(contentsOf: end)
    return message
  }

  /// An error by its full name, such as `org.example.thing.Timeout`.
  public static func encode(error name: String, parameters: JSON = [:]) -> [UInt8] {
    var message = Array(#"{"error":"#.utf8)
    writeString(name, to: &message)
    message.append(contentsOf: #","parameters":"#.utf8)
    parameters.write(to: &message)
    message.append(contentsOf: closing)
    return message
  }

  /// An error that every service has.
  public static func encode(error: ServiceError) -> [UInt8] {
    encode(error: error.name, parameters: error.parameters)
  }
}
