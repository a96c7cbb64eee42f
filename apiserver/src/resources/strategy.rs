//! What the server owns of an object, and sets whatever the client sent. Source: the `strategy.go` of each registry in
//! `kubernetes/pkg/registry`.

use serde_json::{Map, Value as Json, json};

use super::crd;
use super::resource::Resource;
use crate::quantity;

const GENERATION: &str = "deprecated.daemonset.template.generation";

impl Resource {
    /// Before an object is created, with its uid set: no status but the first one.
    pub fn before_create(&self, object: &mut Json) {
        let keeps_status = &*self.collection == "core/nodes";
        if self.subresources.status && !keeps_status {
            remove(object, "status");
        }
        match &*self.collection {
            "core/namespaces" => namespace(object),
            "core/pods" => pod(object),
            "core/services" => service(object),
            "batch/jobs" => job(object),
            "apps/daemonsets" => annotate(object, GENERATION, "1"),
            _ => {}
        }
        self.finish(object);
        if &*self.collection == crd::COLLECTION {
            crd::names::initialize(object);
        }
    }

    /// Before an object is replaced: its status stays.
    pub fn before_update(&self, object: &mut Json, old: &Json) {
        if self.subresources.status {
            keep(object, old, "status");
        }
        match &*self.collection {
            "core/namespaces" => keep(object, old, "spec"),
            "core/services" => service(object),
            crd::COLLECTION => crd::names::store_version(object),
            "apps/daemonsets" => {
                let before = old.pointer("/metadata/annotations").and_then(|all| all.get(GENERATION));
                let before: u64 = before.and_then(Json::as_str).and_then(|text| text.parse().ok()).unwrap_or(1);
                let changed = object.pointer("/spec/template") != old.pointer("/spec/template");
                annotate(object, GENERATION, &(before + u64::from(changed)).to_string());
            }
            _ => {}
        }
        self.finish(object);
    }

    /// Before a status is replaced: nothing else changes.
    pub fn before_status_update(&self, object: &mut Json, old: &Json) {
        if self.custom {
            let status = object.get("status").cloned();
            let managed = object.pointer("/metadata/managedFields").cloned();
            *object = old.clone();
            replace(object, "status", status);
            if let Some(metadata) = object.get_mut("metadata") {
                replace(metadata, "managedFields", managed);
            }
            return;
        }
        keep(object, old, "spec");
        if &*self.collection == "apps/deployments" {
            let labels = old.pointer("/metadata/labels").cloned();
            if let Some(metadata) = object.get_mut("metadata") {
                replace(metadata, "labels", labels);
            }
        }
        self.finish(object);
    }

    /// Before the finalizers of a namespace are replaced: its status stays.
    pub fn before_finalize(&self, object: &mut Json, old: &Json) {
        keep(object, old, "status");
        self.finish(object);
    }

    fn finish(&self, object: &mut Json) {
        if !self.custom {
            self.complete(object);
        }
    }
}

fn remove(object: &mut Json, name: &str) {
    if let Some(fields) = object.as_object_mut() {
        fields.remove(name);
    }
}

fn keep(object: &mut Json, old: &Json, name: &str) {
    replace(object, name, old.get(name).cloned());
}

fn replace(object: &mut Json, name: &str, value: Option<Json>) {
    if let Some(fields) = object.as_object_mut() {
        match value {
            Some(value) => fields.insert(name.to_owned(), value),
            None => fields.remove(name),
        };
    }
}

/// The map at a path of fields, made where it is not there.
fn map_at<'a>(object: &'a mut Json, path: &[&str]) -> Option<&'a mut Map<String, Json>> {
    let mut at = object;
    for name in path {
        let next = at.as_object_mut()?.entry(*name).or_insert_with(|| json!({}));
        if next.is_null() {
            *next = json!({});
        }
        at = next;
    }
    at.as_object_mut()
}

fn annotate(object: &mut Json, name: &str, value: &str) {
    if let Some(annotations) = map_at(object, &["metadata", "annotations"]) {
        annotations.insert(name.to_owned(), value.into());
    }
}

