/// What goes wrong with gpsd and its receivers.
extension Doctor {
  private static let port = 2947
  /// "GPSD", gpsd's key of System V shared memory.
  private static let sharedMemoryKey = "1196446532"
  private static let receiverPrefixes = ["ttyACM", "ttyUSB", "gps", "gnss"]
  private static let units = "/etc/systemd/system"

  var gpsd: [Finding] {
    guard ["/usr/sbin", "/usr/local/sbin", "/usr/bin"].contains(where: { tree.has("\($0)/gpsd") })
    else {
      return [
        Finding(
          problem: "gpsd is not installed", reason: "it reads the receivers for bearingd",
          remedy: "sudo apt install gpsd")
      ]
    }
    return service + receivers + bypasses
  }

  // MARK: The service

  private var service: [Finding] {
    var findings: [Finding] = []
    let socket = gpsdSocket
    if isIPv6Off, socket.contains("[::1]") {
      findings.append(
        Finding(
          problem: "gpsd.socket listens on [::1], and the kernel has IPv6 switched off",
          reason: "systemd starts none of the unit's sockets when one cannot be",
          remedy: "sudo sh -c 'mkdir -p \(Self.units)/gpsd.socket.d && printf "
            + "\"[Socket]\\nListenStream=\\nListenStream=/run/gpsd.sock\\n"
            + "ListenStream=127.0.0.1:\(Self.port)\\n\" >\(Self.units)/gpsd.socket.d/ipv4.conf"
            + " && systemctl daemon-reload && systemctl restart gpsd.socket'"))
    }
    if !isRunning, !isListening {
      findings.append(
        Finding(
          problem: "gpsd is not running, and nothing would start it",
          reason: "nobody reads the receiver", remedy: "sudo systemctl start gpsd.socket"))
    }
    let links = ["sockets.target.wants/gpsd.socket", "multi-user.target.wants/gpsd.service"]
    if !links.contains(where: { tree.has("\(Self.units)/\($0)") }) {
      findings.append(
        Finding(
          problem: "gpsd is not enabled", reason: "it is gone after the next start of the machine",
          remedy: "sudo systemctl enable gpsd.socket"))
    }
    return findings
  }

  private var isRunning: Bool {
    tree.names(in: "/proc").contains { name in
      name.first?.isNumber ?? false && tree.text(of: "/proc/\(name)/comm") == "gpsd\n"
    }
  }

  /// The text of the socket's unit as it counts: a drop-in with an empty ListenStream= begins anew.
  private var gpsdSocket: String {
    let places = [Self.units, "/lib/systemd/system", "/usr/lib/systemd/system"]
    var text = places.lazy.compactMap { tree.text(of: "\($0)/gpsd.socket") }.first ?? ""
    let folder = "\(Self.units)/gpsd.socket.d"
    for name in tree.names(in: folder) where name.hasSuffix(".conf") {
      let more = tree.text(of: "\(folder)/\(name)") ?? ""
      text = more.split(separator: "\n").contains("ListenStream=") ? more : text + more
    }
    return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.joined(separator: "\n")
  }

  private var isIPv6Off: Bool {
    guard tree.has("/proc/sys/net") else { return false }
    let text = tree.text(of: "/proc/sys/net/ipv6/conf/all/disable_ipv6")
    return text.map { $0.hasPrefix("1") } ?? true
  }

  // MARK: Receivers

  private var receivers: [Finding] {
    let settings = tree.text(of: "/etc/default/gpsd") ?? ""
    let named = value("DEVICES", in: settings).split(separator: " ").map(String.init)
      .filter { $0.hasPrefix("/dev/") }
    let found = tree.names(in: "/dev").filter { name in
      Self.receiverPrefixes.contains { name.hasPrefix($0) }
    }.map { "/dev/\($0)" }
    let isAutomatic = value("USBAUTO", in: settings) == "true"
    guard !named.isEmpty || !found.isEmpty else {
      return [
        Finding(
          problem: "there is no receiver: no /dev/ttyACM*, /dev/ttyUSB*, /dev/gps* or /dev/gnss*,"
            + " and DEVICES= in /etc/default/gpsd names none",
          reason: "gpsd has nothing to read positions from",
          remedy: "sudo dmesg --follow  # plug it in and see whether the kernel knows it")
      ]
    }
    var findings: [Finding] = []
    if named.isEmpty, !isAutomatic {
      findings.append(
        Finding(
          problem: "gpsd is told of no receiver, and USBAUTO= is off", reason: "it reads none",
          remedy: "sudo gpsdctl add \(found[0])"))
    }
    for device in named.isEmpty ? found : named {
      if let finding = finding(of: device) { findings.append(finding) }
    }
    return findings
  }

