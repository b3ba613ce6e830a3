/// A Varlink interface: its types, methods and errors, parsed from its description.
public struct InterfaceDescription: Sendable {
  /// The type of a parameter, of a field or of an element.
  public indirect enum ValueType: Sendable, Equatable {
    case bool
    case int
    case float
    case string
    /// Any JSON object.
    case object
    /// A type that the same interface defines.
    case named(String)
    /// `?T`: absent, null or a T.
    case optional(ValueType)
    case array(ValueType)
    /// `[string]T`.
    case map(ValueType)
    case structure([Field])
    /// One of these names, as a string.
    case enumeration([String])
  }

  /// A parameter, or a member of a structure.
  public struct Field: Sendable, Equatable {
    /// As it is on the wire.
    public let name: String
    /// An `optional` one may be absent.
    public let type: ValueType
  }

  /// A type that the interface defines.
  public struct TypeDefinition: Sendable, Equatable {
    /// Starts with a capital letter.
    public let name: String
    /// The comment before it, without the hashes.
    public let documentation: String
    /// A structure or an enumeration.
    public let type: ValueType
  }

  /// A method of the interface.
  public struct Method: Sendable, Equatable {
    /// Without the interface's name.
    public let name: String
    /// The comment before it, without the hashes.
    public let documentation: String
    /// What a call has.
    public let parameters: [Field]
    /// What each reply has.
    public let replies: [Field]

    /// Whether the method can only be called with `more`, as its comment says.
    public var requiresMore: Bool {
      documentation.contains(InterfaceDescription.requiresMoreMark)
    }
  }

  /// An error that a method of the interface may answer.
  public struct ErrorDefinition: Sendable, Equatable {
    /// Without the interface's name.
    public let name: String
    /// The comment before it, without the hashes.
    public let documentation: String
    /// What the error tells about itself.
    public let parameters: [Field]
  }

  /// What a method's comment contains when it can only be called with `more`; systemd's wording.
  public static let requiresMoreMark: String = "[Requires 'more' flag]"

  /// The interface's name, such as `org.varlink.service`.
  public let name: String
  /// The comment before the name, without the hashes.
  public let documentation: String
  /// The text that was parsed, as a client gets it.
  public let text: String
  /// The types it defines, in the order of the text.
  public let types: [TypeDefinition]
  /// The methods, in the order of the text.
  public let methods: [Method]
  /// The errors, in the order of the text.
  public let errors: [ErrorDefinition]

  let typesByName: [String: ValueType]

  /// Parses a description.
  ///
  /// Accepted is what every known Varlink implementation can parse, so that what is accepted here
  /// can be called from anywhere: enumerations of two names or more, no `any`, no trailing comma,
  /// lines that end in LF, parentheses after the name of an error, a first label of the
  /// interface's name without digits, fields that start in lower case, at least one method.
  public init(parsing text: String) throws(DescriptionError) {
    var parser = DescriptionParser(text)
    self = try parser.parse()
  }

  init(
    name: String, documentation: String, text: String, types: [TypeDefinition], methods: [Method],
    errors: [ErrorDefinition]
  ) {
    self.name = name
    self.documentation = documentation
    self.text = text
    self.types = types
    self.methods = methods
    self.errors = errors
    self.typesByName = Dictionary(types.map { ($0.name, $0.type) }) { first, _ in first }
  }

  /// The method of that name, such as `GetInfo`.
  public func method(_ name: String) -> Method? {
    methods.first { $0.name == name }
  }

  /// The error of that name, without the interface's.
  public func error(_ name: String) -> ErrorDefinition? {
    errors.first { $0.name == name }
  }
}

/// Where and why a text is no interface description.
public struct DescriptionError: Error, Equatable, CustomStringConvertible {
  /// From 1.
  public let line: Int
  /// In characters of UTF-8 (bytes), from 1.
  public let column: Int
  /// What would have been right there.
  public let expected: String
  /// What stands there.
  public let found: String

  /// The place and the two, in words.
  public var description: String {
    "line \(line), column \(column): expected \(expected), found \(found)"
  }
}
