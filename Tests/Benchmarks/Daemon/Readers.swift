import CBenchmarks

/// Clients of one server, read by one thread that notes when each message came.
@safe final class Readers {
  /// A message of one of the clients.
  struct Reading {
    /// Nanoseconds on CLOCK_MONOTONIC.
    var time: Int64
    /// What it was about.
    var key: Int64
    /// Which client's.
    var client: Int
  }

  let descriptors: [Int32]
  private let handle: OpaquePointer

  private init(_ descriptors: [Int32], _ key: bench_key) throws {
    self.descriptors = descriptors
    guard descriptors.allSatisfy({ $0 >= 0 }) else { throw Failure("a client cannot connect") }
    guard let handle = unsafe bench_readers_start(descriptors, descriptors.count, key) else {
      throw Failure("no thread for \(descriptors.count) readers")
    }
    unsafe self.handle = handle
  }

  deinit {
    unsafe bench_readers_free(handle)
    for descriptor in descriptors { bench_close(descriptor) }
  }

  /// Clients of a Varlink socket that stream a method.
  static func varlink(
    _ socket: String, _ count: Int, _ method: String, _ parameters: String, noting key: bench_key
  ) throws -> Readers {
    let call = #"{"method":"\#(method)","parameters":\#(parameters),"more":true}"# + "\0"
    return try Readers(
      (0..<count).map { _ in
        let descriptor = unsafe bench_connect_unix(socket)
        _ = unsafe bench_send(descriptor, call, call.utf8.count)
        return descriptor
      }, key)
  }

  /// Clients of a bare server, which sends without being asked.
  static func bare(_ socket: String, _ count: Int, noting key: bench_key) throws -> Readers {
    try Readers((0..<count).map { _ in unsafe bench_connect_unix(socket) }, key)
  }

  /// Clients of gpsd.
  static func gpsd(_ port: Int32, _ count: Int) throws -> Readers {
    try Readers((0..<count).map { _ in connectToGpsd(port, asking: "") }, BENCH_TPV)
  }

  /// A client of gpsd that asks for more than JSON by `more`.
  static func connectToGpsd(_ port: Int32, asking more: String, receiveBuffer: Int32 = 0) -> Int32 {
    let descriptor = bench_connect_tcp(port, receiveBuffer)
    let watch = #"?WATCH={"enable":true,"json":true\#(more)}"# + "\n"
    _ = unsafe bench_send(descriptor, watch, watch.utf8.count)
    return descriptor
  }

  /// How many messages were noted so far.
  var count: Int { unsafe bench_readers_count(handle) }

  /// Waits until so many were noted.
  func wait(for count: Int, seconds: Double = 60) throws {
    let end = bench_now() + Int64(seconds * 1e9)
    while self.count < count {
      guard bench_now() < end else {
        throw Failure("\(self.count) messages of \(count) in \(seconds) s")
      }
      bench_wait_until(bench_now() + 1_000_000)
    }
  }

  /// Ends reading; gives all that was noted, in order.
  func stop() -> [Reading] {
    unsafe bench_readers_stop(handle)
    var readings: UnsafePointer<bench_reading>?
    let count = unsafe bench_readers_readings(handle, &readings)
    let all = unsafe UnsafeBufferPointer(start: readings, count: count)
    return unsafe all.map { Reading(time: $0.time, key: $0.key, client: Int($0.client)) }
  }
}
