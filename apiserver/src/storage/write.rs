//! One conditional change of one object.

use std::sync::Arc;

use serde_json::Value as Json;
use tokio::time::Instant;

use super::disk::DiskError;
use super::draft::{Draft, DraftError};
use super::{Key, Record};

/// A change that is made if the object is as expected.
#[derive(Debug)]
pub struct Write {
    /// Which object.
    pub key: Key,
    /// What must be there now.
    pub expect: Expect,
    /// What shall be there then.
    pub change: Change,
}

/// The condition of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    /// No object of this key.
    Absent,
    /// The object, last changed at this revision.
    Revision(u64),
}

/// The effect of a write.
#[derive(Debug)]
pub enum Change {
    /// Store this object; its `metadata.resourceVersion` is replaced by the revision of the write.
    Put(Json),
    /// Store this object and remove it with the next revision, both or neither: who watches sees its last state first.
    PutAndDelete(Json),
    /// Remove the object.
    Delete,
}

/// Why a write was not made, or may not have been.
#[derive(Clone, Debug, thiserror::Error)]
pub enum WriteError {
    /// The object is not as expected. Read, decide again, retry.
    #[error("{} is not as the write expects it", found(.current))]
    Conflict {
        /// What is there instead.
        current: Option<Arc<Record>>,
    },
    /// The object has too many bytes.
    #[error("the object has {size} bytes; at most {limit} are stored")]
    TooLarge {
        /// Bytes of the object.
        size: usize,
        /// Bytes that are stored at most.
        limit: usize,
    },
    /// Not an object with metadata, or no usable key.
    #[error("cannot store: {0}")]
    Malformed(&'static str),
    /// The store was closed before the write was made.
    #[error("the store is closed")]
    Closed,
    /// The disk failed: the write may or may not be there after a restart, and no more are taken until then.
    #[error("cannot write to the data file; the server must be restarted")]
    Storage(#[source] Arc<DiskError>),
}

/// A write whose text is ready; only its revision is missing.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) key: Key,
    pub(crate) expect: Expect,
    pub(crate) effect: Effect,
    pub(crate) draft: Draft,
    /// By the caller's clock, which tests may hold.
    pub(crate) asked: Instant,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    Put,
    PutAndDelete,
    Delete,
}

fn found(current: &Option<Arc<Record>>) -> String {
    current.as_ref().map_or_else(|| "an absent object".to_owned(), |record| format!("an object at revision {}", record.revision))
}

// --- Write ---

impl Write {
    /// Serialises the object on the caller's task. `current` is what the latest snapshot holds: a deletion sends its text once
    /// more, with a new revision, and a condition that already fails needs no place in the queue. That answer is exact:
    /// revisions only grow, so an object that is not at the expected one now never will be again.
    pub(crate) fn prepare(self, current: Option<&Arc<Record>>) -> Result<Prepared, WriteError> {
        check_key(&self.key)?;
        if !self.expect.holds(current) {
            return Err(WriteError::Conflict { current: current.cloned() });
        }
        let (effect, mut object) = match self.change {
            Change::Put(object) => (Effect::Put, object),
            Change::PutAndDelete(object) => (Effect::PutAndDelete, object),
            Change::Delete => (Effect::Delete, last_state(current)?),
        };
        let draft = Draft::of(&mut object)?;
        Ok(Prepared { key: self.key, expect: self.expect, effect, draft, asked: Instant::now() })
    }
}

impl Expect {
    pub(crate) fn holds(self, current: Option<&Arc<Record>>) -> bool {
        match (self, current) {
            (Self::Absent, None) => true,
            (Self::Revision(revision), Some(current)) => revision == current.revision,
            _ => false,
        }
    }
}

impl From<DraftError> for WriteError {
    fn from(error: DraftError) -> Self {
        match error {
            DraftError::Shape => Self::Malformed("not a JSON object with metadata"),
            DraftError::TooLarge { size } => Self::TooLarge { size, limit: super::draft::OBJECT_LIMIT },
        }
    }
}

fn last_state(current: Option<&Arc<Record>>) -> Result<Json, WriteError> {
    let current = current.ok_or(WriteError::Conflict { current: None })?;
    serde_json::from_slice(&current.value).map_err(|_| WriteError::Malformed("the stored object is not JSON"))
}

/// NUL separates the parts of a key in the data file.
fn check_key(key: &Key) -> Result<(), WriteError> {
    const LONGEST: usize = 1024;
    let parts = [&key.collection, &key.namespace, &key.name];
    if key.collection.is_empty() || key.name.is_empty() {
        return Err(WriteError::Malformed("the key has no collection or no name"));
    }
    if parts.iter().any(|part| part.len() > LONGEST || part.contains('\0')) {
        return Err(WriteError::Malformed("a part of the key has a NUL byte or more than 1024 bytes"));
    }
    Ok(())
}
