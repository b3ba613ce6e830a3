/// A way of having samples; the wire's words, the best first.
enum IIOMode: String, Sendable {
  /// The kernel's buffer, filled at the sensor's own pace: by its trigger or its FIFO.
  case buffer
  /// The kernel's buffer, filled by a timer.
  case trigger
  /// Asking for each sample: every sensor can.
  case polling

  /// The ways that a sensor offers, best first; the reason says why a better one is missing.
  static func offered(
    by folder: IIOFolder, in tree: IIOTree
  ) -> (modes: [IIOMode], reason: String?) {
    guard tree.nodes != nil else { return ([.polling], "\(tree.root) has no device nodes") }
    guard IIOBufferFiles(folder) != nil else { return ([.polling], "the sensor has no buffer") }
    guard folder.has(IIOTrigger.current) else { return ([.buffer, .polling], nil) }
    guard IIOTrigger.own(of: folder, in: tree) != nil else {
      return ([.trigger, .polling], "the sensor has no trigger of its own")
    }
    return ([.buffer, .trigger, .polling], nil)
  }
}
