// Serves org.varlink.certification, against which the clients of other Varlink implementations
// prove that they and this library understand each other.
import Glibc
import Varlink

func listeningPath() -> String? {
  let option = "--varlink=unix:"
  guard CommandLine.arguments.count == 2, CommandLine.arguments[1].hasPrefix(option) else {
    return nil
  }
  return String(CommandLine.arguments[1].dropFirst(option.count))
}

do {
  guard let path = listeningPath() else {
    print("usage: varlink-certification --varlink=unix:PATH")
    throw Usage()
  }
  let interface = ServiceInterface(try InterfaceDescription(parsing: certificationDescription))
  let service = Service(
    vendor: "bearingd", product: "Varlink for Swift", version: "1",
    url: "https://varlink.org", interfaces: [interface])
  var certification = Certification()
  let listener = try Socket.listen(at: path, mode: 0o600)
  print("Listening on unix:\(path)")
  fflush(nil)
  var server = Server(listener: listener, service: service)
  try server.run { certification.answer($0) }
}

/// The command line is not as it should be.
struct Usage: Error {}
