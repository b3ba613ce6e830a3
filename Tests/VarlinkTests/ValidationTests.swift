import Testing

@testable import Varlink

@Suite("Checking parameters against a description")
struct ValidationTests {
  static let text = """
    interface org.example.x
    type Kind (small, large)
    type Tree (name: string, kind: ?Kind, branches: []Tree)
    method Grow(
      tree: Tree, count: int, ratio: float, any: ?object, sizes: ?[]float, names: [string]?bool
    ) -> (done: bool, left: ?[]Kind)
    error Withered (kind: Kind)
    """

  static let good: [String: JSON] = [
    "tree": ["name": "a", "branches": [["name": "b", "kind": "large", "branches": []]]],
    "count": 3, "ratio": 1, "names": ["x": true, "y": nil],
  ]

  static func violation(changing changes: [String: JSON?]) throws -> Violation? {
    let description = try InterfaceDescription(parsing: text)
    let method = try #require(description.method("Grow"))
    let parameters = good.merging(changes.compactMapValues { $0 }) { $1 }
      .filter { changes[$0.key] != .some(nil) }
    return description.validate(parameters: .object(parameters), of: method)
  }

  @Test(
    arguments: [
      [:], ["any": [:]], ["any": nil], ["sizes": [1, 2.5]], ["sizes": []], ["sizes": .null],
      ["count": .double(4)], ["ratio": 0.5], ["names": [:]],
    ] as [[String: JSON]])
  func acceptsWhatFits(changes: [String: JSON]) throws {
    #expect(try Self.violation(changing: changes) == nil)
  }

  @Test(
    arguments: [
      (["count": nil], "count", "count", "an int"),
      (["count": .some(.null)], "count", "count", "an int"),
      (["count": "3"], "count", "count", "an int"),
      (["count": 3.5], "count", "count", "an int"),
      (["count": .double(1e30)], "count", "count", "an int"),
      (["ratio": true], "ratio", "ratio", "a float"),
      (["any": []], "any", "any", "an object"),
      (["sizes": [1, "2"]], "sizes", "sizes[1]", "a float"),
      (["sizes": [1, nil]], "sizes", "sizes[1]", "a float"),
      (["sizes": [:]], "sizes", "sizes", "an array"),
      (["names": ["x": 1]], "names", "names[x]", "a bool"),
      (["names": []], "names", "names", "a map"),
      (["tree": "oak"], "tree", "tree", "a structure"),
      (["tree": ["name": "a"]], "tree", "tree.branches", "an array"),
      (
        ["tree": ["name": "a", "branches": [["name": "b", "kind": "tall", "branches": []]]]],
        "tree", "tree.branches[0].kind", "one of small, large"
      ),
      (
        ["tree": ["name": "a", "branches": [], "leaves": 3]], "tree", "tree.leaves",
        "no field of this name"
      ),
      (["leaves": 3], "leaves", "leaves", "no field of this name"),
      (["a.b": 3], "a.b", "a.b", "no field of this name"),
    ] as [([String: JSON?], String, String, String)])
  func namesTheParameterThatDoesNotFit(
    changes: [String: JSON?], parameter: String, path: String, expected: String
  ) throws {
    #expect(
      try Self.violation(changing: changes)
        == Violation(parameter: parameter, path: path, expected: expected))
  }

  @Test func checksRepliesAndErrors() throws {
    let description = try InterfaceDescription(parsing: Self.text)
    let method = try #require(description.method("Grow"))
    #expect(description.validate(reply: ["done": true, "left": ["small"]], of: method) == nil)
    #expect(
      description.validate(reply: ["done": true, "left": ["no"]], of: method)?.path == "left[0]")
    #expect(description.validate(reply: [:], of: method)?.parameter == "done")
    let error = try #require(description.error("Withered"))
    #expect(description.validate(parameters: ["kind": "small"], of: error) == nil)
    #expect(description.validate(parameters: [:], of: error)?.parameter == "kind")
  }
}
