//! Containers of pods. Source: `kubernetes/pkg/apis/core/validation`.

use std::collections::HashSet;

use serde_json::Value as Json;

use super::one_of;
use super::peek::{entries, field, given, list, number, text};
use crate::names;
use crate::quantity;
use crate::status::field::{Faults, Path};

const PULL: [&str; 3] = ["Always", "IfNotPresent", "Never"];
const TERMINATION: [&str; 2] = ["File", "FallbackToLogsOnError"];
const PROTOCOLS: [&str; 3] = ["SCTP", "TCP", "UDP"];

/// Init containers and containers: one name each.
pub(super) fn validate(spec: &Json, volumes: &HashSet<&str>, path: &Path<'_>, faults: &mut Faults) {
    let mut seen = HashSet::new();
    if list(spec, "containers").is_empty() {
        faults.required(&path.child("containers"), "");
    }
    for kind in ["containers", "initContainers"] {
        let path = path.child(kind);
        for (index, container) in list(spec, kind).iter().enumerate() {
            let path = path.index(index);
            let name = text(container, "name");
            named(container, &path, faults);
            if !name.is_empty() && !seen.insert(name) {
                faults.duplicate(&path.child("name"), &name.into());
            }
            one(container, volumes, &path, faults);
        }
    }
}

fn named(container: &Json, path: &Path<'_>, faults: &mut Faults) {
    let (name, at) = (text(container, "name"), path.child("name"));
    match name.is_empty() {
        true => faults.required(&at, ""),
        false => names::dns_label(name).iter().for_each(|fault| faults.invalid_text(&at, name, fault)),
    }
}

fn one(container: &Json, volumes: &HashSet<&str>, path: &Path<'_>, faults: &mut Faults) {
    let image = text(container, "image");
    if image.is_empty() {
        faults.required(&path.child("image"), "");
    } else if image.trim() != image {
        faults.invalid_text(&path.child("image"), image, "must not have leading or trailing whitespace");
    }
    one_of(container, "terminationMessagePolicy", &TERMINATION, path, faults);
    ports(container, &path.child("ports"), faults);
    environment(container, &path.child("env"), faults);
    mounts(container, volumes, &path.child("volumeMounts"), faults);
    one_of(container, "imagePullPolicy", &PULL, path, faults);
    resources(field(container, "resources"), &path.child("resources"), faults);
}

fn ports(container: &Json, path: &Path<'_>, faults: &mut Faults) {
    let mut seen = HashSet::new();
    for (index, port) in list(container, "ports").iter().enumerate() {
        let path = path.index(index);
        let name = text(port, "name");
        if !name.is_empty() {
            let wrong = names::port_name(name);
            wrong.iter().for_each(|fault| faults.invalid_text(&path.child("name"), name, fault));
            if wrong.is_empty() && !seen.insert(name) {
                faults.duplicate(&path.child("name"), &name.into());
            }
        }
        match number(port, "containerPort").unwrap_or_default() {
            0 => faults.required(&path.child("containerPort"), ""),
            port => super::port_number(port, &path.child("containerPort"), faults),
        }
        if let Some(host) = number(port, "hostPort").filter(|host| *host != 0) {
            super::port_number(host, &path.child("hostPort"), faults);
        }
        one_of(port, "protocol", &PROTOCOLS, &path, faults);
    }
}

fn environment(container: &Json, path: &Path<'_>, faults: &mut Faults) {
    for (index, variable) in list(container, "env").iter().enumerate() {
        let path = path.index(index);
        let (name, at) = (text(variable, "name"), path.child("name"));
        match name.is_empty() {
            true => faults.required(&at, ""),
            false => names::variable(name).iter().for_each(|fault| faults.invalid_text(&at, name, fault)),
        }
        if given(variable, "valueFrom") && !text(variable, "value").is_empty() {
            faults.invalid_text(&path.child("valueFrom"), "", "may not be specified when `value` is not empty");
        }
    }
}

fn mounts(container: &Json, volumes: &HashSet<&str>, path: &Path<'_>, faults: &mut Faults) {
    let mut seen = HashSet::new();
    for (index, mount) in list(container, "volumeMounts").iter().enumerate() {
        let path = path.index(index);
        let (name, place) = (text(mount, "name"), text(mount, "mountPath"));
        if name.is_empty() {
            faults.required(&path.child("name"), "");
        } else if !volumes.contains(name) {
            faults.not_found(&path.child("name"), &name.into());
        }
        if place.is_empty() {
            faults.required(&path.child("mountPath"), "");
        } else if !seen.insert(place) {
            faults.invalid_text(&path.child("mountPath"), place, "must be unique");
        }
    }
}

/// Requests and limits: at least nothing, and requests within limits.
pub(super) fn resources(resources: &Json, path: &Path<'_>, faults: &mut Faults) {
    let limits = field(resources, "limits");
    for kind in ["limits", "requests"] {
        let path = path.child(kind);
        for (name, amount) in entries(resources, kind) {
            let parsed = quantity::parse(amount);
            if parsed.is_some_and(|amount| amount.nanos < 0) {
                faults.invalid(&path.key(name), amount, "must be greater than or equal to 0");
            }
            let limit = limits.get(name).filter(|_| kind == "requests");
            if let Some(limit) = limit.filter(|limit| parsed > quantity::parse(limit)) {
                let most = limit.as_str().unwrap_or_default();
                faults.invalid(&path, amount, &format!("must be less than or equal to {name} limit of {most}"));
            }
        }
    }
}
