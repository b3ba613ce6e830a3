/// What makes a sensor with a buffer take a sample.
enum IIOTrigger {
  /// The file with the name of the trigger in use; a sensor without it needs none.
  static let current = "trigger/current_trigger"
  /// The file of a trigger's rate; only timers have it.
  static let rate = "sampling_frequency"

  /// A sensor's second trigger, which fires when it is moved (bmc150, kxcjk1013).
  private static let motion = "any-motion"

  /// The trigger that a sensor brings along, or that somebody has chosen for it; nil when there is
  /// none.
  static func own(of folder: IIOFolder, in tree: IIOTree) -> String? {
    if let chosen = chosen(folder), !IIOTimer.isOurs(chosen) { return chosen }
    let triggers = (try? tree.triggers()) ?? []
    let number = folder.identifier.drop { !$0.isNumber }
    let name = text(folder, "name") ?? ""
    // Older kernels do not show whose a trigger is: then by the drivers' ways of naming them.
    let names = ["\(name)-dev\(number)", "\(name)-trigger"]
    for trigger in triggers {
      guard let own = text(trigger, "name"), !own.contains(motion) else { continue }
      let isInside = folder.parent != nil && trigger.parent == folder.parent
      if isInside || names.contains(own) { return own }
    }
    return nil
  }

  /// The folder of the trigger of that name.
  static func folder(named name: String, in tree: IIOTree) -> IIOFolder? {
    (try? tree.triggers())?.first { text($0, "name") == name }
  }

  /// The trigger in use; nil when there is none.
  static func chosen(_ folder: IIOFolder) -> String? { text(folder, current) }

  private static func text(_ folder: IIOFolder, _ name: String) -> String? {
    guard let text = try? folder.text(name), !text.isEmpty else { return nil }
    return text
  }
}
