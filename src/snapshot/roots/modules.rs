//! Modules that are in force already in the roots of a bundle: OPA deletes them as soon as the bundle is activated, and its
//! answers change with that. Here whichever comes second is refused, so that neither takes the other's place unseen.
//! Source: OPA `v1/bundle/store.go`, `erasePolicies`.

use plimsoll_contract::policy::Diagnostic;

use super::{diagnostic, segments};
use crate::rego::RegoVersion;
use crate::snapshot::modules::CLIENTS;
use crate::snapshot::{Bundle, Policies, PolicySet};

/// Returns the conflicts between bundles and other modules of `after`, as far as one of them is new. Bundles that the command line
/// names (`local`) are loaded together with its modules, in OPA as well.
pub(in crate::snapshot) fn check(before: &Policies, after: &Policies, local: &[String]) -> Vec<Diagnostic> {
    let old = |name: &str| before.sets.get(name);
    let mut errors = Vec::new();
    for (name, set) in &after.sets {
        let Some(bundle) = set.bundle.as_deref().filter(|bundle| !local.contains(&bundle.name)) else { continue };
        let new = old(name).is_none_or(|old| old.bundle != set.bundle);
        for (other, beside) in after.sets.iter().filter(|(_, other)| other.bundle.is_none()) {
            // What clients put is looked at by itself, with OPA's words.
            let put = **other != *CLIENTS && old(other).is_none_or(|old| old.modules != beside.modules);
            if new || put {
                errors.extend(taken(bundle, beside, new));
            }
        }
    }
    errors
}

/// The modules of a set in the roots of a bundle.
fn taken(bundle: &Bundle, set: &PolicySet, bundle_is_new: bool) -> Vec<Diagnostic> {
    let mut errors = Vec::new();
    for module in &set.modules {
        let Ok(package) = module.package(RegoVersion::Auto) else { continue };
        let Some(root) = bundle.roots.iter().find(|root| package.starts_with(&segments(root))) else { continue };
        let (name, package, key) = (&bundle.name, package.join("."), &module.key);
        let file = if bundle_is_new { name } else { key };
        let message = format!(
            "bundle {name:?}: root {root:?} has package {package} of the module '{key}', which is no part of the bundle: take the \
             module away or narrow the roots (OPA would delete the module)"
        );
        errors.push(diagnostic(&message, file));
    }
    errors
}
