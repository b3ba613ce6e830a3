internal import Foundation
internal import Glibc

/// A machine of umockdev's whose devices come and go, with udev telling of it, for daemons that are
/// started with its `environment`.
public final class MockedMachine: Sendable {
  /// Nothing came from the machine, or not what was expected.
  public struct Failure: Error, CustomStringConvertible {
    /// What was asked and what came.
    public let description: String
  }

  private static let wrapper = "/usr/bin/umockdev-wrapper"
  private let folder: TemporaryFolder
  private let process: ChildProcess
  private let commands: FileHandle
  private let root: String

  /// Whether umockdev is installed; says so where it is not.
  public static let isAvailable: Bool = {
    if access(wrapper, X_OK) == 0 { return true }
    print("\(wrapper) is not here: tests with a mocked machine are skipped")
    return false
  }()

  /// A machine without devices.
  public init() throws {
    folder = try TemporaryFolder()
    let file = folder.path + "/commands"
    // Open for both, so that the other side's start and end block nobody here.
    guard mkfifo(file, 0o600) == 0, case let descriptor = open(file, O_RDWR), descriptor >= 0 else {
      throw Failure(description: "mkfifo \(file): errno \(errno)")
    }
    commands = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    let program = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("mocked-machine").path
    process = try ChildProcess(Self.wrapper, ["/usr/bin/python3", program, file])
    root = try Self.line(of: process)
  }

  /// What puts a program into the machine.
  public var environment: [String: String] {
    [
      "UMOCKDEV_DIR": root, "LD_PRELOAD": "libumockdev-preload.so.0",
      "ASAN_OPTIONS": "detect_leaks=0:verify_asan_link_order=0",
    ]
  }

  /// Adds the devices of a description in umockdev's format.
  public func plug(_ description: String) throws {
    try run("plug \(try folder.write(description, to: "devices"))")
  }

  /// Takes away the device at that place below /sys; udev tells of it, or not.
  public func unplug(_ place: String, quietly: Bool = false) throws {
    try run("\(quietly ? "quietly" : "unplug") \(place)")
  }

  /// Writes a file of the device at that place below /sys.
  public func set(_ place: String, _ attribute: String, to text: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: "\(root)/sys\(place)/\(attribute)"))
  }

  private func run(_ command: String) throws {
    try commands.write(contentsOf: Data((command + "\n").utf8))
    let answer = try Self.line(of: process)
    guard answer == "done" else { throw Failure(description: "\(command): \"\(answer)\" came") }
  }

  private static func line(of process: ChildProcess) throws -> String {
    let cancel = process.kill(after: DaemonProcess.patience)
    defer { cancel() }
    var line = Data()
    while let byte = try process.output.read(upToCount: 1), let first = byte.first, first != 10 {
      line.append(first)
    }
    guard !line.isEmpty else {
      throw Failure(description: "the mocked machine ended, \(process.wait())")
    }
    return String(decoding: line, as: UTF8.self)
  }
}
