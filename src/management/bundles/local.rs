//! Bundles in directories and files (`--bundle`): read at start and again whenever they change.

use std::path::{Path, PathBuf};

use plimsoll_contract::policy::Diagnostic;

use super::signature::Verifier;
use super::{BundleError, Content, Limits, ManifestError, directory, offer};
use crate::budget::{Budget, Class};
use crate::policy_set::Chain;
use crate::snapshot::{Store, bundle_set};

/// The name of a local bundle: its path, as in OPA.
pub fn name(path: &Path) -> String {
    path.display().to_string()
}

/// Why a bundle is not in force.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Bundle(#[from] BundleError),
    #[error("it is refused")]
    Refused(Vec<Diagnostic>),
}

/// Reads each bundle and offers it; one that is refused or cannot be read leaves its last good one in force.
pub fn reload(paths: &[PathBuf], verifier: &Verifier, budget: &Budget, store: &Store) {
    let mut waiting: Vec<&PathBuf> = paths.iter().collect();
    // One may need what another brings: as long as some come in, the rest is tried again.
    loop {
        let tried = waiting.len();
        let failed: Vec<_> =
            waiting.iter().filter_map(|path| Some((*path, load(path, verifier, budget, store).err()?))).collect();
        if failed.is_empty() || failed.len() == tried {
            return failed.into_iter().for_each(|(path, failure)| tell(path, failure, store));
        }
        waiting = failed.into_iter().map(|(path, _)| path).collect();
    }
}

fn tell(path: &Path, failure: Failure, store: &Store) {
    let bundle = path.display();
    match failure {
        Failure::Refused(errors) => {
            for error in errors {
                tracing::warn!(%bundle, %error, "the bundle is refused, the last good one stays in force");
            }
        }
        Failure::Bundle(error) => {
            let error = Chain(&error).to_string();
            // Said once, as of policy files.
            if store.policies_unreadable(&bundle_set(&name(path)), error.clone()) {
                tracing::warn!(%bundle, error, "the bundle is not used, the last good one stays in force");
            }
        }
    }
}

fn load(path: &Path, verifier: &Verifier, budget: &Budget, store: &Store) -> Result<(), Failure> {
    let files = directory::read(path, Limits::default().within(budget))?;
    let _charge = budget.document(Class::Writers, files.cost()).map_err(BundleError::from)?;
    verifier.check(&files)?;
    let content = Content::parse(&files)?;
    if content.patch.is_some() {
        return Err(BundleError::Manifest(ManifestError::DeltaOnDisk).into());
    }
    let name = name(path);
    let accepted = store.put_set(&bundle_set(&name), offer::whole(&name, "", content)).map_err(Failure::Refused)?;
    tracing::debug!(bundle = name, revision = accepted.revision, "the bundle is in force");
    Ok(())
}
