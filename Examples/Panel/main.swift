// Shows how things stand, as a panel in a cockpit would: never an old position as if it were of
// now, and never silence where there is something to say.
import BearingClient
import BearingModel
import Glibc

/// The panel's line for what a stream of positions tells.
func line(for event: StreamEvent<LocationUpdate>) -> String {
  switch event {
  case .interrupted:
    return "NO DATA: the daemon is away"
  case .resumed:
    return "the daemon is back"
  case .update(let update):
    guard let fix = update.fix else { return "NO POSITION (\(update.state.rawValue))" }
    let place = "\(fix.latitude), \(fix.longitude)"
    // The heartbeat repeats the last fix with its present age; the state says whether it counts.
    guard update.state == .live else {
      let age = update.age.map { "\($0 / .seconds(1)) s" } ?? "some time"
      return "LAST KNOWN \(place), \(age) ago (\(update.state.rawValue))"
    }
    return place
  }
}

let client = BearingClient(reconnection: ReconnectPolicy(waitsForFirstConnection: true))

do throws(BearingError) {
  for try await event in client.locationUpdates(heartbeat: .seconds(5)) {
    print(line(for: event))
    fflush(nil)  // at once, also into a file or a pipe
  }
} catch {
  print(error)
}
