/// The command line of bearingd.
struct Options {
  /// What a command line asks for.
  enum Wish {
    case run(Options)
    case help
    case version
    case failure(String)
  }

  /// The one configuration file to read; nil for those of the configuration directory.
  var configuration: String?
  /// Only check the configuration.
  var isCheck = false
  /// Simulate both devices, in a temporary directory, and show what they give.
  var isDemo = false
  /// Use hardware although the system's daemon is there.
  var isForced = false

  static func parse(_ arguments: [String]) -> Wish {
    var options = Options()
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--help", "-h": return .help
      case "--version": return .version
      case "--check": options.isCheck = true
      case "--demo": options.isDemo = true
      case "--force": options.isForced = true
      case "--config":
        guard let file = rest.popFirst() else {
          return .failure("bearingd: --config needs a file, as in --config /etc/bearingd.conf")
        }
        options.configuration = file
      case let joined where joined.hasPrefix("--config="):
        options.configuration = String(joined.dropFirst("--config=".count))
      default:
        return .failure("bearingd: unknown argument \(argument)")
      }
    }
    if options.isDemo, arguments != ["--demo"] {
      return .failure("bearingd: --demo goes alone: it reads no configuration and uses no hardware")
    }
    return .run(options)
  }

  static let help = """
    Usage: bearingd [--config FILE] [--check] [--force]
           bearingd --demo

    Owns this machine's GNSS receivers (through gpsd) and accelerometers (through
    Linux IIO) and shares what they give with local programs over a Unix socket.

      --config FILE  read FILE alone instead of bearingd.conf and bearingd.conf.d
                     in the configuration directory
      --check        read the configuration, say what is wrong with it, and exit
      --demo         simulate both devices, show what they give, and exit on Ctrl-C
      --force        as an ordinary user: use hardware even while the system's
                     bearingd is running
      --version      say which version this is
      --help         say this

    Exit codes: 0 done, 1 failed, 2 wrong usage, 78 wrong configuration.

    Examples:
      bearingd --demo
      bearingd --check --config ./bearingd.conf
      gpsctl status

    See bearingd(8), bearingd.conf(5) and gpsctl(1).
    """
}
