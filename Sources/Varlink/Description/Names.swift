/// The rules for the names of interfaces and methods.
enum InterfaceName {
  /// Bytes that an interface's name may have.
  static let limit = 255

  /// Whether every known implementation accepts the name: labels of small letters and digits,
  /// joined by single hyphens inside, two labels at least, the first without digits (Debian's
  /// varlink-go).
  static func isPortable(_ name: String) -> Bool {
    let labels = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard name.utf8.count <= limit, labels.count >= 2, let first = labels.first else {
      return false
    }
    return !first.isEmpty && first.allSatisfy(isLowerCase)
      && labels.allSatisfy { label in
        label.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false).allSatisfy {
          !$0.isEmpty && $0.allSatisfy { isLowerCase($0) || isDigit($0) }
        }
      }
  }

  static func isPart(_ byte: UInt8) -> Bool {
    isLetterOrDigit(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
  }
}

/// A full method name, `org.example.thing.Method`, cut in two.
struct MethodName {
  let interface: String
  let method: String

  /// Nil when it cannot be one: bytes that no name has, a part missing, or too long. Such a name
  /// must not be echoed in an error either, or it could blow it up.
  init?(_ text: String) {
    guard text.utf8.count <= 2 * InterfaceName.limit, text.utf8.allSatisfy(InterfaceName.isPart),
      let dot = text.lastIndex(of: "."), dot != text.startIndex
    else { return nil }
    interface = String(text[..<dot])
    method = String(text[text.index(after: dot)...])
    if method.isEmpty { return nil }
  }
}

func isLowerCase(_ byte: UInt8) -> Bool {
  byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z")
}

func isUpperCase(_ byte: UInt8) -> Bool {
  byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
}

func isDigit(_ byte: UInt8) -> Bool {
  byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
}

func isLetterOrDigit(_ byte: UInt8) -> Bool {
  isLowerCase(byte) || isUpperCase(byte) || isDigit(byte)
}
