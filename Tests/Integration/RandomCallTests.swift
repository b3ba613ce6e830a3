import Foundation
import Locking
import TestSupport
import Testing
import Varlink

/// Clients that do at random what clients can do, valid or not: the daemon lives, and answers one that
/// behaves throughout.
@Suite struct RandomCallTests {
  /// SplitMix64, so that a run can be had again.
  struct Generator: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state &+= 0x9e37_79b9_7f4a_7c15
      var value = (state ^ (state >> 30)) &* 0xbf58_476d_1ce4_e5b9
      value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
      return value ^ (value >> 31)
    }
  }

  private static let methods: [String] =
    DaemonInterfaces.all.values.flatMap { interface in
      interface.methods.map { "\(interface.name).\($0.name)" }
    }.sorted() + ["org.varlink.service.GetInfo", "org.varlink.service.GetInterfaceDescription"]
  private static let members = [
    "minInterval", "distanceFilter", "maximumAccuracy", "heartbeat", "timeout", "maxAge",
    "accuracy",
    "bestEffort", "interface", "identifier", "latitude", "longitude", "radius", "dwell", "since",
    "client", "sensor", "rate", "maxLatency", "key", "value", "scope", "strange",
  ]

  private static func one<Value>(of values: [Value], _ generator: inout Generator) -> Value {
    values[Int.random(in: values.indices, using: &generator)]
  }

  private static func value(_ generator: inout Generator, depth: Int = 0) -> JSON {
    switch Int.random(in: 0..<(depth < 3 ? 14 : 11), using: &generator) {
    case 0: .null
    case 1: .bool(.random(using: &generator))
    case 2: .int(Int64(truncatingIfNeeded: generator.next()))
    case 3: .int(Int64.random(in: -3...3, using: &generator))
    case 4: .int(one(of: [.max, .min, 1 << 53, 600_000, 100], &generator))
    case 5: .double(Double.random(in: -1e3...1e3, using: &generator))
    case 6:
      .double(one(of: [1e308, -1e308, .leastNonzeroMagnitude, -0.0, 90, 180], &generator))
    case 7: .string("")
    case 8:
      .string(String(repeating: "é\u{0}\"\\", count: Int.random(in: 0..<40, using: &generator)))
    case 9:
      .string(
        one(of: ["io.bearing.location", "iio:device0", "user", "a"], &generator))
    case 10: .int(Int64.random(in: 0...2000, using: &generator))
    case 11: .array((0..<3).map { _ in value(&generator, depth: depth + 1) })
    default: .object(["a": value(&generator, depth: depth + 1)])
    }
  }

  private static func call(_ generator: inout Generator) -> [UInt8] {
    var parameters: [String: JSON] = [:]
    for _ in 0..<Int.random(in: 0..<5, using: &generator) {
      parameters[one(of: members, &generator)] = value(&generator)
    }
    var message = DaemonClient.encode(
      one(of: methods, &generator), .object(parameters),
      more: Int.random(in: 0..<3, using: &generator) == 0,
      oneway: Int.random(in: 0..<8, using: &generator) == 0)
    if Int.random(in: 0..<10, using: &generator) == 0 {
      let index = Int.random(in: 0..<message.count, using: &generator)
      message[index] = UInt8.random(in: 0...255, using: &generator)
    }
    if Int.random(in: 0..<30, using: &generator) == 0 {
      message.removeLast(Int.random(in: 1..<message.count, using: &generator))
    }
    return message
  }

  /// One client's life: as many acts as that, on as many connections as they need.
  private static func misbehave(_ socket: String, seed: UInt64, acts: Int) throws {
    var generator = Generator(state: seed)
    var client = try DaemonClient(socket)
    for _ in 0..<acts {
      do {
        switch Int.random(in: 0..<20, using: &generator) {
        case 0: client = try DaemonClient(socket)
        case 1: client.close()
        case 2: try client.endOutput()
        case 3: try client.send((0..<200).map { _ in UInt8.random(in: 0...255, using: &generator) })
        case 4: try client.send([UInt8](repeating: UInt8(ascii: "["), count: 5000))
        case 5: for _ in 0..<20 { try client.send(call(&generator)) }
        case 6...9: while try client.nextIfThere() != nil {}
        default: try client.send(call(&generator))
        }
      } catch let failure as DaemonClient.Failure {
        if case .invalidReply = failure { throw failure }
        client = try DaemonClient(socket)
      } catch is SocketError {
        client = try DaemonClient(socket)
      }
    }
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func theDaemonLivesAndAnswersWhoBehaves(seed: UInt64) throws {
    let daemon = try DaemonProcess(
      "[Location]\nSource=simulation\n[Accelerometer]\nSource=simulation\n[Limits]\nRequestTime=1\n"
    )
    let faults = Guarded<[String]>([])
    let group = DispatchGroup()
    for number in 0..<4 as Range<UInt64> {
      group.enter()
      Thread.detachNewThread { [socket = daemon.socket] in
        do {
          try Self.misbehave(socket, seed: seed &* 1000 &+ number, acts: 500)
        } catch {
          faults.withValue { $0.append("client \(number) of seed \(seed): \(error)") }
        }
        group.leave()
      }
    }
    let good = try DaemonClient(daemon.socket)
    let stream = try DaemonClient(daemon.socket)
    _ = try stream.open("io.bearing.daemon.SubscribeStatus", ["heartbeat": 100])
    while group.wait(timeout: .now()) == .timedOut {
      #expect(try good.call("io.bearing.daemon.GetStatus").error == nil)
      #expect(try stream.next().continues)
    }
    #expect(faults.withValue { $0 } == [])
    #expect(
      try daemon.waitUntil {
        try good.call("io.bearing.daemon.GetStatus").parameters["clients"] == 2
      })
    #expect(daemon.residentBytes < 100 << 20)
    #expect(daemon.stop() == 0)
  }
}
