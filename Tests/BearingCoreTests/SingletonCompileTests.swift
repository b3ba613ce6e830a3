import BearingCore
import TestSupport
import Testing

/// What nobody can write: the compiler refuses it even to code that sees the daemon's internals.
@Suite struct SingletonCompileTests {
  static let managers: [String] = ["LocationManager", "Accelerometer"]

  static let refused: [(what: String, code: String, error: String)] = [
    ("a second instance", "let second = M()", "is inaccessible due to 'private' protection level"),
    (
      "a second instance by its type", "let second = (M.self as any Device.Type).init()",
      "has no member 'init'"
    ),
    ("a subclass", "class Second: M {}", "inheritance from a final class"),
    ("a copy", "let second = M.shared.copy()", "has no member 'copy'"),
    ("a reassignment", "func f() { M.shared = M.shared }", "'shared' is a 'let' constant"),
    (
      "an initialiser in an extension",
      "extension M { convenience init(again: Bool) { self.init() } }",
      // The private one is not seen: what is left is the new one itself.
      "missing argument for parameter 'again'"
    ),
    (
      "a designated initialiser in an extension", "extension M { init(again: Bool) {} }",
      "designated initializer cannot be declared in an extension"
    ),
    (
      "decoding one",
      """
      import Foundation
      let second = try JSONDecoder().decode(M.self, from: Data())
      """,
      "requires that 'M' conform to 'Decodable'"
    ),
    (
      "decoding one as the compiler would write it", "extension M: Decodable {}",
      "prevents automatic synthesis of 'init(from:)'"
    ),
    (
      "decoding one by hand",
      """
      extension M: Decodable {
        convenience init(from decoder: any Decoder) throws { self.init() }
      }
      """,
      "missing argument for parameter 'from'"
    ),
  ]

  private func errors(in code: String, _ manager: String) throws -> [String] {
    try CompileCheck.errors(
      in: """
        @testable import BearingCore
        \(code.replacing(#/\bM\b/#.wordBoundaryKind(.simple), with: manager))
        """)
  }

  @Test(arguments: managers, refused.indices)
  func theCompilerRefuses(manager: String, index: Int) throws {
    let (what, code, error) = Self.refused[index]
    let expected = error.replacing("'M'", with: "'\(manager)'")
    let errors = try errors(in: code, manager)
    #expect(errors.contains { $0.contains(expected) }, "\(what): \(errors)")
  }

  /// The same check lets through what everybody may write.
  @Test(arguments: managers) func theCompilerAcceptsItsUse(manager: String) throws {
    let code = """
      let one = M.shared
      let same: Bool = one === M.shared
      let kind: String = M.kind
      extension M { var again: M { M.shared } }
      """
    #expect(try errors(in: code, manager) == [])
  }

  /// A singleton whose initialiser is not private would let a second instance through.
  @Test func theCompilerAcceptsASecondInstanceOfABrokenSingleton() throws {
    let code = """
      final class Broken: Sendable { static let shared = Broken() }
      let second = Broken()
      """
    #expect(try CompileCheck.errors(in: code) == [])
  }

  @Test func everyDeviceOfTheDaemonIsChecked() {
    let devices = Registry.standard.devices.map { "\($0)" }
    #expect(Set(devices) == Set(Self.managers))
  }
}
