internal import Glibc

/// How to call a program of this package: as a neighbour of this one where it stands beside it, since
/// what was just built is on no PATH; else by its name.
func call(ofNeighbour name: String) -> String {
  let own = CommandLine.arguments.first ?? ""
  guard let slash = own.lastIndex(of: "/") else { return name }
  let neighbour = "\(own[...slash])\(name)"
  return unsafe access(neighbour, X_OK) == 0 ? neighbour : name
}
