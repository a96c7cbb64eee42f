//! Whether a CustomResourceDefinition can be served. Source of rules and texts: `apiextensions-apiserver/pkg/apis/
//! apiextensions/validation`. What this server cannot do (validation rules in CEL, webhook conversion) is refused, never
//! passed over.

use std::collections::HashSet;

use serde_json::Value as Json;

use super::names::condition_holds;
use super::version::{Shared, validate as version};
use crate::names::{self, label_1035};
use crate::resources::validate::peek::{below, field, given, list, text};
use crate::resources::validate::{immutable, one_of};
use crate::status::field::{Faults, Path};

const APPROVAL: &str = "api-approved.kubernetes.io";

/// Every fault of a definition; of the change from `old` too.
pub(crate) fn validate(object: &Json, old: Option<&Json>, faults: &mut Faults) {
    let (spec, path) = (field(object, "spec"), Path::ROOT.child("spec"));
    name(object, faults);
    group(spec, &path, faults);
    match text(spec, "scope") {
        "" => faults.required(&path.child("scope"), ""),
        _ => one_of(spec, "scope", &["Cluster", "Namespaced"], &path, faults),
    }
    versions(spec, &path, faults);
    own_names(field(spec, "names"), &path.child("names"), faults);
    conversion(spec, &path, faults);
    if let Some(old) = old {
        changed(spec, old, &path, faults);
    }
    stored(object, faults);
    approval(object, old, faults);
}

/// `metadata.name` says plural and group again.
fn name(object: &Json, faults: &mut Faults) {
    let (spec, given) = (field(object, "spec"), below(object, "metadata.name").as_str().unwrap_or_default());
    let wanted = format!("{}.{}", below(spec, "names.plural").as_str().unwrap_or_default(), text(spec, "group"));
    if !given.is_empty() && given != wanted {
        let path = Path::ROOT.child("metadata");
        faults.invalid_text(&path.child("name"), given, "must be spec.names.plural+\".\"+spec.group");
    }
}

fn group(spec: &Json, path: &Path<'_>, faults: &mut Faults) {
    let (group, at) = (text(spec, "group"), path.child("group"));
    let wrong = names::subdomain(group);
    if group.is_empty() {
        faults.required(&at, "");
    } else if !wrong.is_empty() {
        faults.invalid_text(&at, group, &wrong.join(","));
    } else if !group.contains('.') {
        faults.invalid_text(&at, group, "should be a domain with at least one dot");
    }
}

fn own_names(all: &Json, path: &Path<'_>, faults: &mut Faults) {
    for name in ["plural", "singular", "kind", "listKind"] {
        let (value, at) = (text(all, name), path.child(name));
        let wrong = label_1035(&value.to_lowercase());
        if value.is_empty() {
            faults.required(&at, "");
        } else if name.to_lowercase().ends_with("kind") && !wrong.is_empty() {
            let text = format!("may have mixed case, but should otherwise match: {}", wrong.join(","));
            faults.invalid_text(&at, value, &text);
        } else if !wrong.is_empty() || value != value.to_lowercase() && !name.to_lowercase().ends_with("kind") {
            faults.invalid_text(&at, value, &label_1035(value).join(","));
        }
    }
    for name in ["shortNames", "categories"] {
        let at = path.child(name);
        for (index, value) in list(all, name).iter().enumerate() {
            let value = value.as_str().unwrap_or_default();
            let wrong = label_1035(value);
            if !wrong.is_empty() {
                faults.invalid_text(&at.index(index), value, &wrong.join(","));
            }
        }
    }
    if !text(all, "kind").is_empty() && text(all, "kind") == text(all, "listKind") {
        faults.invalid_text(&path.child("listKind"), text(all, "listKind"), "kind and listKind may not be the same");
    }
}

