//! Whether an object is valid, in kube-apiserver's words: what `metadata` must be like for every kind, what a structural
//! schema says for custom kinds, and the common faults of built-in ones.

mod containers;
mod core;
mod formats;
pub mod initializers;
pub mod metadata;
pub(super) mod peek;
mod pod_spec;
mod rbac;
pub mod reserved;
pub mod selector;
pub(super) mod value;
pub mod webhooks;
mod workloads;

use serde_json::Value as Json;

use super::crd;
use super::resource::{Resource, Scope};
use crate::names;
use crate::status::field::{Faults, FieldError, Path, quote};

impl Resource {
    /// Every fault of `object`; of the change from `old` too, where there is one.
    pub fn validate(&self, object: &Json, old: Option<&Json>) -> Result<(), Vec<FieldError>> {
        let mut faults = Faults::default();
        metadata::validate(self, object, old, &mut faults);
        if self.custom {
            value::validate(&self.schema, object, &Path::ROOT, &mut faults);
        } else {
            // Nobody has seen an object that is still being initialized: what may not change later may be settled now.
            let seen = old.filter(|old| super::initializers::of(old).is_none());
            built_in(self, object, seen, &mut faults);
        }
        faults.into_result()
    }
}

fn built_in(resource: &Resource, object: &Json, old: Option<&Json>, faults: &mut Faults) {
    let path = Path::ROOT.child("spec");
    let spec = peek::field(object, "spec");
    let before = old.map(|old| peek::field(old, "spec"));
    let namespaced = resource.scope == Scope::Namespaced;
    match (&*resource.collection, resource.group.as_str()) {
        ("core/configmaps", _) => core::config_map(object, old, faults),
        ("core/secrets", _) => core::secret(object, old, faults),
        ("core/services", _) => core::service(spec, &path, faults),
        ("core/namespaces", _) => core::namespace(object, faults),
        ("core/events", "") => core::event(object, faults),
        ("core/events", _) => core::new_event(object, old, faults),
        ("core/pods", _) => {
            pod_spec::validate(spec, &path, faults);
            if let Some(before) = before {
                pod_spec::changed(spec, before, faults);
            }
        }
        ("apps/deployments", _) => workloads::deployment(spec, before, &path, faults),
        ("apps/replicasets", _) => workloads::replica_set(spec, before, &path, faults),
        ("apps/daemonsets", _) => workloads::daemon_set(spec, before, &path, faults),
        ("apps/statefulsets", _) => workloads::stateful_set(spec, before, &path, faults),
        ("batch/jobs", _) => workloads::job(spec, before, &path, faults),
        ("batch/cronjobs", _) => workloads::cron_job(spec, &path, faults),
        ("coordination.k8s.io/leases", _) => core::lease(spec, &path, faults),
        ("federation/clusters", _) => core::cluster(spec, &path, faults),
        (crd::COLLECTION, _) => crd::check::validate(object, old, faults),
        (webhooks::EXTERNAL, _) => webhooks::external(object, faults),
        (initializers::COLLECTION, _) => initializers::configuration(object, faults),
        (_, "admissionregistration.k8s.io") => webhooks::configuration(object, old, &resource.version, faults),
        (collection, "rbac.authorization.k8s.io") => match collection.ends_with("bindings") {
            true => rbac::binding(object, old, namespaced, faults),
            false => rbac::role(object, namespaced, faults),
        },
        _ => {}
    }
}

/// Numbers that must not be negative, where they are there.
fn non_negative(object: &Json, names: &[&str], path: &Path<'_>, faults: &mut Faults) {
    for name in names.iter().filter(|name| peek::number(object, name).is_some_and(|number| number < 0)) {
        faults.invalid(&path.child(name), peek::field(object, name), "must be greater than or equal to 0");
    }
}

/// A text that must be one of several, where it is there.
pub(super) fn one_of(object: &Json, name: &str, known: &[&str], path: &Path<'_>, faults: &mut Faults) {
    let value = peek::field(object, name);
    if !value.is_null() && !value.as_str().is_some_and(|text| known.contains(&text)) {
        faults.not_supported(&path.child(name), value, known);
    }
}

/// A field that must stay as it is.
pub(super) fn immutable(object: &Json, old: &Json, name: &str, path: &Path<'_>, faults: &mut Faults) {
    let value = peek::field(object, name);
    if value != peek::field(old, name) {
        faults.invalid(&path.child(name), value, metadata::IMMUTABLE);
    }
}

/// A domain of three segments or more.
fn qualified_name(name: &str, path: &Path<'_>, faults: &mut Faults) {
    let wrong = names::subdomain(name);
    if name.is_empty() {
        faults.required(path, "");
    } else if !wrong.is_empty() {
        faults.invalid_text(path, name, &wrong.join(","));
    } else if name.split('.').count() < 3 {
        faults.invalid_text(path, name, "should be a domain with at least three segments separated by dots");
    }
}

fn port_number(port: i64, path: &Path<'_>, faults: &mut Faults) {
    if !(1..=65_535).contains(&port) {
        faults.invalid(path, &port.into(), "must be between 1 and 65535, inclusive");
    }
}
