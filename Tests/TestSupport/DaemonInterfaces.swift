public import Varlink
import Foundation

/// The daemon's interfaces as its contract has them: the description files in the sources.
public enum DaemonInterfaces {
  /// Their names.
  public static let names: [String] = [
    "io.bearing.accelerometer", "io.bearing.daemon", "io.bearing.location",
    "io.bearing.preferences", "io.bearing.regions",
  ]

  /// The text of a description file.
  public static func text(_ name: String) throws -> String {
    let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    return try String(
      contentsOf: package.appending(path: "Sources/BearingCore/Server/\(name).varlink"),
      encoding: .utf8)
  }

  /// The interfaces by name.
  public static let all: [String: InterfaceDescription] = {
    var all: [String: InterfaceDescription] = [:]
    for name in names {
      all[name] = (try? text(name)).flatMap { try? InterfaceDescription(parsing: $0) }
    }
    return all
  }()

  private static let serviceErrors: [String: [String]] = [
    "InterfaceNotFound": ["interface"], "MethodNotFound": ["method"],
    "MethodNotImplemented": ["method"], "InvalidParameter": ["parameter"], "PermissionDenied": [],
    "ExpectedMore": [],
  ]

  /// What a reply has that it may not, or lacks; nil for a good one.
  public static func fault(of message: DaemonClient.Message, to method: String) -> String? {
    let members = Set((message.json.object ?? [:]).keys)
    guard members.isSubset(of: ["parameters", "continues", "error"]) else {
      return "members \(members.sorted())"
    }
    guard message.parameters.object != nil else { return "parameters are no object" }
    if let error = message.error {
      if members.contains("continues") { return "an error that continues" }
      return fault(of: error, message.parameters)
    }
    if members.contains("continues"), message.json["continues"] != true {
      return "continues that is not true"
    }
    guard let dot = method.lastIndex(of: "."), let interface = all[String(method[..<dot])],
      let description = interface.methods.first(where: { $0.name == method[dot...].dropFirst() })
    else { return method.hasPrefix("org.varlink.service.") ? nil : "no such method" }
    return interface.validate(reply: message.parameters, of: description)?.description
  }

  private static func fault(of error: String, _ parameters: JSON) -> String? {
    let parts = error.split(separator: ".")
    let (name, interface) = (String(parts.last ?? ""), parts.dropLast().joined(separator: "."))
    if interface == "org.varlink.service" {
      let has = Set((parameters.object ?? [:]).keys)
      return serviceErrors[name].map(Set.init) == has ? nil : "error \(error) with \(has)"
    }
    guard let description = all[interface],
      let definition = description.errors.first(where: { $0.name == name })
    else { return "unknown error \(error)" }
    return description.validate(parameters: parameters, of: definition)?.description
  }
}