  private func finding(of device: String) -> Finding? {
    guard let rights = tree.rights(of: device) else {
      return Finding(
        problem: "\(device), which DEVICES= in /etc/default/gpsd names, is not there",
        reason: "gpsd waits for it in vain",
        remedy: "ls -l /dev/serial/by-id  # and put the right name into /etc/default/gpsd")
    }
    if rights.allow(tree.group("dialout")) { return nil }
    return Finding(
      problem: "the group dialout may not read and write \(device)",
      reason: "gpsd has no other right to it once it has given root's up",
      remedy: "sudo chgrp dialout \(device) && sudo chmod g+rw \(device)")
  }

  /// The value of a shell variable, without its quotation marks.
  private func value(_ name: String, in text: String) -> String {
    let line = text.split(separator: "\n").last { $0.hasPrefix(name + "=") }
    return line.map { $0.dropFirst(name.count + 1).filter { $0 != "\"" && $0 != "'" } } ?? ""
  }

  // MARK: Ways around

  private var isListening: Bool {
    let number = "0" + String(Self.port, radix: 16, uppercase: true)  // as /proc has it
    return ["tcp", "tcp6"].contains { name in
      (tree.text(of: "/proc/net/\(name)") ?? "").split(separator: "\n").contains { line in
        let fields = line.split(separator: " ")
        return fields.count > 3 && fields[1].hasSuffix(":\(number)") && fields[3] == "0A"
      }
    }
  }

  private var isShared: Bool {
    (tree.text(of: "/proc/sysvipc/shm") ?? "").split(separator: "\n").contains { line in
      let fields = line.split(separator: " ")
      guard fields.count > 2, fields[0] == Self.sharedMemoryKey else { return false }
      return Int(fields[2], radix: 8).map { $0 & 0o004 != 0 } ?? false
    }
  }

  private var bypasses: [Finding] {
    let ways = [
      isListening ? "TCP port \(Self.port)" : nil, isShared ? "its shared memory" : nil,
    ].compactMap { $0 }
    guard !ways.isEmpty else { return [] }
    return [
      Finding(
        problem: "every user of this machine can read positions from gpsd itself, through "
          + ways.joined(separator: " and "),
        reason: "that goes around bearingd's rules of who may know the position; after the command"
          + " below, programs that use gpsd itself are without it",
        remedy: Self.privacy)
    ]
  }

  /// Puts gpsd and bearingd into a network namespace of their own, and gpsd's shared memory into an
  /// IPC namespace. gpsd must not be given systemd's sockets, which are in the machine's namespace; and
  /// given only some it makes no others (3.22). The memory of the gpsd before outlives it, with the
  /// last position in it.
  private static let privacy = """
    sudo sh -c 'cd \(units) && mkdir -p gpsd.socket.d gpsd.service.d bearingd.service.d && \
    printf "[Socket]\\nListenStream=\\nListenStream=/run/gpsd.sock\\n" >gpsd.socket.d/private.conf && \
    printf "[Service]\\nPrivateNetwork=yes\\nPrivateIPC=yes\\nExecStart=\\nExecStart=/usr/bin/env \
    -u LISTEN_FDS /usr/sbin/gpsd -F /run/gpsd.sock \\$GPSD_OPTIONS \\$OPTIONS \\$DEVICES\\n" \
    >gpsd.service.d/private.conf && \
    printf "[Unit]\\nJoinsNamespaceOf=gpsd.service\\nWants=gpsd.service\\nAfter=gpsd.service\\n\
    [Service]\\nPrivateNetwork=yes\\n" >bearingd.service.d/gpsd-private.conf && \
    systemctl daemon-reload && systemctl enable gpsd.service && systemctl stop bearingd gpsd && \
    { ipcrm -M 0x47505344 2>/dev/null || true; } && \
    systemctl restart gpsd.socket && systemctl start gpsd bearingd'
    """
}