fn versions(spec: &Json, path: &Path<'_>, faults: &mut Faults) {
    let (all, at) = (list(spec, "versions"), path.child("versions"));
    let (mut seen, shared) = (HashSet::new(), Shared::of(spec));
    for (index, one) in all.iter().enumerate() {
        let here = at.index(index);
        let schema = here.child("schema");
        if !below(one, "schema.openAPIV3Schema").is_object() {
            faults.required(&schema.child("openAPIV3Schema"), "");
        }
        let name = text(one, "name");
        let wrong = label_1035(name);
        if !wrong.is_empty() {
            faults.invalid_text(&here.child("name"), name, &wrong.join(","));
        }
        version(one, &shared, &here, faults);
        seen.insert(name);
    }
    shared.validate(spec, path, faults);
    if seen.len() != all.len() {
        faults.invalid(&at, field(spec, "versions"), "must contain unique version names");
    }
    let storage = all.iter().filter(|version| field(version, "storage") == true).count();
    if storage != 1 {
        faults.invalid(&at, field(spec, "versions"), "must have exactly one version marked as storage version");
    }
}

fn conversion(spec: &Json, path: &Path<'_>, faults: &mut Faults) {
    let (conversion, at) = (field(spec, "conversion"), path.child("conversion"));
    match text(conversion, "strategy") {
        "None" => {
            if given(conversion, "webhook") {
                faults.forbidden(&at.child("webhookClientConfig"), "should not be set when strategy is not set to Webhook");
            }
        }
        "Webhook" => {
            let text = "webhook conversion is not supported by this API server; use None, which changes apiVersion alone";
            faults.forbidden(&at.child("strategy"), text);
        }
        "" if conversion.is_null() => {}
        "" => faults.required(&at.child("strategy"), ""),
        _ => one_of(conversion, "strategy", &["None", "Webhook"], &at, faults),
    }
    if field(spec, "preserveUnknownFields") == true {
        let text = "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
        faults.invalid(&path.child("preserveUnknownFields"), &true.into(), text);
    }
}

fn changed(spec: &Json, old: &Json, path: &Path<'_>, faults: &mut Faults) {
    let before = field(old, "spec");
    let (names, old_names, at) = (field(spec, "names"), field(before, "names"), path.child("names"));
    if condition_holds(old, "Established") {
        immutable(spec, before, "scope", path, faults);
        immutable(names, old_names, "kind", &at, faults);
    }
    immutable(spec, before, "group", path, faults);
    immutable(names, old_names, "plural", &at, faults);
}

/// A version that objects may still be stored in must stay.
fn stored(object: &Json, faults: &mut Faults) {
    let status = Path::ROOT.child("status");
    let path = status.child("storedVersions");
    let versions = list(field(object, "spec"), "versions");
    for (index, stored) in list(field(object, "status"), "storedVersions").iter().enumerate() {
        let name = stored.as_str().unwrap_or_default();
        if !versions.iter().any(|version| text(version, "name") == name) {
            let text = format!(
                "missing from spec.versions; {name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in {name} and removes {name} from status.storedVersions"
            );
            faults.invalid_text(&path.index(index), name, &text);
        }
    }
}

/// Kubernetes' own groups need an approval. Source: KEP-1111.
fn approval(object: &Json, old: Option<&Json>, faults: &mut Faults) {
    let group = below(object, "spec.group").as_str().unwrap_or_default();
    let own = ["k8s.io", "kubernetes.io"].iter().any(|own| group == *own || group.ends_with(&format!(".{own}")));
    let said = |object: &Json| below(object, "metadata.annotations").get(APPROVAL).and_then(Json::as_str).map(str::to_owned);
    let (now, before) = (said(object), old.map(&said));
    if !own || before.is_some_and(|before| before == now) {
        return;
    }
    let metadata = Path::ROOT.child("metadata");
    let annotations = metadata.child("annotations");
    let path = annotations.key(APPROVAL);
    match now {
        None => faults.required(&path, "protected groups must have approval annotation \"api-approved.kubernetes.io\", see https://github.com/kubernetes/enhancements/pull/1111"),
        Some(said) if !said.starts_with("https://") && !said.starts_with("http://") && !said.starts_with("unapproved") => {
            let text = "protected groups must have approval annotation \"api-approved.kubernetes.io\" with either a URL or a reason starting with \"unapproved\", see https://github.com/kubernetes/enhancements/pull/1111";
            faults.invalid_text(&path, &said, text);
        }
        Some(_) => {}
    }
}
