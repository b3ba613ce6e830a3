import BearingModel
import Foundation
import Glibc
import TestSupport
import Testing
import Varlink

/// Two hundred readers of one receiver, one of which is stopped in its tracks.
@Suite struct ManySubscribersTests {
  private static let count = 200
  private static let rate = 10
  /// Replies that the stopped reader is to lose before it goes on.
  private static let losses = 20
  private static let within = 120.0
  /// What the daemon may grow by meanwhile, in bytes.
  private static let growth = 2 << 20
  /// The address sanitizer keeps what was freed.
  private static let isMemoryKept = dlsym(nil, "__asan_init") != nil

  private static let subscription =
    #"{"method":"io.bearing.location.Subscribe","parameters":"#
    + #"{"minInterval":0,"distanceFilter":0},"more":true}"# + "\0"

  /// A client of its own process: what it reads comes out of it.
  private static let clientProgram = """
    import os, socket, sys
    client = socket.socket(socket.AF_UNIX)
    client.connect(sys.argv[1])
    client.sendall(sys.argv[2].encode() + b'\\0')
    while data := client.recv(65536):
        os.write(1, data)
    """

  @Test(
    "A stopped reader of 200 costs the others no fix, the daemon no memory, itself only the past")
  func oneOfManyIsStopped() throws {
    let folder = try TemporaryFolder()
    let track = NMEATrack(rate: Self.rate)
    let recording = try folder.write(track.recording(fixes: 1200), to: "ten-hertz.log")
    let replay = try GpsdReplay(recording: recording, cycle: 0.5 / Double(Self.rate))
    let daemon = try DaemonProcess(
      """
      [Location]
      GpsdPort=\(replay.port)
      [Accelerometer]
      Source=none
      [Limits]
      ConnectionsPerUser=1024
      StreamsPerUser=1024
      QueuePerUser=64M
      StallTime=5min
      """)
    let stopped = try ChildProcess(
      "/usr/bin/python3",
      ["-c", Self.clientProgram, daemon.socket, String(Self.subscription.dropLast())])
    defer { stopped.send(SIGCONT) }
    let others = try (1..<Self.count).map { _ in try StreamReader.connect(daemon.socket) }
    for other in others { try other.send(Self.subscription) }
    let last = StreamReader(stopped.output.fileDescriptor)
    let all = others + [last]
    let administrator = try daemon.connect()
    /// How many replies of the stopped one the daemon says it dropped.
    func dropped() throws -> Int {
      let clients = try administrator.call("io.bearing.daemon.ListClients")["clients"]
      return try (clients ?? []).decode([ClientStatus].self)
        .filter { $0.pid == Int(stopped.pid) }.reduce(0) { $0 + $1.dropped }
    }

    try StreamReader.read(all, within: Self.within) { all.allSatisfy(\.isSearching) }
    replay.go()
    try StreamReader.read(all, within: Self.within) { all.allSatisfy { $0.sequence >= 20 } }
    let memoryBefore = daemon.residentBytes
    stopped.send(SIGSTOP)
    try StreamReader.read(others, within: Self.within) { try dropped() >= Self.losses }
    let memoryWhileStopped = daemon.residentBytes
    let newest = others[0].sequence
    stopped.send(SIGCONT)
    try StreamReader.read(all, within: Self.within) {
      all.allSatisfy { $0.sequence >= newest + 10 }
    }
    if !Self.isMemoryKept {
      #expect(memoryWhileStopped - memoryBefore < Self.growth)
      #expect(daemon.residentBytes - memoryBefore < Self.growth)
    }

    let reference = others[0].sinceLive
    let fixes = try reference.compactMap(StreamReader.fix).filter { $0.refined == nil }
    #expect(fixes.map(\.sequence) == Array(1...fixes.count))
    #expect(fixes.count >= newest + 10)
    // One encoding for all: what one has, the others have to the byte.
    let areSame = others.filter { zip($0.sinceLive, reference).allSatisfy(==) }
    #expect(areSame.count == others.count)
    try check(last.sinceLive, against: reference, lost: dropped(), newest: newest)
  }

  /// What the stopped reader has is what the others have, but for gaps that it is told of; after them
  /// comes the newest fix.
  private func check(
    _ messages: [String], against reference: [String], lost: Int, newest: Int
  ) throws {
    var place = 0
    var lostHere = 0
    var fixAfterLoss = 0
    for message in messages {
      let told = message.firstMatch(of: #/,"dropped":(\d+)/#).flatMap { Int($0.output.1) } ?? 0
      let plain = message.replacing(#/,"dropped":\d+/#, with: "")
      guard let next = reference[place...].firstIndex(of: plain) else {
        // Newer than all that the others were read to.
        #expect(place == reference.count, "not whole: \(message)")
        break
      }
      #expect(next - place == told)
      lostHere += told
      if told > 0 { fixAfterLoss = 0 }
      if fixAfterLoss == 0 { fixAfterLoss = try StreamReader.fix(in: plain)?.sequence ?? 0 }
      place = next + 1
    }
    #expect(lostHere == lost)
    #expect(fixAfterLoss >= newest)
  }
}

/// Reads a stream's messages as they come, as one of many that one thread reads.
private final class StreamReader {
  private(set) var messages: [String] = []
  /// Of the last fix; 0 before the first.
  private(set) var sequence = 0
  private(set) var isSearching = false
  private let descriptor: Int32
  private let owner: Descriptor?
  private var rest: [UInt8] = []

  /// What came from the first reply of a live receiver on.
  var sinceLive: [String] {
    Array(messages.drop { !$0.contains(#""state":"live""#) })
  }

  init(_ descriptor: Int32, owner: Descriptor? = nil) {
    self.descriptor = descriptor
    self.owner = owner
  }

  static func connect(_ path: String) throws -> StreamReader {
    let socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    let owner = Descriptor(adopting: socket)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(result == 0)
    return StreamReader(socket, owner: owner)
  }

  func send(_ text: String) throws {
    let bytes = Array(text.utf8)
    try #require(Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count)
  }

  /// Reads what comes to any of `readers` until something holds; fails when it does not in time.
  static func read(
    _ readers: [StreamReader], within seconds: Double, until holds: () throws -> Bool
  ) throws {
    let end = Date() + seconds
    var entries = readers.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
    while try !holds() {
      try #require(Date() < end, "not within \(seconds) s")
      guard poll(&entries, nfds_t(entries.count), 1000) > 0 else { continue }
      for (reader, entry) in zip(readers, entries) where entry.revents != 0 { try reader.take() }
    }
  }

  private func take() throws {
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    let count = Glibc.read(descriptor, &buffer, buffer.count)
    try #require(count > 0, "the stream ended")
    rest += buffer[..<count]
    while let end = rest.firstIndex(of: 0) {
      let message = String(decoding: rest[..<end], as: UTF8.self)
      rest.removeFirst(end + 1)
      messages.append(message)
      isSearching = isSearching || message.contains(#""state":"searching""#)
      if let range = message.range(of: #""sequence":"#),
        let number = Int(message[range.upperBound...].prefix { $0.isNumber })
      {
        sequence = number
      }
    }
  }

  static func fix(in message: String) throws -> Fix? {
    let parameters = try #require(
      try JSON(parsing: Array(message.utf8), depthLimit: 16)["parameters"])
    return try parameters["fix"]?.decode(Fix.self)
  }
}
