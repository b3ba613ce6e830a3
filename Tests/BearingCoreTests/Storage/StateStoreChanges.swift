import BearingModel
import SQLiteStore

@testable import BearingCore

/// Changes of one kind.
extension StateStore {
  func addRegion(_ region: Region, owner: UInt32) throws(StoreError) {
    try write(RegionChange(edits: [.add(region, owner: owner)]), boot: "")
  }

  func removeRegion(_ identifier: String, owner: UInt32) throws(StoreError) {
    try write(RegionChange(edits: [.remove(identifier, owner: owner)]), boot: "")
  }

  func store(_ happenings: [RegionHappening], boot: String) throws(StoreError) {
    try write(RegionChange(happenings: happenings), boot: boot)
  }
}
