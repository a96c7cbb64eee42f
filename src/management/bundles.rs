//! OPA's bundles: policies and data that come together, are checked whole, and take effect whole or not at all.
//!
//! ```text
//!  directory, tarball, HTTP ─► files ─► signature ─► content (manifest, modules, data | patch) ─► offer ─► Store::put_set
//!                                                                                        last good ◄─► disk
//! ```
//!
//! The format is that of OPA 1.22 (`v1/bundle` of its sources). A bundle owns its roots: nothing else writes there.

pub mod archive;
pub mod content;
pub mod directory;
pub mod disk;
pub mod files;
pub mod local;
pub mod manifest;
pub mod offer;
pub mod pattern;
pub mod remote;
pub mod signature;
pub mod status;

pub use content::Content;
pub use files::{Files, Limits};
pub use manifest::Manifest;
pub use signature::SignatureError;

use std::io;

use crate::budget::BudgetError;

/// Why a bundle cannot be used. The last good one stays in force.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// Not there, not readable, or broken.
    #[error("could not read `{path}`")]
    Read {
        /// What was read.
        path: String,
        /// Why.
        source: io::Error,
    },
    /// A path that leads out of the bundle.
    #[error("the path `{0}` leads out of the bundle")]
    Escapes(String),
    /// Two files, one path: which of them counts is anybody's guess.
    #[error("two files of the bundle are called `{0}`")]
    Twice(String),
    /// Larger than allowed.
    #[error("`{path}` exceeds the size limit of {limit} bytes")]
    TooLarge {
        /// The file, or the bundle.
        path: String,
        /// The limit.
        limit: u64,
    },
    /// No memory for what is in it.
    #[error("the bundle is not read: {0}")]
    Memory(#[from] BudgetError),
    /// More files than anybody needs.
    #[error("the bundle holds more than {0} files")]
    TooMany(usize),
    /// A file that cannot be understood.
    #[error("bundle load failed on `{path}`: {why}")]
    Invalid {
        /// The file.
        path: String,
        /// Why.
        why: String,
    },
    /// The manifest does not fit the rest.
    #[error("{0}")]
    Manifest(String),
    /// The signature is missing, wrong, or not of this bundle.
    #[error("the signature is not accepted: {0}")]
    Signature(SignatureError),
}
