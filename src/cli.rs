//! The command line.

pub mod manifests;
pub mod test;
