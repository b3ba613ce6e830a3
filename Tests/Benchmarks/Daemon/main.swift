// What the daemon costs and how fast it is, each figure beside one of something else in the same run.
// `make bench`, or `make bench ONLY=name`.
import CBenchmarks
import Glibc

/// Each in the order in which they run.
let benchmarks: [(name: String, run: (inout Report) throws -> Void)] = [
  ("latency", measureLatency),
  ("freeze", measureFreeze),
  ("quota", measureQuota),
  ("idle", measureIdle),
  ("polling", measurePolling),
  ("buffer", measureBuffer),
  ("ring", measureRing),
  ("orientation", measureOrientation),
  ("fan-out", measureFanOut),
  ("day", measureDay),
]

@MainActor func run(_ arguments: [String]) throws {
  if arguments.first == BareServer.role { return try BareServer.serve(arguments.dropFirst()) }
  let unknown = arguments.filter { name in !benchmarks.contains { $0.name == name } }
  guard unknown.isEmpty else {
    throw Failure("no benchmark \(unknown[0]); there are: \(benchmarks.map(\.name))")
  }
  _ = bench_raise_descriptors()
  // Files that stand for a sensor's are to be in memory, as sysfs is.
  _ = unsafe setenv("TMPDIR", "/dev/shm", 0)
  var report = Report()
  for (name, run) in benchmarks where arguments.isEmpty || arguments.contains(name) {
    report.begin(name)
    try run(&report)
  }
  report.end()
}

do {
  try run(Array(CommandLine.arguments.dropFirst()))
} catch {
  print("benchmark-daemon: \(error)")
  exit(1)
}
