//! The plain kinds of core, coordination and federation. Source: `kubernetes/pkg/apis/{core,coordination}/validation`,
//! `federation/apis/federation/validation`.

use std::collections::HashSet;

use serde_json::{Value as Json, json};

use super::peek::{entries, field, flag, given, list, map, number, text};
use super::{formats, immutable, metadata, non_negative, one_of};
use crate::names;
use crate::status::field::{Faults, Path};

const FROZEN: &str = "field is immutable when `immutable` is set";

// --- ConfigMaps and Secrets ---

/// ConfigMaps.
pub(super) fn config_map(object: &Json, old: Option<&Json>, faults: &mut Faults) {
    for kind in ["data", "binaryData"] {
        let path = Path::ROOT.child(kind);
        for (key, _) in entries(object, kind) {
            names::config_key(key).iter().for_each(|fault| faults.invalid_text(&path.key(key), key, fault));
            if kind == "data" && field(object, "binaryData").get(key).is_some() {
                faults.invalid_text(&path.key(key), key, "duplicate of key present in binaryData");
            }
        }
    }
    size(object, &["data", "binaryData"], &Path::ROOT, faults);
    if let Some(old) = old {
        frozen(object, old, &["data", "binaryData"], faults);
    }
}

/// Secrets.
pub(super) fn secret(object: &Json, old: Option<&Json>, faults: &mut Faults) {
    let path = Path::ROOT.child("data");
    for (key, _) in entries(object, "data") {
        names::config_key(key).iter().for_each(|fault| faults.invalid_text(&path.key(key), key, fault));
    }
    size(object, &["data"], &path, faults);
    let needed: &[&str] = match text(object, "type") {
        "kubernetes.io/tls" => &["tls.crt", "tls.key"],
        "kubernetes.io/dockerconfigjson" => &[".dockerconfigjson"],
        "kubernetes.io/dockercfg" => &[".dockercfg"],
        "kubernetes.io/ssh-auth" => &["ssh-privatekey"],
        "kubernetes.io/basic-auth" => &["username", "password"],
        _ => &[],
    };
    let has = |key: &str| field(object, "data").get(key).is_some();
    let either = needed.contains(&"username") && needed.iter().any(|key| has(key));
    for key in needed.iter().filter(|key| !either && !has(key)) {
        faults.required(&path.key(key), "");
    }
    if let Some(old) = old {
        immutable(object, old, "type", &Path::ROOT, faults);
        frozen(object, old, &["data"], faults);
    }
}

/// At most 1 MiB of values.
fn size(object: &Json, kinds: &[&str], path: &Path<'_>, faults: &mut Faults) {
    let length = |kind: &str, value: &Json| {
        let written = value.as_str().map_or(0, str::len);
        if kind == "data" && kinds.len() > 1 { written } else { written / 4 * 3 }
    };
    let total: usize = kinds.iter().flat_map(|kind| entries(object, kind).map(move |(_, value)| length(kind, value))).sum();
    if total > 1 << 20 {
        // Upstream's path has a name that is empty.
        faults.too_long(&path.child("[]"), 1 << 20);
    }
}

fn frozen(object: &Json, old: &Json, fields: &[&str], faults: &mut Faults) {
    if !flag(old, "immutable") {
        return;
    }
    if !flag(object, "immutable") {
        faults.forbidden(&Path::ROOT.child("immutable"), FROZEN);
    }
    for name in fields.iter().filter(|name| field(object, name) != field(old, name)) {
        faults.forbidden(&Path::ROOT.child(name), FROZEN);
    }
}

// --- Services ---

/// Services.
pub(super) fn service(spec: &Json, path: &Path<'_>, faults: &mut Faults) {
    let (kind, at) = (text(spec, "type"), path.child("ports"));
    let headless = text(spec, "clusterIP") == "None";
    if list(spec, "ports").is_empty() && !headless && kind != "ExternalName" {
        faults.required(&at, "");
    }
    if kind == "ExternalName" && text(spec, "externalName").is_empty() {
        faults.required(&path.child("externalName"), "");
    }
    let (mut seen, mut taken) = (HashSet::new(), HashSet::new());
    let several = list(spec, "ports").len() > 1;
    for (index, port) in list(spec, "ports").iter().enumerate() {
        let path = at.index(index);
        service_port(port, several, &path, faults);
        let name = text(port, "name");
        if !name.is_empty() && !seen.insert(name) {
            faults.duplicate(&path.child("name"), &name.into());
        }
        if !taken.insert((text(port, "protocol"), number(port, "port"))) {
            duplicate_port(port, &path, faults);
        }
    }
    if let Some(labels) = map(spec, "selector") {
        metadata::labels(labels, &path.child("selector"), faults);
    }
    one_of(spec, "sessionAffinity", &["ClientIP", "None"], path, faults);
    one_of(spec, "type", &["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"], path, faults);
}

/// Upstream shows its internal type.
fn duplicate_port(port: &Json, path: &Path<'_>, faults: &mut Faults) {
    let shown = format!(
        "Duplicate value: {{\"Name\":\"\",\"Protocol\":{},\"AppProtocol\":null,\"Port\":{},\"TargetPort\":0,\"NodePort\":0}}",
        field(port, "protocol"),
        field(port, "port")
    );
    faults.worded(crate::status::field::FieldReason::Duplicate, path, shown);
}

