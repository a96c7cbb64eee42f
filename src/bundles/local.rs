//! Bundles in directories and files (`--bundle`): read at start and again whenever they change.

use std::path::{Path, PathBuf};

use super::{BundleError, Content, Limits, directory, offer};
use crate::policies::Chain;
use crate::snapshot::{Store, bundle_set};

/// The name of a local bundle: its path, as in OPA.
pub fn name(path: &Path) -> String {
    path.display().to_string()
}

/// Reads each bundle and offers it; one that is refused or cannot be read leaves its last good one in force.
pub fn reload(paths: &[PathBuf], store: &Store) {
    for path in paths {
        if let Err(error) = load(path, store) {
            let error = Chain(&error).to_string();
            tracing::warn!(bundle = %path.display(), error, "the bundle is not used, the last good one stays in force");
            store.policies_unreadable(&bundle_set(&name(path)), error);
        }
    }
}

fn load(path: &Path, store: &Store) -> Result<(), BundleError> {
    let content = Content::parse(&directory::read(path, Limits::default())?)?;
    if content.patch.is_some() {
        return Err(BundleError::Manifest("a delta bundle cannot be loaded from disk".into()));
    }
    let name = name(path);
    match store.put_set(&bundle_set(&name), offer::whole(&name, "", content)) {
        Ok(accepted) => tracing::debug!(bundle = name, revision = accepted.revision, "the bundle is in force"),
        Err(errors) => {
            for error in errors {
                tracing::warn!(bundle = name, %error, "the bundle is refused, the last good one stays in force");
            }
        }
    }
    Ok(())
}
