/// Where a service listens, in the notation of Varlink.
enum Address {
  /// The path, or `@name`, of `unix:/path;mode=0666`, `unix:@name` or an absolute path.
  static func path(of text: String) throws(VarlinkError) -> String {
    let scheme = "unix:"
    let address = text.hasPrefix(scheme) ? text.dropFirst(scheme.count) : text[...]
    let path = address.prefix { $0 != ";" }
    guard path.count > 1, path.hasPrefix("/") || path.hasPrefix("@") else {
      throw .invalidAddress(text)
    }
    return String(path)
  }
}
