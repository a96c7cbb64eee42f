//! The command line.

pub mod manifests;
