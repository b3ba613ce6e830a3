import Foundation
import SQLiteStore

/// Kills writers at random moments and looks whether what they had said to be kept is there.
final class KillTest {
  private static let writers = 3
  /// Keys that nobody writes after the start, and that nothing may take away.
  private static let bystanders = 10
  /// The longest life of a writer before a kill, in milliseconds.
  private static let longestLife: Int32 = 40

  private let subject: Subject
  private let place: String
  private var running: [Writer] = []
  private var acknowledged = 0
  private var lost = 0
  private var torn = 0

  init(subject: Subject, place: String) {
    self.subject = subject
    self.place = place
  }

  /// Prints one line of JSON: what was done, and how much was lost or torn.
  func run(kills: Int) throws {
    let start = Date()
    let write = try subject.writer(place)
    for number in 0..<Self.bystanders {
      try write(Record(writer: -1, number: number), "by.\(number)")
    }
    for identifier in 0..<Self.writers {
      running.append(try Writer(subject, place, identifier, from: 1))
    }
    var done = 0
    while done < kills {
      for writer in running { try writer.waitForFirstAcknowledgement() }
      waitRandomly()
      // One of them, or all at the same moment.
      let victims =
        Int.random(in: 0..<4) == 0 ? running : running.randomElement().map { [$0] } ?? []
      for victim in victims { kill(victim.process.processIdentifier, SIGKILL) }
      for victim in victims {
        done += 1
        let last = victim.finish()
        acknowledged += last - victim.start + 1
        let next = look(victim, last)
        running[victim.identifier] = try Writer(subject, place, victim.identifier, from: next)
      }
    }
    for writer in running { kill(writer.process.processIdentifier, SIGKILL) }
    for writer in running { _ = look(writer, writer.finish()) }
    for number in 0..<Self.bystanders {
      guard let record = try? subject.read(place, "by.\(number)"), record.number == number else {
        lost += 1
        continue
      }
    }
    let seconds = String(format: "%.1f", Date().timeIntervalSince(start))
    print(
      "{\"subject\":\"\(subject)\",\"kills\":\(done),\"acknowledged\":\(acknowledged),"
        + "\"lost\":\(lost),\"torn\":\(torn),\"seconds\":\(seconds)}")
  }

  /// Looks at a killed writer's record, and gives the number to go on from.
  private func look(_ writer: Writer, _ last: Int) -> Int {
    do {
      guard let record = try subject.read(place, "writer.\(writer.identifier)") else {
        lost += 1
        return last + 1
      }
      if !record.isWhole { torn += 1 }
      // The one that was being written when it was killed may be there or not.
      if record.number != last && record.number != last + 1 { lost += 1 }
      return max(record.number, last) + 1
    } catch {
      StandardError.print("record of writer \(writer.identifier): \(error)")
      torn += 1
      return last + 1
    }
  }

  private func waitRandomly() {
    poll(nil, 0, .random(in: 0...Self.longestLife))
    // Finer than the system's clock ticks.
    for _ in 0..<Int.random(in: 0...200_000) { _ = running.count }
  }
}

/// A writer's process, and what it has acknowledged.
final class Writer {
  let process = Process()
  let identifier: Int
  /// The number of its first record.
  let start: Int
  private let output = Pipe()
  private var lines = Data()

  init(_ subject: Subject, _ place: String, _ identifier: Int, from start: Int) throws {
    self.identifier = identifier
    self.start = start
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = ["write", subject.rawValue, place, "\(identifier)", "\(start)"]
    process.standardOutput = output
    try process.run()
    try output.fileHandleForWriting.close()
  }

  /// So that kills hit writing, not starting.
  func waitForFirstAcknowledgement() throws {
    while !lines.contains(10) {
      let more = output.fileHandleForReading.availableData
      guard !more.isEmpty else { throw Failure("writer \(identifier) ended by itself") }
      lines += more
    }
  }

  /// Waits for its end and gives the number of the last record that it said was kept.
  func finish() -> Int {
    lines += output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let whole = lines.prefix(upTo: lines.lastIndex(of: 10) ?? lines.startIndex)
    return whole.split(separator: 10).last.flatMap { Int(String(decoding: $0, as: UTF8.self)) }
      ?? start - 1
  }
}
