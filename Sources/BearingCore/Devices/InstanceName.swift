internal import Synchronization

/// Names the instances of the strict singletons, so that status can show that there is one of each.
public enum InstanceName {
  private static let constructions = Atomic<Int>(0)

  /// The name of the instance of `type` that is being made; the number rises with every construction.
  public static func next(of type: Any.Type) -> String {
    let (_, number) = constructions.wrappingAdd(1, ordering: .relaxed)
    return "\(type)#\(number)"
  }
}
