// A spirit level: a second's worth of samples and which edge of the display is up, at once, and
// then it ends. What is not iterated over any more stops costing anything.
import BearingClient
import BearingModel

let client = BearingClient()
let rate = 25.0

/// The mean of a second's samples, in metres per second squared.
@Sendable func meanAcceleration() async throws(BearingError) -> (x: Double, y: Double, z: Double) {
  var (count, x, y, z) = (0.0, 0.0, 0.0, 0.0)
  for try await sample in client.accelerations(rate: rate) {
    count += 1
    x += sample.x
    y += sample.y
    z += sample.z
    if count == rate { break }
  }
  return (x / max(count, 1), y / max(count, 1), z / max(count, 1))
}

/// The first orientation that is known.
@Sendable func orientation() async throws(BearingError) -> Orientation {
  for try await orientation in client.orientations() where orientation != .undefined {
    return orientation
  }
  return .undefined
}

do {
  async let mean = meanAcceleration()
  async let up = orientation()
  print("mean \(try await mean) m/s², \(try await up.rawValue)")
} catch {
  print(error)
}
