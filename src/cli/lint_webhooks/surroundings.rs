//! The objects around a hook: its Namespace, its Service, and the workloads that run its pods.

use serde_json::{Map, Value as Json};

use super::source::Configuration;

const NAME_LABEL: &str = "kubernetes.io/metadata.name";

/// All objects that were read, configurations among them.
pub(super) struct Surroundings<'a>(pub(super) &'a [Configuration]);

/// An object that runs the pods behind a Service.
pub(super) struct Workload<'a> {
    pub(super) object: &'a Configuration,
    pub(super) replicas: u64,
    /// Labels of its pods.
    pub(super) labels: Json,
}

impl<'a> Surroundings<'a> {
    /// Returns the labels of a Namespace; at least the one with its name, which the API server sets.
    pub(super) fn labels(&self, namespace: &str) -> Json {
        let is_it = |object: &&Configuration| object.text("/kind") == "Namespace" && object.text("/metadata/name") == namespace;
        let known = self.0.iter().find(is_it).and_then(|object| object.object.pointer("/metadata/labels"));
        let mut labels = known.and_then(Json::as_object).cloned().unwrap_or_else(Map::new);
        labels.insert(NAME_LABEL.to_owned(), namespace.into());
        Json::Object(labels)
    }

    /// Returns the workloads that run the pods of a Service. A manifest without a namespace counts for every namespace.
    pub(super) fn workloads(&self, namespace: &str, service: &str) -> Vec<Workload<'a>> {
        let is_there = |object: &&Configuration| ["", namespace].contains(&object.text("/metadata/namespace"));
        let is_service = |object: &&Configuration| object.text("/kind") == "Service" && object.text("/metadata/name") == service;
        let found = self.0.iter().filter(is_there).find(is_service);
        let Some(selector) = found.and_then(|service| service.object.pointer("/spec/selector")).and_then(Json::as_object) else {
            return Vec::new();
        };
        let candidates = self.0.iter().filter(is_there).filter_map(workload);
        candidates.filter(|workload| selector.iter().all(|(key, value)| workload.labels.get(key) == Some(value))).collect()
    }
}

fn workload(object: &Configuration) -> Option<Workload<'_>> {
    if !["Deployment", "StatefulSet"].contains(&object.text("/kind")) {
        return None;
    }
    let replicas = object.object.pointer("/spec/replicas").and_then(Json::as_u64).unwrap_or(1);
    let labels = object.object.pointer("/spec/template/metadata/labels").cloned().unwrap_or_default();
    Some(Workload { object, replicas, labels })
}
