//! Which part of `data` belongs to a bundle alone: nothing else is written there, and no two bundles share a part.
//! The words are OPA's (`v1/server/server.go`, `checkPathScope`; `v1/bundle/store.go`, `hasRootsOverlap`).

pub(super) mod modules;

use plimsoll_contract::policy::{Diagnostic, Location};

use super::modules::CLIENTS;
use super::{Bundle, Document, Policies, PolicySet};
use crate::rego::{Module, RegoVersion};
use crate::state::{State, WriteError};

/// Whether one of the roots lies at or above the other.
pub(super) fn overlap(a: &str, b: &str) -> bool {
    let (a, b) = (segments(a), segments(b));
    a.starts_with(&b) || b.starts_with(&a)
}

/// A root as a path below `data`.
pub(super) fn segments(root: &str) -> Vec<String> {
    root.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

impl Policies {
    /// The activated bundles.
    pub fn bundles(&self) -> impl Iterator<Item = &Bundle> {
        self.sets.values().filter_map(|set| set.bundle.as_deref())
    }

    /// Why the data API may not write at a path: a bundle owns it.
    pub fn owned_by_bundle(&self, path: &[String]) -> Result<(), WriteError> {
        let refused = |message: String| Err(WriteError::Invalid(message));
        for bundle in self.bundles() {
            if path.is_empty() {
                return refused("can't write to document root with bundle roots configured".into());
            }
            if bundle.roots.iter().any(|root| segments(root).is_empty()) {
                return refused(format!("all paths owned by bundle {:?}", bundle.name));
            }
            if bundle.roots.iter().any(|root| overlap(root, &path.join("/"))) {
                return refused(format!("path {} is owned by bundle {:?}", path.join("/"), bundle.name));
            }
        }
        Ok(())
    }

    /// The bundle whose root lies at, above or below a path.
    pub(super) fn bundle_at(&self, path: &[String]) -> Option<(&Bundle, &str)> {
        let path = path.join("/");
        self.bundles().find_map(|bundle| {
            let root = bundle.roots.iter().find(|root| overlap(root, &path))?;
            Some((bundle, root.as_str()))
        })
    }
}

/// Returns the conflicts of roots and data that are new in `after` with all others that write data.
pub(super) fn check(before: &Policies, after: &Policies, state: &State) -> Vec<Diagnostic> {
    let news = after.sets.iter().filter(|(name, set)| {
        let old = before.sets.get(*name);
        old.is_none_or(|old| old.documents != set.documents || old.bundle != set.bundle)
    });
    let mut errors: Vec<_> = news.flat_map(|(name, set)| of_set(name, set, after, state)).collect();
    let clients = |policies: &Policies| policies.sets.get(CLIENTS).map(|set| set.modules.clone()).unwrap_or_default();
    let put = clients(after);
    if put != clients(before) {
        errors.extend(put.iter().filter_map(|module| of_client(module, after)));
    }
    errors
}

/// A client's module whose package belongs to a bundle (OPA: `checkPolicyPackageScope`).
fn of_client(module: &Module, policies: &Policies) -> Option<Diagnostic> {
    let package = module.package(RegoVersion::Auto).ok()?;
    let owned = policies.owned_by_bundle(&package).err()?;
    Some(diagnostic(&owned.to_string(), &module.key))
}

fn of_set(name: &str, set: &PolicySet, policies: &Policies, state: &State) -> Vec<Diagnostic> {
    let Some(bundle) = set.bundle.as_deref() else { return documents(name, set, policies, state) };
    let mut errors = outside(set, bundle);
    for root in &bundle.roots {
        errors.extend(beside_sets(name, root, policies));
        if let Some((path, source)) = state.owner(&segments(root)) {
            errors
                .push(format!("root {root:?} overlaps with data.{}, which source `{source}` replicates", path.replace('/', ".")));
        }
    }
    errors.into_iter().map(|message| diagnostic(&format!("bundle {:?}: {message}", bundle.name), &bundle.name)).collect()
}

/// Modules whose package the roots do not permit (OPA: `validateAndInjectDefaults`). One that cannot be parsed is refused by
/// the compiler, with a better message.
fn outside(set: &PolicySet, bundle: &Bundle) -> Vec<String> {
    if bundle.roots.iter().any(String::is_empty) {
        return Vec::new();
    }
    let package = |module: &Module| {
        let asked = bundle.rego.iter().find(|(key, _)| *key == module.key);
        module.package(asked.map(|(_, version)| *version).unwrap_or_default()).ok()
    };
    let inside = |package: &[String]| bundle.roots.iter().any(|root| package.starts_with(&segments(root)));
    let modules = set.modules.iter().filter_map(|module| Some((&module.key, package(module)?)));
    let modules = modules.filter(|(_, package)| !inside(package));
    modules
        .map(|(key, package)| {
            format!("manifest roots {:?} do not permit 'package {}' in module '{key}'", bundle.roots, package.join("."))
        })
        .collect()
}

fn beside_sets(name: &str, root: &str, policies: &Policies) -> Vec<String> {
    let mut errors = Vec::new();
    for (_, other) in policies.sets.iter().filter(|(other, _)| *other != name) {
        if let Some(other) = &other.bundle {
            let same = other.roots.iter().filter(|theirs| overlap(root, theirs));
            errors.extend(same.map(|theirs| {
                format!(
                    "detected overlapping roots in bundle manifests: {root:?} is claimed, and bundle {:?} has {theirs:?}",
                    other.name
                )
            }));
            continue;
        }
        let data = other.documents.iter().find(|document| overlap(root, &document.path.join("/")));
        errors.extend(data.map(|document| format!("root {root:?} overlaps with the data of {}", document.origin)));
    }
    errors
}

/// Returns the conflicts of the data of a set that is no bundle with the bundles and the other sets.
fn documents(name: &str, set: &PolicySet, policies: &Policies, state: &State) -> Vec<Diagnostic> {
    let mut errors = Vec::new();
    for document in set.documents.iter() {
        if let Some((path, source)) = state.owner(&document.path) {
            let message = format!("data.{} is replicated by source `{source}`", path.replace('/', "."));
            errors.push(diagnostic(&message, &document.origin));
        }
        if let Some((bundle, root)) = policies.bundle_at(&document.path) {
            let message = format!("data.{} is owned by bundle {:?} (root {root:?})", document.path.join("."), bundle.name);
            errors.push(diagnostic(&message, &document.origin));
        }
        let others = policies.sets.iter().filter(|(other, _)| *other != name).flat_map(|(_, other)| other.documents.iter());
        let clash = |other: &&Document| other.path.starts_with(&document.path) || document.path.starts_with(&other.path);
        if let Some(other) = others.into_iter().find(clash) {
            let message = format!("data.{} comes from {} as well", other.path.join("."), other.origin);
            errors.push(diagnostic(&message, &document.origin));
        }
    }
    errors
}

pub(super) fn diagnostic(message: &str, file: &str) -> Diagnostic {
    let location = Location { file: file.into(), row: 1, col: 1 };
    Diagnostic { code: "bundle_error".into(), message: message.into(), location, ..Diagnostic::default() }
}
