/// What this build is.
public enum Version {
  /// Semantic version, as in `bearingd --version` and on the wire.
  public static let text = "0.1.0"
}
