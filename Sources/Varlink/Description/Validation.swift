/// A value that is not what the interface's description says.
public struct Violation: Error, Equatable, CustomStringConvertible {
  /// The parameter, or the field of the reply, that holds the value.
  public let parameter: String
  /// The way to the value: `regions[3].latitude`.
  public let path: String
  /// What the description wants there.
  public let expected: String

  /// Where and what, in words.
  public var description: String { "\(path): expected \(expected)" }
}

extension InterfaceDescription {
  /// What is wrong with a call's parameters, if anything: a wrong type, one that is missing, one
  /// that the method does not have.
  public func validate(parameters: JSON, of method: Method) -> Violation? {
    validate(parameters, as: method.parameters)
  }

  /// What is wrong with a reply's parameters, if anything.
  public func validate(reply parameters: JSON, of method: Method) -> Violation? {
    validate(parameters, as: method.replies)
  }

  /// What is wrong with an error's parameters, if anything.
  public func validate(parameters: JSON, of error: ErrorDefinition) -> Violation? {
    validate(parameters, as: error.parameters)
  }

  private func validate(_ parameters: JSON, as fields: [Field]) -> Violation? {
    guard let found = mismatch(of: parameters, as: .structure(fields)) else { return nil }
    let parameter = found.way.first ?? ""
    let path = found.way.dropFirst().reduce(parameter) { path, step in
      path + (step.hasPrefix("[") ? step : "." + step)
    }
    return Violation(parameter: parameter, path: path, expected: found.expected)
  }

  /// The way from the value to the part that does not fit is put together only when there is one.
  private struct Mismatch {
    var way: [String] = []
    let expected: String

    func below(_ step: String) -> Mismatch { Mismatch(way: [step] + way, expected: expected) }
  }

  /// The first part that does not fit, depth first. Recursion is bounded by the value's depth.
  private func mismatch(of value: JSON, as type: ValueType) -> Mismatch? {
    switch type {
    case .bool: value.bool == nil ? Mismatch(expected: "a bool") : nil
    case .int: value.integer == nil ? Mismatch(expected: "an int") : nil
    case .float: value.number == nil ? Mismatch(expected: "a float") : nil
    case .string: value.string == nil ? Mismatch(expected: "a string") : nil
    case .object: value.object == nil ? Mismatch(expected: "an object") : nil
    case .optional(let wrapped): value == .null ? nil : mismatch(of: value, as: wrapped)
    case .named(let name): typesByName[name].flatMap { mismatch(of: value, as: $0) }
    case .enumeration(let names):
      value.string.map(names.contains) == true
        ? nil : Mismatch(expected: "one of " + names.joined(separator: ", "))
    case .array(let element): mismatch(of: value, asArrayOf: element)
    case .map(let element): mismatch(of: value, asMapOf: element)
    case .structure(let fields): mismatch(of: value, asStructure: fields)
    }
  }

  private func mismatch(of value: JSON, asArrayOf element: ValueType) -> Mismatch? {
    guard let elements = value.array else { return Mismatch(expected: "an array") }
    for (index, item) in elements.enumerated() {
      if let found = mismatch(of: item, as: element) { return found.below("[\(index)]") }
    }
    return nil
  }

  private func mismatch(of value: JSON, asMapOf element: ValueType) -> Mismatch? {
    guard let members = value.object else { return Mismatch(expected: "a map") }
    for (name, item) in members {
      if let found = mismatch(of: item, as: element) { return found.below("[\(name)]") }
    }
    return nil
  }

  private func mismatch(of value: JSON, asStructure fields: [Field]) -> Mismatch? {
    guard let members = value.object else { return Mismatch(expected: "a structure") }
    for field in fields {
      // Absent and null are the same.
      if let found = mismatch(of: members[field.name] ?? .null, as: field.type) {
        return found.below(field.name)
      }
    }
    let unknown = members.keys.filter { name in !fields.contains { $0.name == name } }
    return unknown.min().map { Mismatch(expected: "no field of this name").below($0) }
  }
}
