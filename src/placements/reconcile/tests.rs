//! The sweep on real snapshots.

mod changes;
mod confirmed;
mod letting_go;
mod moves;
mod outcomes;
mod owners;
mod random;
mod records;
mod skimmed;
pub(super) mod world;
