/// Turns gpsd's messages into reports, and keeps the list of its receivers.
struct GpsdReports {
  private var receivers: [String]?

  /// The reports that a message makes, in order.
  mutating func reports(of message: GpsdMessage) -> [GnssReport] {
    switch message {
    case .position(let position):
      guard let path = position.receiver else { return [.position(position)] }
      return change { Self.add(path, to: &$0) } + [.position(position)]
    case .sky(let sky):
      return [.sky(sky)]
    case .attitude(let attitude):
      return [.attitude(attitude)]
    case .devices(let paths):
      return change { $0 = paths }
    case .device(let path, let isActive):
      return change { list in
        if isActive { Self.add(path, to: &list) } else { list.removeAll { $0 == path } }
      }
    case .other:
      return []
    }
  }

  /// Changes the list; gives a report when it is another one, or the first.
  private mutating func change(_ body: (inout [String]) -> Void) -> [GnssReport] {
    let before = receivers
    var list = before ?? []
    body(&list)
    receivers = list
    return list == before ? [] : [.receivers(list)]
  }

  private static func add(_ path: String, to list: inout [String]) {
    if !list.contains(path) { list.append(path) }
  }
}
