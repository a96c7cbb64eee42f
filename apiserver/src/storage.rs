//! One revisioned store: every write gets the next revision, readers hold immutable snapshots, nothing is answered before
//! it is durable.

pub mod record;

pub use record::{Key, Record};
