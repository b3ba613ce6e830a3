internal import Varlink

/// Lets streams outlive the process: systemd keeps their sockets, and memory that says how far they
/// are, for the next one, be it after a restart, an upgrade, a kill -9 or a watchdog's abort.
///
/// Without systemd, or where the unit allows no kept descriptors, nothing here does anything.
final class Handover {
  /// Of what is written to the memory; another one's is not taken up.
  private static let layout = 1
  private static let memoryPrefix = "streams-"
  private static let clientPrefix = "client-"
  /// Streams that can be kept; the unit's FileDescriptorStoreMax= is one more.
  static let capacity = 4095

  /// A stream of an earlier process.
  struct Stream {
    let id: StreamID
    let socket: Int32
    let since: BootTime
    let method: String
    let parameters: JSON
    let resumption: Resumption

    /// Its call, as the client sent it.
    var message: [UInt8] {
      JSON.object(["method": .string(method), "parameters": parameters, "more": true])
        .serialised() + [0]
    }
  }

  private let store: DescriptorStore
  private let slots: SharedSlots
  private let name: String
  private var free: [Int]

  /// Memory for the streams of this process; nil without systemd. `before` is that of the last one.
  init?(after before: Previous, loop: EventLoop) {
    guard ServiceManager.isPresent else { return nil }
    do throws(SystemError) {
      store = try DescriptorStore(loop: loop)
      slots = try SharedSlots(count: Self.capacity)
    } catch {
      Journal.warning("\(error): streams will not outlive this process", .restart)
      return nil
    }
    free = Array((0..<Self.capacity).reversed())
    name = Self.memoryPrefix + String(before.generation + 1)
  }

  /// Has systemd keep the memory in place of the last process's, once all its streams are in it.
  func publish(inPlaceOf before: Previous) {
    ServiceManager.keep(slots.descriptor, as: name)
    for name in before.memoryNames { ServiceManager.forget(name) }
  }

  // MARK: For the next process

  /// Keeps a stream; nil when there is no room for it or its call is too long.
  func keep(_ connection: Connection, _ call: Call) -> Int? {
    let fixed = JSON.object([
      "layout": .int(Int64(Self.layout)), "id": .int(Int64(connection.id)),
      "since": .int(connection.since.nanoseconds),
      "method": .string("\(call.interface).\(call.method)"),
      "parameters": call.parameters,
    ]).serialised()
    guard fixed.count <= SharedSlots.fixedSize, let slot = free.popLast() else { return nil }
    slots.take(slot, fixed: fixed)
    slots.write(slot, SharedSlots.Progress())
    store.keep(connection.descriptor, as: Self.clientPrefix + String(connection.id))
    return slot
  }

  /// Keeps a stream of the process before, as it was, until it goes on: that may take a while, and
  /// the process can end before. nil when there is no room for it.
  func keep(_ stream: Stream) -> Int? {
    guard let slot = free.popLast() else { return nil }
    slots.take(slot, from: stream.resumption.memory, stream.resumption.slot)
    return slot  // systemd has its socket
  }

  /// Has systemd know at once what it is to keep, as far as it can, because the process ends.
  func finish() { store.tell() }

  /// Notes how far a kept stream is.
  func update(_ slot: Int, _ progress: SharedSlots.Progress) {
    slots.write(slot, progress)
  }

  /// Notes how far a kept stream is, with what it remembers.
  func update<Record: BitwiseCopyable>(
    _ slot: Int, _ progress: SharedSlots.Progress, record: Record
  ) {
    slots.write(slot, progress, record: record)
  }

  /// Keeps a stream no more.
  func release(_ slot: Int, id: StreamID) {
    slots.free(slot)
    free.append(slot)
    store.forget(Self.clientPrefix + String(id))
  }

  // MARK: Of the process before

  /// What systemd kept of the process before.
  struct Previous {
    /// Its streams, in the order in which they came.
    var streams: [Stream] = []
    /// Of its memory, also of one that is not known: rises by one with each process.
    fileprivate(set) var generation = 0
    fileprivate(set) var memoryNames: [String] = []
  }

  /// Sorts the descriptors that systemd passed: what it kept, and the listening sockets.
  static func sort(
    _ passed: [ServiceManager.PassedDescriptor]
  ) -> (previous: Previous, listeners: [Int32]) {
    var previous = Previous()
    var memory: (slots: SharedSlots, generation: Int)?
    var sockets: [StreamID: Int32] = [:]
    var listeners: [Int32] = []
    for descriptor in passed {
      if let number = Int(prefixed: descriptor.name, memoryPrefix) {
        previous.memoryNames.append(descriptor.name)
        previous.generation = max(previous.generation, number)
        guard let slots = SharedSlots(adopting: descriptor.number) else {
          ServiceManager.close(descriptor.number)
          continue
        }
        // There are two when the last process was killed while it took over: the newer is complete.
        if number > memory?.generation ?? 0 { memory = (slots, number) }
      } else if let id = Int(prefixed: descriptor.name, clientPrefix) {
        sockets[id] = descriptor.number
      } else {
        listeners.append(descriptor.number)
      }
    }
    if let slots = memory?.slots {
      for slot in 0..<slots.count {
        guard let (fixed, progress) = slots.read(slot),
          let kept = stream(fixed, progress, slot, slots, &sockets)
        else { continue }
        previous.streams.append(kept)
      }
    }
    for (id, socket) in sockets {  // of a stream that ended, or of a layout that is not known
      ServiceManager.forget(clientPrefix + String(id))
      ServiceManager.close(socket)
    }
    previous.streams.sort { $0.id < $1.id }
    return (previous, listeners)
  }

  private static func stream(
    _ fixed: [UInt8], _ progress: SharedSlots.Progress, _ slot: Int, _ memory: SharedSlots,
    _ sockets: inout [StreamID: Int32]
  ) -> Stream? {
    guard let value = try? JSON(parsing: fixed, depthLimit: JSON.requestDepthLimit + 1),
      value["layout"]?.integer == Int64(layout), let id = value["id"]?.integer,
      let since = value["since"]?.integer, let method = value["method"]?.string,
      let parameters = value["parameters"],
      let socket = sockets.removeValue(forKey: Int(id))
    else { return nil }
    return Stream(
      id: Int(id), socket: socket, since: BootTime(nanoseconds: since), method: method,
      parameters: parameters,
      resumption: Resumption(progress: progress, memory: memory, slot: slot))
  }
}

extension Int {
  /// The number behind a prefix; nil when that is not what the name is.
  fileprivate init?(prefixed name: String, _ prefix: String) {
    guard name.hasPrefix(prefix) else { return nil }
    self.init(name.dropFirst(prefix.count))
  }
}

/// Where a stream of an earlier process was, for the interface that takes it up again.
struct Resumption {
  /// How far it was.
  let progress: SharedSlots.Progress
  fileprivate let memory: SharedSlots
  fileprivate let slot: Int

  /// What the stream remembered, which its interface wrote as a `Record`; nil for nothing.
  func record<Record: BitwiseCopyable>(as type: Record.Type) -> Record? {
    memory.record(slot, as: type)
  }
}
