//! What writes the state: what sources declare and sync, and OPA's data API. Each becomes leaves as it arrives, is checked aside, and
//! is published by the [`Store`](crate::snapshot::Store) in one revision or not at all.
//!
//! ```text
//!  declare: which kinds a source loads ─┐
//!  sync: NDJSON, object by object ──────┼─► State, checked beside the policies ─► Store
//!  data: PUT, PATCH, DELETE ────────────┘
//! ```

mod data;
mod declare;
mod sync;

pub use sync::{Admit, LineError, MAX_LINE, SyncBody, SyncWriter};