fn namespace(object: &mut Json) {
    let Some(spec) = map_at(object, &["spec"]) else { return };
    let finalizers = spec.entry("finalizers").or_insert_with(|| json!([]));
    if let Some(finalizers) = finalizers.as_array_mut()
        && !finalizers.iter().any(|name| name == "kubernetes")
    {
        finalizers.push("kubernetes".into());
    }
}

/// The list of addresses begins with the address that was asked for, such as `None`. None is given out here.
fn service(object: &mut Json) {
    let Some(spec) = map_at(object, &["spec"]) else { return };
    let address = spec.get("clusterIP").and_then(Json::as_str).unwrap_or_default().to_owned();
    if !address.is_empty() {
        spec.entry("clusterIPs").or_insert_with(|| json!([address]));
    }
}

/// What the strategy, the Priority and the DefaultTolerationSeconds plugins put.
fn pod(object: &mut Json) {
    let class = quality(object);
    replace(object, "status", Some(json!({"phase": "Pending", "qosClass": class})));
    let Some(spec) = map_at(object, &["spec"]) else { return };
    spec.entry("priority").or_insert_with(|| json!(0));
    spec.entry("preemptionPolicy").or_insert_with(|| json!("PreemptLowerPriority"));
    let tolerations = spec.entry("tolerations").or_insert_with(|| json!([]));
    for key in ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"] {
        let Some(tolerations) = tolerations.as_array_mut() else { return };
        let known = tolerations.iter().any(|one| {
            let effect = one.get("effect").and_then(Json::as_str).unwrap_or_default();
            let named = one.get("key").and_then(Json::as_str).unwrap_or_default();
            (named == key || named.is_empty()) && (effect == "NoExecute" || effect.is_empty())
        });
        if !known {
            tolerations.push(json!({"effect": "NoExecute", "key": key, "operator": "Exists", "tolerationSeconds": 300}));
        }
    }
}

/// Guaranteed: every container has limits of both, and asks for them. BestEffort: nobody asks for anything.
fn quality(object: &Json) -> &'static str {
    let lists = ["/spec/containers", "/spec/initContainers"];
    let containers = lists.iter().filter_map(|list| object.pointer(list)?.as_array()).flatten();
    let (mut any, mut all) = (false, true);
    for container in containers {
        for name in ["cpu", "memory"] {
            let amount = |kind: &str| {
                let value = container.pointer(&format!("/resources/{kind}/{name}"))?;
                quantity::parse(value).filter(|amount| amount.nanos != 0)
            };
            let (limit, request) = (amount("limits"), amount("requests"));
            any |= limit.is_some() || request.is_some();
            all &= limit.is_some() && (request.is_none() || request == limit);
        }
    }
    match (any, all) {
        (false, _) => "BestEffort",
        (true, true) => "Guaranteed",
        (true, false) => "Burstable",
    }
}

/// A Job selects its pods by its own uid, unless it says otherwise.
fn job(object: &mut Json) {
    let manual = object.pointer("/spec/manualSelector") == Some(&Json::Bool(true));
    let text = |path: &str| object.pointer(path).and_then(Json::as_str).map(str::to_owned);
    let (Some(uid), Some(name), false) = (text("/metadata/uid"), text("/metadata/name"), manual) else { return };
    let selected = json!({"batch.kubernetes.io/controller-uid": uid});
    if let Some(labels) = map_at(object, &["spec", "template", "metadata", "labels"]) {
        for (key, value) in [("controller-uid", &uid), ("job-name", &name)] {
            labels.entry(key).or_insert_with(|| value.as_str().into());
            labels.entry(format!("batch.kubernetes.io/{key}")).or_insert_with(|| value.as_str().into());
        }
    }
    if let Some(labels) = map_at(object, &["spec", "selector", "matchLabels"]) {
        labels.extend(selected.as_object().cloned().unwrap_or_default());
    }
}
