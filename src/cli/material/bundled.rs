//! Reads the bundles of `--bundle`. A bundle holds nothing outside its roots, no two bundles share a root, and data of files below a root
//! is replaced. Source: OPA `v1/bundle/bundle.go`, `validateAndInjectDefaults`; `v1/bundle/store.go`, `hasRootsOverlap` and
//! `activateBundles`.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value as Json};

use super::{LoadError, Material, clean};
use crate::management::bundles::manifest::contains;
use crate::management::bundles::{self, BundleError, Content, Manifest, ManifestError};
use crate::rego::{Module, RegoVersion};

/// A bundle that was read.
struct Bundled {
    path: PathBuf,
    content: Content,
}

impl Material {
    /// Reads the bundles and adds their modules and data. A bundle that cannot be used is left out, and its error kept for the report.
    pub(super) fn bundles(&mut self, paths: &[PathBuf]) {
        let mut read: Vec<Bundled> = Vec::new();
        for path in paths {
            // The same path twice is one bundle.
            if read.iter().any(|other| other.path == *path) {
                continue;
            }
            match bundled(path, self.rego) {
                Ok(content) => read.push(Bundled { path: path.clone(), content }),
                Err(error) => self.broken.push(failed(path, error)),
            }
        }
        if let Some((path, message)) = overlapping(&read) {
            self.broken.push(failed(&path, message.into()));
            return;
        }
        for root in read.iter().flat_map(|bundle| bundle.content.manifest.roots()) {
            erase(&mut self.data, &root);
        }
        for Bundled { path, content } in read {
            let taken = self.activate(&path, content);
            self.broken.extend(taken.err().map(|error| failed(&path, error)));
        }
    }

    fn activate(&mut self, path: &Path, content: Content) -> Result<(), BundleError> {
        for (name, text) in content.modules {
            let key = clean(&path.join(&name));
            let named = content.manifest.rego_of(&name);
            self.versions.extend(named.map(|version| (key.clone(), version)));
            self.modules.push(Module { key, text });
        }
        let data = content.data.decode()?;
        bundles::content::insert(&mut self.data, "document", data)
    }
}

fn failed(path: &Path, source: BundleError) -> LoadError {
    LoadError::Bundle { path: path.display().to_string(), source }
}

fn bundled(path: &Path, rego: RegoVersion) -> Result<Content, BundleError> {
    let files = bundles::directory::read(path, bundles::Limits::default())?;
    let content = Content::parse(&files)?;
    if content.patch.is_some() {
        return Err(ManifestError::DeltaOnDisk.into());
    }
    outside(path, &content, rego).map_or(Ok(content), |why| Err(why.into()))
}

/// Returns the error of the first module whose package is outside the bundle's roots. A module that cannot be parsed is passed over:
/// compiling reports it better.
fn outside(path: &Path, content: &Content, rego: RegoVersion) -> Option<ManifestError> {
    let Manifest { roots: Some(_), .. } = &content.manifest else { return None };
    content.modules.iter().find_map(|(name, text)| {
        let module = Module { key: clean(&path.join(name)), text: text.clone() };
        let package = module.package(content.manifest.rego_of(name).unwrap_or(rego)).ok()?;
        let why = || ManifestError::Package {
            roots: content.manifest.roots().join(" "),
            package: package.join("."),
            module: module.key.clone(),
        };
        (!content.manifest.permits(&package)).then(why)
    })
}

/// Returns the first bundle that has a root equal to, above or below one of an earlier bundle.
fn overlapping(read: &[Bundled]) -> Option<(PathBuf, ManifestError)> {
    let roots = |bundle: &Bundled| bundle.content.manifest.roots();
    for (at, bundle) in read.iter().enumerate() {
        for other in read.iter().take(at) {
            let theirs = roots(other);
            let meets = |root: &String| theirs.iter().find(|theirs| contains(root, theirs) || contains(theirs, root));
            if let Some((root, theirs)) = roots(bundle).iter().find_map(|root| Some((root.clone(), meets(root)?.clone()))) {
                let other = other.path.display().to_string();
                return Some((bundle.path.clone(), ManifestError::SharedRoot { root, other_root: theirs, other }));
            }
        }
    }
    None
}

/// Removes what is at a root, which is the bundle's alone.
fn erase(data: &mut Map<String, Json>, root: &str) {
    let Some((above, name)) = root.rsplit_once('/').map_or((!root.is_empty()).then_some(("", root)), Some) else {
        return data.clear();
    };
    let folders = above.split('/').filter(|name| !name.is_empty());
    let mut folders = folders.map(str::to_owned);
    let holder = folders.try_fold(data, |at, name| at.get_mut(&name).and_then(Json::as_object_mut));
    if let Some(holder) = holder {
        holder.remove(name);
    }
}
