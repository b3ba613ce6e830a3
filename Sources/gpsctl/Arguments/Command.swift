/// One command: how it is called, what its help says and what it does.
struct Command: Sendable {
  /// A call and what it is good for.
  struct Example: Sendable {
    let call: String
    let purpose: String

    init(_ call: String, _ purpose: String) {
      self.call = call
      self.purpose = purpose
    }
  }

  /// What may stand beside the options.
  enum Operands: Sendable {
    case none
    /// Any of these words, once each.
    case words([String])
    /// Texts, one for each of these names; those in brackets may be left out.
    case texts([String])
  }

  let name: String
  /// One line for the list of commands: a fragment without a full stop.
  let summary: String
  /// A paragraph for the command's own help.
  var discussion = ""
  var operands = Operands.none
  /// What the first of its texts may be, for completion.
  var operandWords: [String] = []
  var options: [Option] = []
  var examples: [Example] = []
  /// Commands below this one, such as `region add`; a command that has some does not run itself,
  /// unless `runsAlone`.
  var subcommands: [Command] = []
  /// What programs call instead of a command that has no `--json`; nil for one that has.
  var insteadOfJSON: String?
  /// Whether it runs when none of its subcommands is named.
  var runsAlone = false
  /// Not in help and completion.
  var isHidden = false
  var run: @Sendable (Invocation) async throws(Failure) -> Void = { _ in }

  /// Its own options and those of all commands.
  var allOptions: [Option] {
    options + Option.common.filter { insteadOfJSON == nil || $0 != .json }
  }
}
