// 64 threads race for the strict singletons, or with `broken` for one that is not; for
// SingletonRaceTests. Says what each found.
import BearingCore
import Dispatch
import Foundation
import Locking

let racers = 64

/// What a singleton without a lock looks like: the control that the thread sanitizer must see.
final class BrokenSingleton {
  nonisolated(unsafe) static var instance: BrokenSingleton?

  static var shared: BrokenSingleton {
    if let instance = unsafe instance { return instance }
    let made = BrokenSingleton()
    unsafe instance = made
    return made
  }
}

/// How many different objects the racers were given.
func race(_ find: @escaping @Sendable () -> ObjectIdentifier) -> Int {
  let start = DispatchSemaphore(value: 0)
  let done = DispatchSemaphore(value: 0)
  let found = Guarded<Set<ObjectIdentifier>>([])
  let threads = (0..<racers).map { _ in
    Thread {
      start.wait()
      let identity = find()
      found.withValue { _ = $0.insert(identity) }
      done.signal()
    }
  }
  for thread in threads { thread.start() }
  for _ in threads { start.signal() }
  for _ in threads { done.wait() }
  return found.withValue { $0.count }
}

if CommandLine.arguments.contains("broken") {
  print("broken", race { ObjectIdentifier(BrokenSingleton.shared) })
} else {
  // A name's number is that of all constructions: nothing was made before its first use.
  print("before", InstanceName.next(of: Thread.self))
  print("location", race { ObjectIdentifier(LocationManager.shared) })
  print("acceleration", race { ObjectIdentifier(Accelerometer.shared) })
  print("after", InstanceName.next(of: Thread.self))
}
