//! What the API server's answer to a patch shows, and what is said of it. Pure.
//!
//! | answer | the row | Event |
//! |---|---|---|
//! | patched | waits until the mirror shows the patch, or has not shown it for too long | `PlacementUpdated` |
//! | reverted | is due again, later each time | the third time `PlacementReverted` |
//! | conflict, gone | waits for a newer row or the periodic pass | no |
//! | refused | is due again, later each time | `PlacementFailed` |
//! | unreachable | is due again, later each time | no |
//! | cancelled | is due | no |

use super::note::{Note, Reason};
use super::row::Patch;
use crate::results::WriteEnd;

/// The result of a patch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The object is as asked.
    Patched {
        /// Its version now.
        version: String,
    },
    /// The API server took the patch, and the object is not as asked.
    Reverted(Reverted),
    /// Another version of the object exists, and it differs in more than its status.
    Conflict {
        /// That version, if it was looked up.
        version: Option<String>,
    },
    /// The object is gone.
    Gone,
    /// The API server refused the patch.
    Refused {
        /// Its sentence.
        reason: String,
    },
    /// No answer in time, or none that can be read.
    Unreachable,
    /// Broken off: this replica may no longer write.
    Cancelled,
}

/// The part of a patch that a webhook undid within the request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reverted {
    /// Keys that are not as asked.
    pub keys: Vec<String>,
    /// Field managers that own one of them, without this one.
    pub managers: Vec<String>,
}

impl Answer {
    /// The label.
    pub fn end(&self) -> WriteEnd {
        match self {
            Self::Patched { .. } => WriteEnd::Patched,
            Self::Reverted(_) => WriteEnd::Reverted,
            Self::Conflict { .. } => WriteEnd::Conflict,
            Self::Gone => WriteEnd::Gone,
            Self::Refused { .. } => WriteEnd::Refused,
            Self::Unreachable => WriteEnd::Unreachable,
            Self::Cancelled => WriteEnd::Cancelled,
        }
    }
}

/// `patch` was written, and the answer shows it.
pub(super) fn updated(patch: &Patch) -> Option<Note> {
    let said = patch.said.clone()?;
    Some(Note::new(patch.subject.clone(), Reason::PlacementUpdated, said))
}

/// `patch` cannot be written.
pub(super) fn refused(patch: &Patch, reason: &str) -> Note {
    Note::new(patch.subject.clone(), Reason::PlacementFailed, format!("the placement cannot be written: {reason}"))
}

/// `patch` was written `times` and never stored.
///
/// Kubernetes takes what a webhook changes for a change of the requesting manager: another one is named only if a field is his.
pub(super) fn reverted(patch: &Patch, reverted: &Reverted, times: u32) -> Note {
    let keys = reverted.keys.join(", ");
    let who = match reverted.managers.as_slice() {
        [] => "undone at admission in the same request: look for another mutating webhook or policy for this kind, for an engine whose mirror \
               of the fleet is behind or that does not know this sidecar (`serve --sidecar-user`), and for admission that asks OPA's data \
               API, which knows no brake, no hold and no waiting"
            .to_owned(),
        managers => format!(
            "undone at admission in the same request; what stands there is owned by field manager {}: have it leave these keys alone",
            managers.join(", ")
        ),
    };
    let message = format!("the placement was written {times} times and is not there ({keys}): {who}");
    Note::new(patch.subject.clone(), Reason::PlacementReverted, message)
}