fn service_port(port: &Json, several: bool, path: &Path<'_>, faults: &mut Faults) {
    let (name, at) = (text(port, "name"), path.child("name"));
    match name.is_empty() {
        true if several => faults.required(&at, ""),
        true => {}
        false => names::dns_label(name).iter().for_each(|fault| faults.invalid_text(&at, name, fault)),
    }
    super::port_number(number(port, "port").unwrap_or_default(), &path.child("port"), faults);
    one_of(port, "protocol", &["SCTP", "TCP", "UDP"], path, faults);
    let target = path.child("targetPort");
    match field(port, "targetPort") {
        Json::String(text) => {
            names::port_name(text).iter().for_each(|fault| faults.invalid_text(&target, text, fault));
        }
        value => super::port_number(value.as_i64().unwrap_or_default(), &target, faults),
    }
}

// --- Namespaces, Events, Leases ---

/// Namespaces: finalizers with a name of their own.
pub(super) fn namespace(object: &Json, faults: &mut Faults) {
    let spec = Path::ROOT.child("spec");
    let path = spec.child("finalizers");
    for (index, finalizer) in list(field(object, "spec"), "finalizers").iter().enumerate() {
        metadata::known_finalizer(finalizer.as_str().unwrap_or_default(), &path.index(index), faults);
    }
}

/// Events of core: beside the object that they are about.
pub(super) fn event(object: &Json, faults: &mut Faults) {
    let involved = Path::ROOT.child("involvedObject");
    let (here, there) = (text(field(object, "metadata"), "namespace"), text(field(object, "involvedObject"), "namespace"));
    let fits = here == there || (there.is_empty() && here == "default");
    if !fits {
        faults.invalid_text(&involved.child("namespace"), there, "does not match event.namespace");
    }
}

/// Events of events.k8s.io: newer, hence stricter.
pub(super) fn new_event(object: &Json, old: Option<&Json>, faults: &mut Faults) {
    if !given(object, "eventTime") {
        faults.required(&Path::ROOT.child("eventTime"), "");
    }
    if old.is_none() && given(object, "eventTime") {
        for name in ["reportingController", "reportingInstance", "action", "reason"] {
            if text(object, name).is_empty() {
                faults.required(&Path::ROOT.child(name), "");
            }
        }
    }
    let kind = text(object, "type");
    if !matches!(kind, "Normal" | "Warning") {
        faults.invalid_text(&Path::ROOT.child("type"), "", &format!("has invalid value: {kind}"));
    }
    if given(object, "eventTime") {
        let there = text(field(object, "regarding"), "namespace");
        let here = text(field(object, "metadata"), "namespace");
        let fits = here == there || (there.is_empty() && here == "default");
        if !fits {
            let regarding = Path::ROOT.child("regarding");
            faults.invalid_text(&regarding.child("namespace"), there, "does not match event.namespace");
        }
    }
}

/// Leases.
pub(super) fn lease(spec: &Json, path: &Path<'_>, faults: &mut Faults) {
    if number(spec, "leaseDurationSeconds").is_some_and(|seconds| seconds <= 0) {
        let seconds = field(spec, "leaseDurationSeconds");
        faults.invalid(&path.child("leaseDurationSeconds"), seconds, "must be greater than 0");
    }
    non_negative(spec, &["leaseTransitions"], path, faults);
}

// --- Federation ---

/// Clusters: reached somewhere, from a known range of clients.
pub(super) fn cluster(spec: &Json, path: &Path<'_>, faults: &mut Faults) {
    let at = path.child("serverAddressByClientCIDRs");
    let addresses = list(spec, "serverAddressByClientCIDRs");
    if addresses.is_empty() {
        faults.required(&at, "");
    }
    for (index, address) in addresses.iter().enumerate() {
        let (path, range) = (at.index(index), text(address, "clientCIDR"));
        if !formats::is_cidr(range) {
            faults.invalid(&path.child("clientCIDR"), &json!(range), "must be a valid CIDR");
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::resources::{FieldValidation, Registry};
    use serde_json::json;

    #[test]
    fn clusters_need_an_address_that_clients_can_use() {
        let row = Registry::built_in().unwrap().find("federation", "v1beta1", "clusters").unwrap();
        let faults = |addresses| {
            let mut cluster = json!({
                "apiVersion": "federation/v1beta1", "kind": "Cluster", "metadata": {"name": "eu"},
                "spec": {"serverAddressByClientCIDRs": addresses}, "status": {"region": "x"}
            });
            row.prepare(&mut cluster, FieldValidation::Strict).unwrap();
            row.before_create(&mut cluster);
            assert_eq!(cluster["status"], json!({}));
            let faults = row.validate(&cluster, None).err().unwrap_or_default();
            faults.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert!(faults(json!([{"clientCIDR": "0.0.0.0/0", "serverAddress": "https://1.2.3.4"}])).is_empty());
        assert_eq!(faults(json!([])), ["spec.serverAddressByClientCIDRs: Required value"]);
        let bad = faults(json!([{"clientCIDR": "1.2.3.4/64"}]));
        assert_eq!(bad, [r#"spec.serverAddressByClientCIDRs[0].clientCIDR: Invalid value: "1.2.3.4/64": must be a valid CIDR"#]);
    }
}
