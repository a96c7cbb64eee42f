//! Where the set `files` comes from: policy directories, read whole and watched.
//!
//! ```text
//!  directory ─► files::load ─► Store::put_policies("files", …) ─► Snapshot
//!       └────► watch: an event is a hint, the periodic pass is the truth
//!  Snapshot ─► last_good: accepted sets on disk ─► Store::restore, after a restart
//! ```

pub mod data;
pub mod files;
pub mod last_good;
pub mod watch;

use std::path::PathBuf;

use crate::snapshot::Store;

/// Name of the policy set that comes from directories.
pub const SET: &str = "files";

/// Reads the directories and offers what they hold; a set that is refused or cannot be read leaves the last good one in
/// force, and the store says so in its status.
pub fn reload(dirs: &[PathBuf], store: &Store) {
    match files::load_all(dirs, files::Tests::Skip) {
        Ok(offer) => match store.put_set(SET, offer) {
            Ok(accepted) => tracing::debug!(revision = accepted.revision, digest = accepted.digest, "policy files are in force"),
            Err(errors) => {
                for error in errors {
                    tracing::warn!(%error, "policy files are refused; the last good set, if there is one, stays in force");
                }
            }
        },
        Err(error) => {
            let error = Chain(&error).to_string();
            // Said once: a log in the folder that is watched would be a change there, which is looked at.
            if store.policies_unreadable(SET, error.clone()) {
                tracing::warn!(error, "policy files cannot be read; the last good set, if there is one, stays in force");
            }
        }
    }
}

/// An error with its causes, `a: b: c`.
pub(crate) struct Chain<'a>(pub(crate) &'a dyn std::error::Error);

impl std::fmt::Display for Chain<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0)?;
        let mut source = self.0.source();
        while let Some(cause) = source {
            write!(f, ": {cause}")?;
            source = cause.source();
        }
        Ok(())
    }
}
