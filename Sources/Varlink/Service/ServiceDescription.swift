/// The interface that every Varlink service has.
enum ServiceDescription {
  private typealias Field = InterfaceDescription.Field

  /// Written out rather than parsed, so that making a service cannot fail; a test compares the two.
  static let parsed = InterfaceDescription(
    name: Service.interfaceName,
    documentation: "What the service is, and which interfaces it has.",
    text: text,
    types: [],
    methods: [
      .init(
        name: "GetInfo",
        documentation: "Who made the service, and the names of its interfaces.",
        parameters: [],
        replies: [
          Field(name: "vendor", type: .string), Field(name: "product", type: .string),
          Field(name: "version", type: .string), Field(name: "url", type: .string),
          Field(name: "interfaces", type: .array(.string)),
        ]),
      .init(
        name: "GetInterfaceDescription",
        documentation: "The description of one of the interfaces.",
        parameters: [Field(name: "interface", type: .string)],
        replies: [Field(name: "description", type: .string)]),
    ],
    errors: [
      .init(
        name: "InterfaceNotFound", documentation: "The service has no such interface.",
        parameters: [Field(name: "interface", type: .string)]),
      .init(
        name: "MethodNotFound", documentation: "The interface has no such method.",
        parameters: [Field(name: "method", type: .string)]),
      .init(
        name: "MethodNotImplemented",
        documentation: "The interface has the method, this service does not.",
        parameters: [Field(name: "method", type: .string)]),
      .init(
        name: "InvalidParameter",
        documentation: "A parameter is missing, unknown or not of its type.",
        parameters: [Field(name: "parameter", type: .string)]),
      .init(name: "PermissionDenied", documentation: "The client may not do this.", parameters: []),
      .init(
        name: "ExpectedMore", documentation: "The method can only be called with more.",
        parameters: []),
    ])

  private static let text = """
    # What the service is, and which interfaces it has.
    interface org.varlink.service

    # Who made the service, and the names of its interfaces.
    method GetInfo() -> (
      vendor: string,
      product: string,
      version: string,
      url: string,
      interfaces: []string
    )

    # The description of one of the interfaces.
    method GetInterfaceDescription(interface: string) -> (description: string)

    # The service has no such interface.
    error InterfaceNotFound (interface: string)

    # The interface has no such method.
    error MethodNotFound (method: string)

    # The interface has the method, this service does not.
    error MethodNotImplemented (method: string)

    # A parameter is missing, unknown or not of its type.
    error InvalidParameter (parameter: string)

    # The client may not do this.
    error PermissionDenied ()

    # The method can only be called with more.
    error ExpectedMore ()

    """
}
