import CLinux
import Glibc
public import Varlink

/// A daemon's ring of samples, as docs/ring.md has it, and not as the client library does.
public final class RingView {
  /// One sample as it stands there.
  public struct Sample: Equatable, Sendable {
    /// The sensor's count.
    public var sequence: Int64
    /// Microseconds on CLOCK_BOOTTIME.
    public var bootTimestamp: Int64
    /// x, y and z in m/s².
    public var vector: [Double]
    /// The number of a state.
    public var state: UInt64
  }

  /// What OpenRing was answered with.
  public let reply: JSON
  /// The ring's own.
  public let descriptor: Descriptor
  /// Whose connection holds it, as long as this object lives or the client closes it.
  private let client: DaemonClient
  private let address: Int
  private let size: Int

  /// The ring of a sensor, held by a client.
  public convenience init(_ client: DaemonClient, _ parameters: JSON = [:]) throws {
    let before = client.descriptors.count
    let reply = try client.call("io.bearing.accelerometer.OpenRing", parameters)
    guard reply.error == nil, client.descriptors.count == before + 1,
      reply.parameters["ring"] == 0
    else { throw DaemonClient.Failure.invalidReply("\(reply.json)") }
    try self.init(client, reply.parameters, client.descriptors[before])
  }

  private init(_ client: DaemonClient, _ reply: JSON, _ descriptor: Descriptor) throws {
    self.client = client
    self.reply = reply
    self.descriptor = descriptor
    var status = stat()
    fstat(descriptor.number, &status)
    size = Int(status.st_size)
    guard let base = mmap(nil, size, PROT_READ, MAP_SHARED, descriptor.number, 0),
      base != MAP_FAILED
    else { throw DaemonClient.Failure.notConnected(errno) }
    address = Int(bitPattern: base)
  }

  deinit { munmap(UnsafeMutableRawPointer(bitPattern: address), size) }

  /// Which memory it is.
  public var inode: UInt64 {
    var status = stat()
    fstat(descriptor.number, &status)
    return UInt64(status.st_ino)
  }

  /// How many rings there were of the sensor.
  public var generation: UInt64 { word(24) }
  /// Hertz.
  public var rate: Double { Double(bitPattern: word(32)) }
  /// The number of a state.
  public var state: UInt32 { half(40) }
  /// Samples written.
  public var head: UInt64 { word(64) }
  /// Wake-ups so far.
  public var wakeUps: UInt32 { half(72) }
  /// 0 or why it has ended.
  public var ended: UInt32 { half(76) }

  /// The sample of an index from 0, which is still there.
  public func sample(_ index: UInt64) -> Sample {
    let words = (0..<6).map { word(4096 + Int(index % 4096) * 64 + 8 * $0) }
    return Sample(
      sequence: Int64(bitPattern: words[0]), bootTimestamp: Int64(bitPattern: words[1]),
      vector: words[2...4].map { Double(bitPattern: $0) }, state: words[5])
  }

  private func word(_ offset: Int) -> UInt64 {
    clinux_load_acquire_64(UnsafeRawPointer(bitPattern: address + offset))
  }

  private func half(_ offset: Int) -> UInt32 {
    clinux_load_acquire(UnsafeRawPointer(bitPattern: address + offset))
  }
}
