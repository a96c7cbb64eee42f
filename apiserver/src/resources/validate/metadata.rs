//! `metadata`, the same for every kind. Source: `apimachinery/pkg/api/validation/objectmeta.go`.

use std::collections::BTreeSet;

use serde_json::{Map, Value as Json};

use super::initializers;
use crate::names::{self, NameRule};
use crate::resources::resource::{Resource, Scope};
use crate::status::field::{Faults, Path};

/// Keys and values of all annotations together.
pub const MOST_ANNOTATIONS: usize = 262_144;

pub(super) const IMMUTABLE: &str = "field is immutable";

/// Every fault of `metadata`.
pub(super) fn validate(resource: &Resource, object: &Json, old: Option<&Json>, faults: &mut Faults) {
    let path = Path::ROOT.child("metadata");
    let empty = Map::new();
    let metadata = object.get("metadata").and_then(Json::as_object).unwrap_or(&empty);
    match old.map(|old| old.get("metadata").and_then(Json::as_object).unwrap_or(&empty)) {
        None => created(resource, metadata, &path, faults),
        Some(old) => updated(resource, metadata, old, &path, faults),
    }
    strings(metadata, "labels", |labels| self::labels(labels, &path.child("labels"), faults));
    strings(metadata, "annotations", |annotations| self::annotations(annotations, &path.child("annotations"), faults));
    owners(metadata, &path.child("ownerReferences"), faults);
    initializers::metadata(object, old, &path, faults);
    if old.is_none() {
        finalizers(metadata, resource.custom, &path.child("finalizers"), faults);
    }
}

fn text<'a>(object: &'a Map<String, Json>, field: &str) -> &'a str {
    object.get(field).and_then(Json::as_str).unwrap_or_default()
}

fn strings(object: &Map<String, Json>, field: &str, mut check: impl FnMut(&Map<String, Json>)) {
    if let Some(map) = object.get(field).and_then(Json::as_object) {
        check(map);
    }
}

/// How the names of a kind are formed.
pub fn name_rule(resource: &Resource) -> NameRule {
    match (resource.group.as_str(), resource.plural.as_str()) {
        ("rbac.authorization.k8s.io", _) => NameRule::PathSegment,
        ("", "namespaces") => NameRule::Label,
        // Since 1.36 services need not begin with a letter.
        ("", "services") => NameRule::Label,
        _ => NameRule::Subdomain,
    }
}

fn created(resource: &Resource, metadata: &Map<String, Json>, path: &Path<'_>, faults: &mut Faults) {
    let rule = name_rule(resource);
    let (name, base) = (text(metadata, "name"), text(metadata, "generateName"));
    if !base.is_empty() {
        let path = path.child("generateName");
        rule.faults(base, true).iter().for_each(|fault| faults.invalid_text(&path, base, fault));
    }
    let at = path.child("name");
    match name.is_empty() {
        true => faults.required(&at, "name or generateName is required"),
        false => rule.faults(name, false).iter().for_each(|fault| faults.invalid_text(&at, name, fault)),
    }
    let (namespace, at) = (text(metadata, "namespace"), path.child("namespace"));
    match (resource.scope, namespace.is_empty()) {
        (Scope::Namespaced, true) => faults.required(&at, ""),
        (Scope::Namespaced, false) => {
            names::dns_label(namespace).iter().for_each(|fault| faults.invalid_text(&at, namespace, fault));
        }
        (Scope::Cluster, false) => faults.forbidden(&at, "not allowed on this type"),
        (Scope::Cluster, true) => {}
    }
}

fn updated(resource: &Resource, new: &Map<String, Json>, old: &Map<String, Json>, path: &Path<'_>, faults: &mut Faults) {
    if old.get("deletionTimestamp").is_some_and(|time| !time.is_null()) {
        no_new_finalizers(new, old, &path.child("finalizers"), faults);
    }
    if conditional(resource) && text(new, "resourceVersion").is_empty() {
        faults.invalid(&path.child("resourceVersion"), &Json::from(0), "must be specified for an update");
    }
    for field in ["name", "namespace", "uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"] {
        let (now, before) = (new.get(field), old.get(field));
        if now != before {
            faults.invalid(&path.child(field), now.unwrap_or(&Json::Null), IMMUTABLE);
        }
    }
}

