//! The sweep on real snapshots.

mod changes;
mod outcomes;
mod random;
pub(super) mod world;
