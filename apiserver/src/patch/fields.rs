//! Field ownership: server-side apply, and the `managedFields` that every write keeps. Sources: KEP 555,
//! `structured-merge-diff`, `apimachinery` `pkg/util/managedfields`.
//!
//! ```text
//!   apply:    config ─► check ─► merge into live ─► prune what was given up ─► conflicts? ─► managedFields
//!   updated:  old, new ─► compare ─► changed fields go to the writer ─► cap ─► managedFields
//! ```
//!
//! Departures from upstream. Sets named in another version of a kind are taken as they are: all versions of a kind have one
//! structure here. Owners of a version that is no longer served keep their entries. Fields 110 levels down and deeper are
//! owned as one whole.

mod apply;
mod cap;
mod check;
mod collect;
mod compare;
mod conflict;
mod element;
mod last_applied;
mod managed;
mod merge;
mod prune;
mod remove;
mod set;
mod shape;
mod track;
mod v1;

use serde_json::Value as Json;
use time::OffsetDateTime;

pub use apply::{applicable, apply};
pub use check::TypedPatchError;
pub use conflict::Conflicts;
pub use managed::ManagedFieldsError;
pub use track::updated;

/// Who writes, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manager {
    /// `fieldManager` of the request, otherwise the user agent up to its first slash.
    pub name: String,
    /// Appliers and updaters of one name are two.
    pub operation: Operation,
    /// Of the request, such as `apps/v1`.
    pub api_version: String,
    /// Such as `status`; empty for the object itself.
    pub subresource: String,
    /// Noted if the write changes anything.
    pub time: OffsetDateTime,
}

/// How fields came to their owner. Appliers stand before updaters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operation {
    /// Server-side apply.
    Apply,
    /// Any other write.
    Update,
}

impl Operation {
    /// As `managedFields` spells it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Apply => "Apply",
            Self::Update => "Update",
        }
    }
}

/// Whether the object's `managedFields` can be read: what admission made of them may be wrong, and is then put back with a
/// warning.
pub fn check_managed(object: &Json) -> Result<(), ManagedFieldsError> {
    managed::Managed::decode(managed_fields(object)).map(drop)
}

/// The warning's text when admission left `managedFields` in a state that [`check_managed`] refuses.
pub fn spoiled_by_admission(error: &ManagedFieldsError) -> String {
    format!(
        ".metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating \
         admission controller; please fix your requests: {error}"
    )
}

fn managed_fields(object: &Json) -> Option<&Json> {
    object.get("metadata").and_then(|metadata| metadata.get("managedFields"))
}

/// Takes the `managedFields` out.
fn take_managed_fields(object: &mut Json) -> Option<Json> {
    object.get_mut("metadata").and_then(Json::as_object_mut)?.remove("managedFields")
}

/// Puts the entries into `metadata`, or nothing where there are none.
fn put_managed_fields(object: &mut Json, managed: &managed::Managed) {
    let Some(entries) = managed.encode() else { return };
    let metadata =
        object.as_object_mut().map(|object| object.entry("metadata").or_insert_with(|| Json::Object(Default::default())));
    if let Some(metadata) = metadata.and_then(Json::as_object_mut) {
        metadata.insert("managedFields".to_owned(), entries);
    }
}

#[cfg(test)]
mod tests;
