internal import BearingModel
internal import Locking

/// Which way of sampling a sensor is at, and what was found out about the others.
struct IIOModes {
  private var left: [IIOMode]
  private var why: String?
  private var passed: [(modes: [IIOMode], reason: String)] = []

  /// From the best way that is offered, without those in `failed`.
  init(_ offered: (modes: [IIOMode], reason: String?), failed: [IIOMode: String]) {
    left = offered.modes
    why = offered.reason
    while let reason = failed[mode], leave(because: reason) {}
  }

  /// The way to try now.
  var mode: IIOMode { left.first ?? .polling }

  /// Whether a better one was tried and did not work.
  var isSecondBest: Bool { !passed.isEmpty }

  /// Why it is not a better one, for people; nil for the best.
  var reason: String? {
    let reasons = passed.map { left in
      left.modes.map(\.rawValue).joined(separator: ", ") + ": " + left.reason
    }
    let all = [why].compactMap(\.self) + reasons
    return all.isEmpty ? nil : all.joined(separator: "; ")
  }

  /// Goes on to the next way; false when there is none.
  mutating func leave(because reason: String) -> Bool {
    guard left.count > 1 else { return false }
    if passed.last?.reason != reason { passed.append(([], reason)) }
    passed[passed.count - 1].modes.append(mode)
    left.removeFirst()
    return true
  }
}

/// What earlier runs of a sensor found out, so that the next start need not wait for it again; and
/// what the log was told, so that it is told once.
final class IIOModeMemory: Sendable {
  /// Nanoseconds after which a way that gave nothing is tried again; after a suspend it is at once,
  /// since drivers start anew then.
  static let retryTime = 600 * Nanoseconds.second

  private struct Failure {
    let reason: String
    let time: BootTime
    /// Nanoseconds that the machine had been suspended by then.
    let asleep: Int64
  }

  private struct Known {
    var failed: [IIOMode: Failure] = [:]
    var told = ""
  }

  private let known = Guarded<[String: Known]>([:])

  /// The ways that gave nothing lately, by the sensor's path.
  func failed(
    _ sensor: Sensor, now: BootTime = .now(), asleep: Int64 = BootTime.asleep()
  ) -> [IIOMode: String] {
    known.withValue { known in
      (known[sensor.path]?.failed ?? [:]).filter {
        now - $0.value.time < Self.retryTime && asleep - $0.value.asleep < SuspendWatch.least
      }
      .mapValues(\.reason)
    }
  }

  /// Notes that a way gave nothing.
  func note(_ sensor: Sensor, _ mode: IIOMode, gaveNothing reason: String) {
    known.withValue { known in
      known[sensor.path, default: Known()].failed[mode] = Failure(
        reason: reason, time: .now(), asleep: BootTime.asleep())
    }
  }

  /// The sensor is gone: what comes under its path may be another.
  func forget(_ sensor: Sensor) {
    known.withValue { _ = $0.removeValue(forKey: sensor.path) }
  }

  /// Tells the log how a sensor is sampled when a better way did not work, and when one does again.
  func tell(_ sensor: Sensor, _ modes: IIOModes) {
    let why = modes.reason.map { " (\($0))" } ?? ""
    let text = "\(sensor.identifier) (\(sensor.name)): samples by \(modes.mode.rawValue)\(why)"
    let isNews = known.withValue { known in
      let told = known[sensor.path]?.told ?? ""
      guard modes.isSecondBest || !told.isEmpty else { return false }
      known[sensor.path, default: Known()].told = text
      return told != text
    }
    if isNews { Journal.notice(text, .source) }
  }
}