/// Kinds of which every update must say what it replaces. Source: `AllowUnconditionalUpdate` of the strategies.
fn conditional(resource: &Resource) -> bool {
    let kinds = [crate::resources::crd::COLLECTION, "coordination.k8s.io/leases"];
    resource.custom || kinds.contains(&&*resource.collection)
}

fn members<'a>(metadata: &'a Map<String, Json>, field: &str) -> impl Iterator<Item = &'a Json> {
    metadata.get(field).and_then(Json::as_array).into_iter().flatten()
}

fn no_new_finalizers(new: &Map<String, Json>, old: &Map<String, Json>, path: &Path<'_>, faults: &mut Faults) {
    let before: BTreeSet<&str> = members(old, "finalizers").filter_map(Json::as_str).collect();
    let now: BTreeSet<&str> = members(new, "finalizers").filter_map(Json::as_str).collect();
    let fresh: Vec<String> = now.difference(&before).map(|name| format!("{name:?}")).collect();
    if !fresh.is_empty() {
        let found = fresh.join(", ");
        let text = "no new finalizers can be added if the object is being deleted, found new finalizers";
        faults.forbidden(path, &format!("{text} []string{{{found}}}"));
    }
}

fn finalizers(metadata: &Map<String, Json>, custom: bool, path: &Path<'_>, faults: &mut Faults) {
    let all: Vec<&str> = members(metadata, "finalizers").filter_map(Json::as_str).collect();
    for finalizer in &all {
        names::label_key(finalizer).iter().for_each(|fault| faults.invalid_text(path, finalizer, fault));
    }
    for (index, finalizer) in all.iter().enumerate().filter(|_| !custom) {
        known_finalizer(finalizer, &path.index(index), faults);
    }
    if all.contains(&"orphan") && all.contains(&"foregroundDeletion") {
        let text = "finalizer orphan and foregroundDeletion cannot be both set";
        faults.invalid(path, &Json::from(all), text);
    }
}

/// Built-in kinds want finalizers of a domain, or Kubernetes' own. Source: `kubernetes/pkg/apis/core/validation`.
pub(super) fn known_finalizer(finalizer: &str, path: &Path<'_>, faults: &mut Faults) {
    if !finalizer.contains('/') && !["kubernetes", "orphan", "foregroundDeletion"].contains(&finalizer) {
        faults.invalid_text(path, finalizer, "name is neither a standard finalizer name nor is it fully qualified");
    }
}

/// Keys and values of labels.
pub(super) fn labels(labels: &Map<String, Json>, path: &Path<'_>, faults: &mut Faults) {
    for (key, value) in labels {
        names::label_key(key).iter().for_each(|fault| faults.invalid_text(path, key, fault));
        let value = value.as_str().unwrap_or_default();
        names::label_value(value).iter().for_each(|fault| faults.invalid_text(path, value, fault));
    }
}

/// Keys of annotations, and the size of all together.
pub(super) fn annotations(annotations: &Map<String, Json>, path: &Path<'_>, faults: &mut Faults) {
    let mut size = 0;
    for (key, value) in annotations {
        names::label_key(&key.to_lowercase()).iter().for_each(|fault| faults.invalid_text(path, key, fault));
        size += key.len() + value.as_str().map_or(0, str::len);
    }
    if size > MOST_ANNOTATIONS {
        faults.too_long(path, MOST_ANNOTATIONS);
    }
}

fn owners(metadata: &Map<String, Json>, path: &Path<'_>, faults: &mut Faults) {
    let mut controller: Option<String> = None;
    for owner in members(metadata, "ownerReferences").filter_map(Json::as_object) {
        let fields = [
            ("apiVersion", "version must not be empty"),
            ("kind", "must not be empty"),
            ("name", "must not be empty"),
            ("uid", "must not be empty"),
        ];
        for (field, fault) in fields {
            if text(owner, field).is_empty() {
                faults.invalid_text(&path.child(field), text(owner, field), fault);
            }
        }
        if owner.get("controller") == Some(&Json::Bool(true)) {
            let name = format!("{}/{}", text(owner, "kind"), text(owner, "name"));
            match &controller {
                Some(first) => {
                    let text = format!(
                        "Only one reference can have Controller set to true. Found \"true\" in references for {first} and {name}"
                    );
                    faults.invalid(path, metadata.get("ownerReferences").unwrap_or(&Json::Null), &text);
                }
                None => controller = Some(name),
            }
        }
    }
}
