// Prints where the machine is, each time it has moved by 10 m.
//
// What is printed is always of now: while there is no fix that can be relied on, or no daemon,
// nothing is. The connection is made again by itself.
import BearingClient
import BearingModel
import Glibc

let client = BearingClient()

do throws(BearingError) {
  for try await fix in client.fixes(distanceFilter: 10) {
    let accuracy = fix.horizontalAccuracy.map { "± \($0) m" } ?? "of unknown accuracy"
    print("\(fix.latitude), \(fix.longitude) \(accuracy)")
    fflush(nil)  // at once, also into a file or a pipe
  }
} catch .denied(let reason, let remedy) {
  print("not allowed: \(reason). To allow it: \(remedy)")
} catch {
  print(error)
}
