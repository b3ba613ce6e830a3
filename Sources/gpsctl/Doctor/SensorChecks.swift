/// What goes wrong with accelerometers.
extension Doctor {
  private static let folder = "/sys/bus/iio/devices"
  private static let reload =
    "sudo udevadm control --reload && sudo udevadm trigger --action=add --subsystem-match=iio"

  var sensors: [Finding] {
    let signs = ["in_accel_x_raw", "scan_elements/in_accel_x_en", "buffer0/in_accel_x_en"]
    let found = tree.names(in: Self.folder).filter { name in
      name.hasPrefix("iio:device")
        && signs.contains { tree.has("\(Self.folder)/\(name)/\($0)") }
    }
    guard !found.isEmpty else {
      return [
        Finding(
          problem: "the kernel has no accelerometer: none of \(Self.folder)/iio:device* is one",
          reason: "there is neither acceleration nor orientation; a machine without one need not be"
            + " asked",
          remedy: "printf '[Accelerometer]\\nSource=none\\n' | "
            + "sudo tee /etc/bearingd/bearingd.conf.d/no-accelerometer.conf"
            + " && sudo systemctl restart bearingd")
      ]
    }
    guard let group = tree.group("bearingd") else {
      return [
        Finding(
          problem: "there is no group bearingd", reason: "sensors are given to the daemon by it",
          remedy: "sudo systemd-sysusers && \(Self.reload)")
      ]
    }
    return found.flatMap { check($0, group) }
  }

  private func check(_ name: String, _ group: UInt32) -> [Finding] {
    var findings: [Finding] = []
    if let node = tree.rights(of: "/dev/\(name)"), !node.allow(group) {
      findings.append(
        Finding(
          problem: "the daemon may not read /dev/\(name)",
          reason: "samples are then polled, which is slower and costs more", remedy: Self.reload))
    }
    let settings = ["sampling_frequency", "in_accel_sampling_frequency", "buffer/enable"]
    for setting in settings {
      let path = "\(Self.folder)/\(name)/\(setting)"
      guard let rights = tree.rights(of: path), rights.mode & 0o200 != 0,
        !rights.allowWriting(group)
      else { continue }
      findings.append(
        Finding(
          problem: "the daemon may not write \(path)",
          reason: "the sensor stays at the rate that it has, or is polled", remedy: Self.reload))
      break
    }
    return findings
  }
}
