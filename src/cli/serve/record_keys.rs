//! The keys by which records on placed objects are signed, from a mounted Secret.

use std::path::PathBuf;
use std::sync::Arc;

use crate::decision::mac::{KeySource, RecordKeys};
use crate::server::reload::{LoadError, Reloaded};

/// Reads the keys from a file, now and whenever it changes. Fails when it cannot be read or holds no key.
pub(super) fn load(file: PathBuf) -> Result<Arc<dyn KeySource>, LoadError> {
    let parse = |contents: &[Vec<u8>]| Ok(RecordKeys::parse(contents.first().map(Vec::as_slice).unwrap_or_default())?);
    Ok(Arc::new(Reloaded::load(vec![file], parse)?))
}

impl KeySource for Reloaded<RecordKeys> {
    fn keys(&self) -> Arc<RecordKeys> {
        self.get()
    }
}
