/// A recursive descent parser of the Varlink interface definition language.
struct DescriptionParser {
  /// Nested anonymous types, arrays and options; deeper ones are nobody's interface.
  static let depthLimit = 32

  private let text: String
  private let bytes: [UInt8]
  private var position = 0
  /// The comment lines since the last blank line or member.
  private var comment: [String] = []
  /// Types that are used, each with where, to be looked up when all are known.
  private var uses: [Name] = []

  init(_ text: String) {
    self.text = text
    self.bytes = Array(text.utf8)
  }

  mutating func parse() throws(DescriptionError) -> InterfaceDescription {
    skipBlanks()
    let start = position
    guard takeWord() == "interface" else { throw error("`interface`", at: start) }
    let documentation = takeComment()
    skipBlanks()
    let name = try takeInterfaceName()

    var members = Members()
    var names: Set<String> = []
    while true {
      comment = []
      skipBlanks()
      if position == bytes.count { break }
      let name = try takeMember(into: &members)
      if !names.insert(name.text).inserted {
        throw error("a name that is not taken yet", at: name.position)
      }
    }
    if members.methods.isEmpty { throw error("a method") }
    for use in uses where !members.types.contains(where: { $0.name == use.text }) {
      throw error("a type that the interface defines", at: use.position)
    }
    return InterfaceDescription(
      name: name, documentation: documentation, text: text, types: members.types,
      methods: members.methods, errors: members.errors)
  }

  private struct Members {
    var types: [InterfaceDescription.TypeDefinition] = []
    var methods: [InterfaceDescription.Method] = []
    var errors: [InterfaceDescription.ErrorDefinition] = []
  }

  private typealias Name = (text: String, position: Int)

  private mutating func takeMember(into members: inout Members) throws(DescriptionError) -> Name {
    let start = position
    let keyword = takeWord()
    let documentation = takeComment()
    guard ["type", "method", "error"].contains(keyword) else {
      throw error("`type`, `method` or `error`", at: start)
    }
    skipBlanks()
    let name = try takeMemberName()
    skipBlanks()
    switch keyword {
    case "type":
      let type = try takeParenthesised(depth: 0)
      members.types.append(.init(name: name.text, documentation: documentation, type: type))
    case "method":
      let parameters = try takeFields()
      skipBlanks()
      try take("->")
      skipBlanks()
      members.methods.append(
        .init(
          name: name.text, documentation: documentation, parameters: parameters,
          replies: try takeFields()))
    default:
      members.errors.append(
        .init(name: name.text, documentation: documentation, parameters: try takeFields()))
    }
    return name
  }

  private mutating func takeFields() throws(DescriptionError) -> [InterfaceDescription.Field] {
    let start = position
    guard case .structure(let fields) = try takeParenthesised(depth: 0) else {
      throw error("fields with types", at: start)
    }
    return fields
  }

  private mutating func takeType(
    depth: Int
  ) throws(DescriptionError) -> InterfaceDescription.ValueType {
    let start = position
    guard depth < Self.depthLimit else {
      throw error("types nested at most \(Self.depthLimit) deep")
    }
    if skip("?") {
      if peek() == UInt8(ascii: "?") { throw error("one `?`") }
      return .optional(try takeType(depth: depth + 1))
    }
    if skip("[]") { return .array(try takeType(depth: depth + 1)) }
    if skip("[string]") { return .map(try takeType(depth: depth + 1)) }
    if peek() == UInt8(ascii: "(") { return try takeParenthesised(depth: depth + 1) }
    if let first = peek(), isUpperCase(first) {
      let name = try takeMemberName()
      uses.append(name)
      return .named(name.text)
    }
    switch takeWord() {
    case "bool": return .bool
    case "int": return .int
    case "float": return .float
    case "string": return .string
    case "object": return .object
    default: throw error("a type", at: start)
    }
  }

  /// A structure `(name: type, …)` or an enumeration `(name, name, …)`.
  private mutating func takeParenthesised(
    depth: Int
  ) throws(DescriptionError) -> InterfaceDescription.ValueType {
    try take("(")
    skipBlanks()
    if skip(")") { return .structure([]) }
    var fields: [InterfaceDescription.Field] = []
    var values: [String] = []
    var names: Set<String> = []
    repeat {
      skipBlanks()
      let name = try takeFieldName()
      if !names.insert(name.text).inserted {
        throw error("a name that is not taken yet", at: name.position)
      }
      skipBlanks()
      // The first name decides which of the two it is.
      if values.isEmpty, fields.isEmpty ? peek() == UInt8(ascii: ":") : true {
        try take(":")
        skipBlanks()
        fields.append(.init(name: name.text, type: try takeType(depth: depth)))
        skipBlanks()
      } else {
        values.append(name.text)
      }
    } while skip(",")
    if values.count == 1 { throw error("`:` and a type, or a second name of the enumeration") }
    try take(")")
    return values.isEmpty ? .structure(fields) : .enumeration(values)
  }

