//! What happened to one object at one revision.

use std::sync::{Arc, OnceLock};

use bytes::{BufMut, Bytes, BytesMut};

use super::Record;

/// What a watch calls it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// The object was created.
    Added,
    /// The object was changed.
    Modified,
    /// The object was removed.
    Deleted,
}

/// One change, shared by everybody who watches.
#[derive(Debug)]
pub struct Event {
    /// What happened.
    pub kind: EventKind,
    /// At which revision.
    pub revision: u64,
    /// The object after the change; for a deletion its last state, with the deletion's revision as resourceVersion.
    pub record: Arc<Record>,
    /// The object before the change; none for a creation.
    pub previous: Option<Arc<Record>>,
    line: OnceLock<Bytes>,
}

impl EventKind {
    /// The `type` of a watch event.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Added => "ADDED",
            Self::Modified => "MODIFIED",
            Self::Deleted => "DELETED",
        }
    }
}

impl Event {
    pub(crate) fn new(kind: EventKind, record: Arc<Record>, previous: Option<Arc<Record>>) -> Self {
        Self { kind, revision: record.revision, record, previous, line: OnceLock::new() }
    }

    /// The line that a watch without selectors sends in the storage version, newline included; encoded once for all.
    pub fn line(&self) -> &Bytes {
        self.line.get_or_init(|| encode_line(self.kind, &self.record.value))
    }

    /// Bytes that this event keeps in memory at most, beyond the live object.
    pub(crate) fn cost(&self) -> usize {
        const FIXED: usize = 256;
        // The line, if it is encoded; what was there before; the last state of what is gone.
        let last = usize::from(self.kind == EventKind::Deleted) * self.record.value.len();
        FIXED + self.record.value.len() + last + self.previous.as_ref().map_or(0, |previous| previous.value.len())
    }
}

/// `{"type":…,"object":…}` and a newline.
pub fn encode_line(kind: EventKind, object: &[u8]) -> Bytes {
    let mut line = BytesMut::with_capacity(object.len() + 40);
    line.put_slice(b"{\"type\":\"");
    line.put_slice(kind.as_str().as_bytes());
    line.put_slice(b"\",\"object\":");
    line.put_slice(object);
    line.put_slice(b"}\n");
    line.freeze()
}
