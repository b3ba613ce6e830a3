// What a client may send: framing, JSON, routing and checking against a description.
// Sources: Sources/Varlink
// Seeds: Tests/VarlinkTests/Fixtures/fuzz/requests

// A trap is how a finding is reported.
// swift-format-ignore-file: NeverUseForceTry, NeverForceUnwrap

private let description = """
  interface org.example.thing
  type Kind (small, large)
  type Tree (name: string, kind: ?Kind, branches: []Tree)
  # [Requires 'more' flag]
  method Watch(kind: ?Kind, extra: ?object) -> ()
  method Make(tree: Tree, count: int, ratio: float, sizes: ?[]float, names: [string]bool) -> ()
  """

private let service = Service(
  vendor: "v", product: "p", version: "1", url: "u",
  interfaces: [ServiceInterface(try! InterfaceDescription(parsing: description))])

private struct Outcome: Equatable {
  var events: [String] = []
  var isOver = false
}

/// All that is done about an input in pieces, each event as text.
private func outcome(of pieces: [ArraySlice<UInt8>]) -> Outcome {
  var connection = ServiceConnection(service: service, requestLimit: 1024)
  var outcome = Outcome()
  func steps() {
    while !outcome.isOver {
      switch connection.next() {
      case .call(let call):
        precondition(!(call.more && call.oneway))
        let parameters = call.parameters.serialised(sortingMembers: true)
        // What was accepted is written and read back as it is.
        precondition(try! JSON(parsing: parameters) == call.parameters)
        outcome.events.append("\(call.method) \(String(decoding: parameters, as: UTF8.self))")
        connection.finishedCall()
      case .send(let message):
        precondition(message.last == 0 && !message.dropLast().contains(0))
        let reply = try! JSON(parsing: Array(message.dropLast()))
        precondition(Set(reply.object!.keys).isSubset(of: ["parameters", "error"]))
        outcome.events.append(reply.description)
      case .idle: return
      case .disconnect(let reason):
        outcome.events.append("\(reason)")
        outcome.isOver = true
      }
    }
  }
  for piece in pieces {
    connection.receive(piece.span)
    steps()
  }
  connection.receiveEnd()
  steps()
  precondition(outcome.isOver)
  return outcome
}

/// Called by libFuzzer with each input; a trap is a finding.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  let whole = outcome(of: [bytes[...]])
  let middle = count / 2
  precondition(outcome(of: [bytes[..<middle], bytes[middle...]]) == whole)
  precondition(outcome(of: bytes.indices.map { bytes[$0...$0] }) == whole)
  return 0
}
