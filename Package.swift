// swift-tools-version: 6.2
// Targets and the arrows between them.
import PackageDescription

/// The settings of test targets: Swift Testing's macros expand to code that strict memory safety flags.
let strictTests: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// The strictest settings the compiler has, for everything else in Swift.
let strict: [SwiftSetting] = strictTests + [.strictMemorySafety()]

let strictC: [CSetting] = [.unsafeFlags(["-Wall", "-Wextra", "-Werror"])]

let strictCXX: [CXXSetting] = [.unsafeFlags(["-Wall", "-Wextra", "-Werror"])]

let package = Package(
  name: "bearingd",
  products: [
    .library(name: "Varlink", targets: ["Varlink"]),
    .library(name: "Preferences", targets: ["Preferences"]),
    .library(name: "PreferencesUserDefaults", targets: ["PreferencesUserDefaults"]),
    .library(name: "BearingModel", targets: ["BearingModel"]),
    .library(name: "BearingClient", targets: ["BearingClient"]),
    .executable(name: "bearingd", targets: ["bearingd"]),
    .executable(name: "gpsctl", targets: ["gpsctl"]),
  ],
  targets: [
    // C behind the Swift targets.
    .target(name: "CLinux", cSettings: strictC),
    .target(name: "CGps", cSettings: strictC, linkerSettings: [.linkedLibrary("gps")]),
    .target(name: "CSystemd", cSettings: strictC, linkerSettings: [.linkedLibrary("systemd")]),
    .target(
      name: "CGeodesic", cxxSettings: strictCXX,
      linkerSettings: [.linkedLibrary("GeographicLib"), .linkedLibrary("stdc++")]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CKeyutils", providers: [.apt(["libkeyutils-dev"])]),

    .target(name: "CCurses", cSettings: strictC, linkerSettings: [.linkedLibrary("ncursesw")]),

    // Libraries.
    .target(name: "Locking", dependencies: ["CLinux"], swiftSettings: strict),
    .target(name: "SQLiteStore", dependencies: ["CLinux", "CSQLite"], swiftSettings: strict),
    .target(
      name: "Preferences", dependencies: ["CKeyutils", "Locking", "SQLiteStore"],
      swiftSettings: strict),
    .target(
      name: "PreferencesUserDefaults", dependencies: ["Locking", "Preferences", "SQLiteStore"],
      swiftSettings: strict),
    .target(name: "Varlink", dependencies: ["CLinux"], swiftSettings: strict),
    .target(name: "BearingModel", swiftSettings: strict),
    .target(
      name: "BearingClient", dependencies: ["CLinux", "Varlink", "BearingModel"],
      swiftSettings: strict),
    .target(
      name: "BearingCore",
      dependencies: [
        "CLinux", "CGps", "CSystemd", "CGeodesic", "Locking", "Preferences", "SQLiteStore",
        "Varlink",
        "BearingModel",
      ],
      resources: [
        .embedInCode("Server/io.bearing.accelerometer.varlink"),
        .embedInCode("Server/io.bearing.daemon.varlink"),
        .embedInCode("Server/io.bearing.location.varlink"),
        .embedInCode("Server/io.bearing.preferences.varlink"),
        .embedInCode("Server/io.bearing.regions.varlink"),
      ],
      swiftSettings: strict),

    // Programs.
    .executableTarget(
      name: "bearingd", dependencies: ["BearingCore", "BearingModel", "Varlink"],
      swiftSettings: strict),
    .executableTarget(
      name: "gpsctl", dependencies: ["CCurses", "BearingClient", "BearingModel", "Varlink"],
      swiftSettings: strict),

    // Examples, built with everything else so that they stay true.
    .executableTarget(
      name: "example-fixes", dependencies: ["BearingClient", "BearingModel"],
      path: "Examples/Fixes", swiftSettings: strict),
    .executableTarget(
      name: "example-panel", dependencies: ["BearingClient", "BearingModel"],
      path: "Examples/Panel", swiftSettings: strict),
    .executableTarget(
      name: "example-level", dependencies: ["BearingClient", "BearingModel"],
      path: "Examples/Level", swiftSettings: strict),
    .executableTarget(
      name: "example-ring", dependencies: ["BearingClient", "BearingModel"],
      path: "Examples/Ring", swiftSettings: strict),
    .executableTarget(
      name: "example-preferences", dependencies: ["Preferences"], path: "Examples/Preferences",
      swiftSettings: strict),

    // Tests.
    .executableTarget(
      name: "varlink-certification", dependencies: ["Varlink"],
      path: "Tests/varlink-certification", swiftSettings: strict),
    .executableTarget(
      name: "third-device", dependencies: ["BearingCore", "BearingModel", "Varlink"],
      path: "Tests/third-device", swiftSettings: strict),
    .executableTarget(
      name: "singleton-race", dependencies: ["BearingCore", "Locking"],
      path: "Tests/singleton-race", swiftSettings: strict),
    .target(
      name: "TestSupport", dependencies: ["BearingModel", "CLinux", "Locking", "Varlink"],
      path: "Tests/TestSupport",
      exclude: ["gpsd-replay", "mocked-machine"],
      swiftSettings: strictTests),
    .testTarget(
      name: "VarlinkTests", dependencies: ["CLinux", "Locking", "Varlink", "TestSupport"],
      exclude: ["Fixtures", "Peers"], swiftSettings: strictTests),
    .testTarget(
      name: "SQLiteStoreTests", dependencies: ["SQLiteStore", "TestSupport"],
      swiftSettings: strictTests),
    .executableTarget(
      name: "preferences-tool",
      dependencies: ["Preferences", "PreferencesUserDefaults", "SQLiteStore"],
      path: "Tests/preferences-tool", swiftSettings: strict),
    .target(
      name: "CBenchmarks", path: "Tests/Benchmarks/C",
      cSettings: strictC + [.define("_GNU_SOURCE")]),
    .executableTarget(
      name: "benchmark-daemon",
      dependencies: [
        "BearingCore", "BearingModel", "CBenchmarks", "CGeodesic", "TestSupport", "Varlink",
      ],
      path: "Tests/Benchmarks/Daemon", swiftSettings: strict),
    .executableTarget(
      name: "benchmark-preferences",
      dependencies: ["Preferences", "PreferencesUserDefaults", "SQLiteStore"],
      path: "Tests/Benchmarks/Preferences", swiftSettings: strict),
    .testTarget(
      name: "PreferencesTests",
      dependencies: [
        "CKeyutils", "Preferences", "PreferencesUserDefaults", "SQLiteStore", "TestSupport",
        "preferences-tool", "example-preferences",
      ],
      swiftSettings: strictTests),
    .testTarget(
      name: "BearingModelTests", dependencies: ["BearingModel", "TestSupport"],
      swiftSettings: strictTests),
    .testTarget(
      name: "BearingCoreTests",
      dependencies: [
        "BearingClient", "BearingCore", "BearingModel", "CLinux", "Locking", "SQLiteStore",
        "TestSupport", "Varlink", "singleton-race",
        "third-device",
      ], exclude: ["Fixtures"],
      swiftSettings: strictTests),
    .testTarget(
      name: "BearingClientTests", dependencies: ["BearingClient", "TestSupport"],
      swiftSettings: strictTests),
    .testTarget(
      name: "gpsctlTests",
      dependencies: ["gpsctl", "BearingClient", "BearingModel", "TestSupport", "Varlink"],
      swiftSettings: strictTests),
    .testTarget(
      name: "Integration",
      dependencies: [
        "BearingClient", "BearingModel", "Locking", "SQLiteStore", "Varlink", "TestSupport",
      ],
      path: "Tests/Integration", exclude: ["Handover", "Peers"], swiftSettings: strictTests),
    .testTarget(
      name: "Checks", dependencies: ["TestSupport"], path: "Tests/Checks",
      swiftSettings: strictTests),
  ]
)
