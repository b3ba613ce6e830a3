import CBenchmarks
import Foundation
import TestSupport

/// Writes pieces of text to a descriptor, each when it is due.
@safe final class Receiver {
  private let handle: OpaquePointer
  private let text: UnsafeMutableBufferPointer<CChar>
  private let ends: UnsafeMutableBufferPointer<Int>

  /// Starts to write `pieces`, `rate` a second.
  init(_ pieces: [String], to descriptor: Int32, rate: Int) throws {
    let bytes = pieces.joined().utf8.map { CChar(bitPattern: $0) }
    unsafe text = .allocate(capacity: bytes.count)
    _ = unsafe text.initialize(from: bytes)
    unsafe ends = .allocate(capacity: pieces.count)
    var end = 0
    for (index, piece) in pieces.enumerated() {
      end += piece.utf8.count
      unsafe ends[index] = end
    }
    guard
      let start = unsafe text.baseAddress, let first = unsafe ends.baseAddress,
      let handle = unsafe bench_receiver_start(
        descriptor, start, first, pieces.count, 1_000_000_000 / Int64(rate))
    else { throw Failure("no thread for a receiver") }
    unsafe self.handle = handle
  }

  deinit {
    unsafe bench_receiver_stop(handle)
    unsafe text.deallocate()
    unsafe ends.deallocate()
  }
}

/// A real gpsd with one receiver on a pseudo-terminal, which says where it is `rate` times a second.
final class RealGpsd {
  let port: Int32
  let rate: Int
  private let terminal: Int32
  private let process: ChildProcess
  private var receiver: Receiver?
  private let track: NMEATrack
  private let folder: TemporaryFolder

  init(rate: Int) throws {
    self.rate = rate
    track = NMEATrack(rate: rate)
    folder = try TemporaryFolder()
    port = Int32(try LoopbackPort.unused())
    var name = [CChar](repeating: 0, count: 64)
    terminal = unsafe bench_open_terminal(&name, name.count)
    guard terminal >= 0 else { throw Failure("no pseudo-terminal") }
    let path = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    process = try ChildProcess(
      "/usr/sbin/gpsd",
      ["-b", "-N", "-n", "-F", folder.path + "/control", "-S", String(port), path])
    let end = bench_now() + 10_000_000_000
    while true {
      let probe = bench_connect_tcp(port, 0)
      if probe >= 0 {
        bench_close(probe)
        break
      }
      guard bench_now() < end else { throw Failure("gpsd does not listen on port \(port)") }
      bench_wait_until(bench_now() + 10_000_000)
    }
  }

  deinit {
    receiver = nil
    process.send(SIGKILL)
    process.wait()
    bench_close(terminal)
  }

  /// Lets the receiver speak for so long at most.
  func play(seconds: Int) throws {
    let pieces = (0..<(seconds * rate)).map { track.sentences(of: $0).joined() }
    receiver = try Receiver(pieces, to: terminal, rate: rate)
  }
}