  // MARK: Names

  private mutating func takeInterfaceName() throws(DescriptionError) -> String {
    let start = position
    while let byte = peek(), InterfaceName.isPart(byte) { position += 1 }
    let name = String(decoding: bytes[start..<position], as: UTF8.self)
    guard InterfaceName.isPortable(name) else {
      throw error("an interface's name like `org.example.thing`", at: start)
    }
    return name
  }

  private mutating func takeMemberName() throws(DescriptionError) -> Name {
    let start = position
    guard let first = peek(), isUpperCase(first) else {
      throw error("a name that starts with a capital letter")
    }
    while let byte = peek(), isLetterOrDigit(byte) { position += 1 }
    return (String(decoding: bytes[start..<position], as: UTF8.self), start)
  }

  private mutating func takeFieldName() throws(DescriptionError) -> Name {
    let start = position
    guard let first = peek(), isLowerCase(first) else {
      throw error("a name that starts with a small letter")
    }
    while let byte = peek(), isLetterOrDigit(byte) || byte == UInt8(ascii: "_") { position += 1 }
    let name = bytes[start..<position]
    let underscore = UInt8(ascii: "_")
    let following = name.dropFirst() + [underscore]
    if zip(name, following).contains(where: { $0 == underscore && $1 == underscore }) {
      throw error("single underscores between letters or digits", at: start)
    }
    return (String(decoding: name, as: UTF8.self), start)
  }

  // MARK: Bytes

  private func peek() -> UInt8? {
    position < bytes.count ? bytes[position] : nil
  }

  /// Steps over spaces, tabs, line ends and comments, and remembers the comments.
  private mutating func skipBlanks() {
    var isLineEmpty = false
    while let byte = peek() {
      switch byte {
      case UInt8(ascii: "\n"):
        if isLineEmpty { comment = [] }
        isLineEmpty = true
      case UInt8(ascii: " "), UInt8(ascii: "\t"):
        break
      case UInt8(ascii: "#"):
        takeCommentLine()
        isLineEmpty = false
        continue
      default:
        return
      }
      position += 1
    }
  }

  private mutating func takeCommentLine() {
    position += 1
    if peek() == UInt8(ascii: " ") { position += 1 }
    let end = bytes[position...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
    comment.append(String(decoding: bytes[position..<end], as: UTF8.self))
    position = end
  }

  private mutating func takeComment() -> String {
    defer { comment = [] }
    return comment.joined(separator: "\n")
  }

  /// The small letters that start here, perhaps none.
  private mutating func takeWord() -> String {
    let start = position
    while let byte = peek(), isLowerCase(byte) { position += 1 }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private mutating func skip(_ token: String) -> Bool {
    guard bytes[position...].starts(with: token.utf8) else { return false }
    position += token.utf8.count
    return true
  }

  private mutating func take(_ token: String) throws(DescriptionError) {
    if !skip(token) { throw error("`\(token)`") }
  }

  private func error(_ expected: String, at place: Int? = nil) -> DescriptionError {
    let place = place ?? position
    let before = bytes[..<place]
    let lineStart = (before.lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1
    return DescriptionError(
      line: before.count { $0 == UInt8(ascii: "\n") } + 1, column: place - lineStart + 1,
      expected: expected, found: found(at: place))
  }

  /// What stands at a place: a word, one character, or the end.
  private func found(at place: Int) -> String {
    let shownLimit = 40
    let rest = bytes[place...].prefix(shownLimit)
    guard let first = rest.first else { return "the end" }
    if first == UInt8(ascii: "\n") { return "the end of the line" }
    if first == UInt8(ascii: "\r") { return "a carriage return" }
    let word = rest.prefix { InterfaceName.isPart($0) || $0 == UInt8(ascii: "_") }
    if !word.isEmpty { return "`\(String(decoding: word, as: UTF8.self))`" }
    return "`\(String(decoding: rest, as: UTF8.self).prefix(1))`"
  }
}
