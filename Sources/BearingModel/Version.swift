/// The version of what is built here: the daemon, gpsctl and the libraries have one.
public enum BearingVersion {
  /// Semantic version, as `--version` shows it.
  public static let text: String = "0.1.0"
}
