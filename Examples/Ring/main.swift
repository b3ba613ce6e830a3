// A vibration meter: every sample of the accelerometer at 500 Hz or more, out of memory that the
// daemon shares with its readers. Prints the strongest of each second's worth, until it is ended.
import BearingClient
import BearingModel
import Glibc

let wantedRate = 500.0

do {
  var (count, lost, strongest) = (0, 0, 0.0)
  for try await event in BearingClient().accelerationRing(rate: wantedRate) {
    guard let update = event.update else { continue }  // the connection is lost, or back
    lost += update.dropped
    for sample in update.samples {
      let square = sample.x * sample.x + sample.y * sample.y + sample.z * sample.z
      strongest = max(strongest, square.squareRoot())
      count += 1
    }
    guard count >= Int(update.actualRate ?? wantedRate) else { continue }
    print("\(count) samples, \(lost) lost, strongest \(strongest) m/s², \(update.state.rawValue)")
    fflush(nil)  // at once, also into a file or a pipe
    (count, lost, strongest) = (0, 0, 0)
  }
} catch {
  print(error)
}
