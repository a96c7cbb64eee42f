//! Pod specifications, in pods and in templates: the faults people make. Source: `kubernetes/pkg/apis/core/validation`.

use std::collections::HashSet;

use serde_json::Value as Json;

use super::containers;
use super::peek::{given, list, map, number, text};
use super::{metadata, non_negative, one_of};
use crate::names;
use crate::status::field::{Faults, Path};

const RESTART: [&str; 3] = ["Always", "OnFailure", "Never"];
const DNS: [&str; 4] = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];

/// The labels and annotations of a template, and its specification. Upstream leaves `metadata` out of these paths.
pub(super) fn template(template: &Json, path: &Path<'_>, faults: &mut Faults) {
    let meta = super::peek::field(template, "metadata");
    if let Some(labels) = map(meta, "labels") {
        metadata::labels(labels, &path.child("labels"), faults);
    }
    if let Some(annotations) = map(meta, "annotations") {
        metadata::annotations(annotations, &path.child("annotations"), faults);
    }
    validate(super::peek::field(template, "spec"), &path.child("spec"), faults);
}

/// Every fault of a PodSpec.
pub(super) fn validate(spec: &Json, path: &Path<'_>, faults: &mut Faults) {
    let volumes = volumes(spec, &path.child("volumes"), faults);
    containers::validate(spec, &volumes, path, faults);
    one_of(spec, "restartPolicy", &RESTART, path, faults);
    one_of(spec, "dnsPolicy", &DNS, path, faults);
    if let Some(labels) = map(spec, "nodeSelector") {
        metadata::labels(labels, &path.child("nodeSelector"), faults);
    }
    if number(spec, "activeDeadlineSeconds").is_some_and(|seconds| !(1..=i64::from(i32::MAX)).contains(&seconds)) {
        let seconds = super::peek::field(spec, "activeDeadlineSeconds");
        faults.invalid(&path.child("activeDeadlineSeconds"), seconds, "must be between 1 and 2147483647, inclusive");
    }
    for field in ["serviceAccountName", "nodeName", "priorityClassName"] {
        let name = text(spec, field);
        if !name.is_empty() {
            names::subdomain(name).iter().for_each(|fault| faults.invalid_text(&path.child(field), name, fault));
        }
    }
    for field in ["hostname", "subdomain"] {
        let name = text(spec, field);
        if !name.is_empty() {
            names::dns_label(name).iter().for_each(|fault| faults.invalid_text(&path.child(field), name, fault));
        }
    }
}

/// Checks the volumes and gives their names.
fn volumes<'a>(spec: &'a Json, path: &Path<'_>, faults: &mut Faults) -> HashSet<&'a str> {
    let mut seen = HashSet::new();
    for (index, volume) in list(spec, "volumes").iter().enumerate() {
        let here = path.index(index);
        let (name, at) = (text(volume, "name"), here.child("name"));
        if name.is_empty() {
            faults.required(&at, "");
        } else if !names::dns_label(name).is_empty() {
            names::dns_label(name).iter().for_each(|fault| faults.invalid_text(&at, name, fault));
        } else if !seen.insert(name) {
            faults.duplicate(&at, &name.into());
        }
        source(volume, &here, faults);
    }
    seen
}

/// What each kind of volume cannot do without.
fn source(volume: &Json, path: &Path<'_>, faults: &mut Faults) {
    let needed = [
        ("configMap", "name"),
        ("secret", "secretName"),
        ("hostPath", "path"),
        ("persistentVolumeClaim", "claimName"),
        ("nfs", "server"),
    ];
    for (kind, field) in needed {
        let source = super::peek::field(volume, kind);
        if !source.is_null() && text(source, field).is_empty() {
            let at = path.child(kind);
            faults.required(&at.child(field), "");
        }
    }
    if volume.as_object().is_some_and(|fields| fields.len() > 2) {
        for (kind, _) in super::peek::entries_of(volume).filter(|(kind, _)| *kind != "name").skip(1) {
            faults.forbidden(&path.child(kind), "may not specify more than 1 volume type");
        }
    }
}

/// What may change in a pod: images and little else.
pub(super) fn changed(spec: &Json, old: &Json, faults: &mut Faults) {
    let mut expected = spec.clone();
    for list in ["containers", "initContainers"] {
        let before = super::peek::list(old, list);
        let now = expected.get_mut(list).and_then(Json::as_array_mut).into_iter().flatten();
        for (container, before) in now.zip(before) {
            if let (Some(container), Some(image)) = (container.as_object_mut(), before.get("image")) {
                container.insert("image".to_owned(), image.clone());
            }
        }
    }
    if let Some(expected) = expected.as_object_mut() {
        for field in ["activeDeadlineSeconds", "tolerations", "terminationGracePeriodSeconds", "schedulingGates"] {
            match given(old, field) {
                true => expected.insert(field.to_owned(), super::peek::field(old, field).clone()),
                false => expected.remove(field),
            };
        }
    }
    if expected != *old {
        faults.forbidden(&Path::ROOT.child("spec"), UNCHANGEABLE);
    }
}

const UNCHANGEABLE: &str = "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

/// The restart policy that a controller's template must have.
pub(super) fn always(template: &Json, path: &Path<'_>, faults: &mut Faults) {
    let policy = super::peek::below(template, "spec.restartPolicy");
    if policy != "Always" && !policy.is_null() {
        let at = path.child("spec");
        faults.not_supported(&at.child("restartPolicy"), policy, &["Always"]);
    }
    if super::peek::below(template, "spec").get("activeDeadlineSeconds").is_some() {
        let at = path.child("spec");
        faults.forbidden(&at.child("activeDeadlineSeconds"), "activeDeadlineSeconds in ReplicaSet is not Supported");
    }
    non_negative(super::peek::field(template, "spec"), &["terminationGracePeriodSeconds"], &path.child("spec"), faults);
}
