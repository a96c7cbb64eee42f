//! What is written down of the brake, in one object: a new leader goes on where the last one stopped, and people see and release.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// More moves than this are shown and released in several turns: an object of the API server holds 1 MiB.
pub const MOST_SHOWN: usize = 20_000;
/// More causes than this are shown in several turns, for the same reason.
pub const MOST_CAUSES: usize = 100;
/// More objects than this never move within one window: each is written down.
pub const MOST_MOVED: usize = 30_000;

/// The brake's state. Times are seconds since 1970; ids are written by [`super::id::write()`]. What a newer version writes besides is left
/// alone by an older one: whoever goes back to it is not stopped by that.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Record {
    /// Who wrote it.
    pub holder: String,
    /// The Lease that it renews as long as it is at work: `NAMESPACE/NAME`; empty if there is none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub lease: String,
    /// Its version of Plimsoll.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub version: String,
    /// Another version of Plimsoll has led before, a short while ago.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upgraded: Option<UpgradeRecord>,
    /// When it moved which objects: second to ids.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub moved: BTreeMap<u64, String>,
    /// Which of those came to which cluster, or left it: cluster to ids. Only where clusters have a limit of their own.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub clusters: BTreeMap<String, String>,
    /// What stands still, and since when.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub trips: Vec<TripRecord>,
    /// What would move, by cause.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shown: Vec<ShownRecord>,
    /// What was released and may still have to move.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub released: Vec<ReleasedRecord>,
    /// Names that were released in trips that are over: ids.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub spent: String,
    /// What people asked for that means nothing, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unknown: Vec<String>,
    /// Causes that were released by their text, and until when that lasts; nothing: from the first move on.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub texts: BTreeMap<String, Option<u64>>,
}

/// Another version of Plimsoll leads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UpgradeRecord {
    /// The version before,
    pub from: String,
    /// … and after.
    pub to: String,
    /// When.
    pub at: u64,
}

/// A trip of the brake.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TripRecord {
    /// Where; nothing is the fleet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// The same of a cluster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// When.
    pub since: u64,
    /// How many objects moved or were to move,
    pub moves: usize,
    /// … of at most so many.
    pub limit: usize,
}

/// The moves of one cause that stand still.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ShownRecord {
    /// What is released by this name is these moves and no others.
    pub id: String,
    /// The cause, as people read it.
    pub cause: String,
    /// How many.
    pub moves: usize,
    /// Their ids.
    pub ids: String,
    /// Some of them, for people.
    pub examples: Vec<MoveRecord>,
}

/// One move, for people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MoveRecord {
    /// `deployments shop/web`.
    pub object: String,
    /// Where it is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub from: Vec<String>,
    /// Where it would be.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub to: Vec<String>,
}

/// Moves that somebody released.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReleasedRecord {
    /// As they were shown.
    pub id: String,
    /// When.
    pub at: u64,
    /// Those that have not been made yet when this was written.
    pub ids: String,
}

/// Returns whole seconds.
pub(super) fn seconds(at: Duration) -> u64 {
    at.as_secs()
}
