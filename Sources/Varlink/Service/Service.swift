/// An interface that a service offers.
public struct ServiceInterface: Sendable {
  /// What clients get to see and what their calls are checked against.
  public let description: InterfaceDescription
  /// Names of the methods that work; the others of the description answer MethodNotImplemented.
  public let implemented: Set<String>

  /// An interface of which these methods work; nil for all of the description.
  public init(_ description: InterfaceDescription, implementing implemented: Set<String>? = nil) {
    self.description = description
    self.implemented = implemented ?? Set(description.methods.map(\.name))
  }
}

/// What is to be done about one message.
public enum Routing: Sendable {
  /// Somebody has to carry out this call.
  case call(Call)
  /// This, a whole message with its NUL, is the only answer.
  case reply([UInt8])
  /// The call needed no answer.
  case nothing
  case disconnect(DisconnectReason)
}

/// A Varlink service: who it is and which interfaces it has. Does no input or output.
///
/// `org.varlink.service` is answered here; calls of the other interfaces are checked against their
/// descriptions and handed on.
public final class Service: Sendable {
  static let interfaceName = "org.varlink.service"

  /// Who makes the service.
  public let vendor: String
  /// What it is called.
  public let product: String
  /// The product's version.
  public let version: String
  /// Where to read about it.
  public let url: String
  /// The names of the interfaces, `org.varlink.service` first.
  public let interfaceNames: [String]

  private let interfaces: [String: Entry]

  private struct Entry {
    let interface: ServiceInterface
    let methods: [String: InterfaceDescription.Method]
  }

  /// A service with these interfaces and `org.varlink.service`. The first of two interfaces with
  /// one name counts.
  public init(
    vendor: String, product: String, version: String, url: String, interfaces: [ServiceInterface]
  ) {
    self.vendor = vendor
    self.product = product
    self.version = version
    self.url = url
    let all = [ServiceInterface(ServiceDescription.parsed)] + interfaces
    self.interfaceNames = all.map(\.description.name)
    self.interfaces = Dictionary(
      all.map { interface in
        let methods = interface.description.methods.map { ($0.name, $0) }
        return (
          interface.description.name,
          Entry(interface: interface, methods: Dictionary(methods) { first, _ in first })
        )
      }
    ) { first, _ in first }
  }

  /// Decides about one message, given without its NUL.
  public func route(_ message: [UInt8], depthLimit: Int = JSON.requestDepthLimit) -> Routing {
    let envelope: CallEnvelope
    do {
      envelope = try CallEnvelope(parsing: message, depthLimit: depthLimit)
    } catch {
      return .disconnect(error.reason)
    }
    guard let name = MethodName(envelope.method) else { return .disconnect(.invalidMethodName) }
    do {
      let call = try checked(envelope, name)
      guard call.interface == Self.interfaceName else { return .call(call) }
      let parameters = try answer(call)
      return call.oneway ? .nothing : .reply(Reply.encode(parameters: parameters))
    } catch {
      return envelope.oneway ? .nothing : .reply(Reply.encode(error: error))
    }
  }

  private func checked(
    _ envelope: CallEnvelope, _ name: MethodName
  ) throws(ServiceError) -> Call {
    guard let entry = interfaces[name.interface] else { throw .interfaceNotFound(name.interface) }
    guard let method = entry.methods[name.method] else { throw .methodNotFound(envelope.method) }
    guard entry.interface.implemented.contains(name.method) else {
      throw .methodNotImplemented(envelope.method)
    }
    let parameters = JSON.object(envelope.parameters)
    if let violation = entry.interface.description.validate(parameters: parameters, of: method) {
      throw .invalidParameter(violation.parameter)
    }
    if method.requiresMore && !envelope.more { throw .expectedMore }
    return Call(
      interface: name.interface, method: name.method, parameters: parameters, more: envelope.more,
      oneway: envelope.oneway)
  }

  /// Answers a call of `org.varlink.service`.
  private func answer(_ call: Call) throws(ServiceError) -> JSON {
    guard call.method == "GetInterfaceDescription" else {
      return [
        "vendor": .string(vendor), "product": .string(product), "version": .string(version),
        "url": .string(url), "interfaces": .array(interfaceNames.map(JSON.string)),
      ]
    }
    let name = call.parameters["interface"]?.string ?? ""
    guard let entry = interfaces[name] else { throw .interfaceNotFound(name) }
    return ["description": .string(entry.interface.description.text)]
  }
}
