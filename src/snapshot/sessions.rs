//! Sessions of sources: given at a declaration, and known again after the source has gone.

use std::hash::BuildHasher;

use super::SyncError;
use super::store::{Store, random};

impl Store {
    /// A session for a source: this process knows it again after the source has gone.
    pub(crate) fn session(&self, name: &str) -> String {
        let own = random();
        format!("{own}{:016x}", self.sessions.hash_one((name, &own)))
    }

    /// Whether this process issued the source this session once.
    pub(super) fn issued(&self, name: &str, session: &str) -> bool {
        let is_ours = |(own, mark): (&str, &str)| format!("{:016x}", self.sessions.hash_one((name, own))) == mark;
        session.split_at_checked(16).is_some_and(is_ours)
    }

    /// Returns the error of a request with a session: that of a source which was deleted has ended, as one that was superseded.
    pub(crate) fn session_error(&self, error: SyncError, session: &str) -> SyncError {
        match error {
            SyncError::UnknownSource(name) if self.issued(&name, session) => {
                SyncError::SessionEnded { source_name: name, session: session.into() }
            }
            error => error,
        }
    }
}
