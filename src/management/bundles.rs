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
pub mod error;
pub mod files;
pub mod local;
pub mod manifest;
pub mod offer;
pub mod pattern;
pub mod remote;
pub mod signature;
pub mod status;

pub use content::Content;
pub use error::{BundleError, FileError, ManifestError};
pub use files::{Files, Limits};
pub use manifest::Manifest;
pub use signature::SignatureError;
