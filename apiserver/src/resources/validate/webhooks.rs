//! MutatingWebhookConfigurations and ValidatingWebhookConfigurations. Source:
//! `kubernetes/pkg/apis/admissionregistration/validation` and `apiserver/pkg/util/webhook/validation.go`.
//!
//! A `caBundle` is not read, as upstream: a bad one is a failed call.

mod client;
mod condition;
mod external;
mod rule;

use std::collections::HashSet;

use serde_json::Value as Json;

use super::peek::{field, list, text};
use super::{one_of, qualified_name, selector};
use crate::names;
use crate::status::field::{Faults, Path};

pub use condition::VARIABLES;
pub(super) use external::external;
pub(super) use rule::of_initializer as rule_of_initializer;

/// AdmissionReview versions that the server speaks.
pub const REVIEW_VERSIONS: [&str; 2] = ["v1", "v1beta1"];

/// Where the hooks of v1alpha1 are kept.
pub const EXTERNAL: &str = "admissionregistration.k8s.io/externaladmissionhookconfigurations";

/// What a failure may mean.
pub(super) const FAILURE: [&str; 2] = ["Fail", "Ignore"];
const MATCH: [&str; 2] = ["Equivalent", "Exact"];
const REINVOCATION: [&str; 2] = ["IfNeeded", "Never"];
/// Those that a dry run may call.
const HARMLESS: [&str; 2] = ["None", "NoneOnDryRun"];
const SIDE_EFFECTS: [&str; 4] = ["None", "NoneOnDryRun", "Some", "Unknown"];

/// What an object that breaks a younger rule already may go on breaking.
#[derive(Debug)]
struct Strictness<'a> {
    harmless: bool,
    known_review_version: bool,
    unique_names: bool,
    /// Expressions that are stored already.
    expressions: HashSet<&'a str>,
}

/// Every fault of a configuration; of an update only those that `old` does not have anyway. What came with `v1` is not asked of
/// `v1beta1`: webhooks without side effects, and names that are there once.
pub(super) fn configuration(object: &Json, old: Option<&Json>, version: &str, faults: &mut Faults) {
    let strictness = Strictness::after(old).of_version(version);
    let path = Path::ROOT.child("webhooks");
    let mut seen = HashSet::new();
    for (index, hook) in list(object, "webhooks").iter().enumerate() {
        let path = path.index(index);
        webhook(hook, &strictness, &path, faults);
        let name = text(hook, "name");
        if strictness.unique_names && !name.is_empty() && !seen.insert(name) {
            faults.duplicate(&path.child("name"), &name.into());
        }
    }
}

impl<'a> Strictness<'a> {
    fn after(old: Option<&'a Json>) -> Self {
        let hooks = old.map(|old| list(old, "webhooks")).unwrap_or_default();
        let mut seen = HashSet::new();
        Self {
            harmless: hooks.iter().all(|hook| HARMLESS.contains(&text(hook, "sideEffects"))),
            known_review_version: hooks.iter().all(has_known_version),
            unique_names: hooks.iter().all(|hook| seen.insert(text(hook, "name"))),
            expressions: old.map(condition::expressions).unwrap_or_default(),
        }
    }

    fn of_version(self, version: &str) -> Self {
        let is_v1 = version == "v1";
        Self { harmless: self.harmless && is_v1, unique_names: self.unique_names && is_v1, ..self }
    }
}

fn webhook(hook: &Json, strictness: &Strictness<'_>, path: &Path<'_>, faults: &mut Faults) {
    qualified_name(text(hook, "name"), &path.child("name"), faults);
    let rules = path.child("rules");
    for (index, one) in list(hook, "rules").iter().enumerate() {
        rule::validate(one, &rules.index(index), faults);
    }
    one_of(hook, "failurePolicy", &FAILURE, path, faults);
    one_of(hook, "matchPolicy", &MATCH, path, faults);
    one_of(hook, "reinvocationPolicy", &REINVOCATION, path, faults);
    side_effects(hook, strictness, path, faults);
    let timeout = field(hook, "timeoutSeconds");
    if timeout.as_i64().is_some_and(|seconds| !(1..=30).contains(&seconds)) {
        faults.invalid(&path.child("timeoutSeconds"), timeout, "the timeout value must be between 1 and 30 seconds");
    }
    for name in ["namespaceSelector", "objectSelector"] {
        selector::validate(field(hook, name), &path.child(name), faults);
    }
    client::validate(field(hook, "clientConfig"), &path.child("clientConfig"), faults);
    condition::validate(hook, &strictness.expressions, path, faults);
    review_versions(hook, strictness, path, faults);
}

fn side_effects(hook: &Json, strictness: &Strictness<'_>, path: &Path<'_>, faults: &mut Faults) {
    let allowed: &[&str] = if strictness.harmless { &HARMLESS } else { &SIDE_EFFECTS };
    if field(hook, "sideEffects").is_null() {
        faults.required(&path.child("sideEffects"), &format!("must specify one of {}", allowed.join(", ")));
    }
    one_of(hook, "sideEffects", allowed, path, faults);
}

fn has_known_version(hook: &Json) -> bool {
    let versions = list(hook, "admissionReviewVersions");
    versions.iter().filter_map(Json::as_str).any(|version| REVIEW_VERSIONS.contains(&version))
}

fn review_versions(hook: &Json, strictness: &Strictness<'_>, path: &Path<'_>, faults: &mut Faults) {
    let (path, versions) = (path.child("admissionReviewVersions"), list(hook, "admissionReviewVersions"));
    let known = REVIEW_VERSIONS.join(", ");
    if versions.is_empty() {
        return faults.required(&path, &format!("must specify one of {known}"));
    }
    let mut seen = HashSet::new();
    for (index, version) in versions.iter().enumerate() {
        let version = version.as_str().unwrap_or_default();
        if !seen.insert(version) {
            faults.invalid_text(&path.index(index), version, "duplicate version");
            continue;
        }
        names::label_1035(version).iter().for_each(|fault| faults.invalid_text(&path.index(index), version, fault));
    }
    if strictness.known_review_version && !has_known_version(hook) {
        let versions = field(hook, "admissionReviewVersions");
        faults.invalid(&path, versions, &format!("must include at least one of {known}"));
    }
}

#[cfg(test)]
mod tests;
