//! Where a behaviour is tried, on which server it hides.

use std::fmt::Debug;

use reqwest::Method;
use serde_json::{Value as Json, json};

use super::judge::judge;
use crate::e2e::support::api::{Answer, Api, Request};
use crate::e2e::support::eventually::eventually;
use crate::e2e::support::fixtures::unique;
use crate::e2e::support::hook::Hook;
use crate::e2e::support::kubectl::Kubectl;
use crate::e2e::support::server::{Server, Started};

/// Of the Service in front of the hook.
pub(super) const SERVICE: &str = "e2e-test-webhook";
pub(super) const CONFIG_MAPS: &str = "configmaps";

const NAMESPACES: &str = "/api/v1/namespaces";

/// Namespaces, a hook, and a way to the API server for one behaviour.
pub(super) struct World {
    on: Server,
    /// Label of what its webhooks are for, and the name of its configuration.
    pub(super) name: String,
    pub(super) namespace: String,
    /// A namespace for objects that show whether a configuration is in force.
    pub(super) markers: String,
    pub(super) kubectl: Kubectl,
    pub(super) hook: Hook,
    api: Api,
}

impl World {
    /// `kubectl` is the administrator's.
    pub(super) fn new(on: Server, started: &Started, kubectl: Kubectl) -> Self {
        let name = unique("conformance");
        let (namespace, markers) = (name.clone(), format!("{name}-markers"));
        let hook = Hook::start(&format!("{SERVICE}.{namespace}.svc"), judge);
        let world = Self { on, name, namespace, markers, kubectl, hook, api: started.api() };
        world.create_namespace(&world.namespace, &[&world.name]);
        world.create_namespace(&world.markers, &[&world.markers]);
        let spec = json!({"type": "ExternalName", "externalName": "localhost"});
        accepted(world.create("services", &json!({"metadata": {"name": SERVICE}, "spec": spec})));
        world
    }

    /// With the value `true` for each label.
    pub(super) fn create_namespace(&self, name: &str, labels: &[&str]) {
        let labels: Json =
            labels.iter().map(|label| ((*label).to_owned(), "true".into())).collect::<serde_json::Map<_, _>>().into();
        accepted(self.send(Method::POST, NAMESPACES, &json!({"metadata": {"name": name, "labels": labels}})));
    }

    /// Any request.
    pub(super) fn send(&self, method: Method, path: &str, body: &Json) -> Answer {
        self.api.call(&request(method, path, body))
    }

    /// A JSON patch.
    pub(super) fn patch(&self, path: &str, operations: &Json) -> Answer {
        self.patch_as("application/json-patch+json", path, operations)
    }

    /// A strategic merge patch.
    pub(super) fn merge(&self, path: &str, patch: &Json) -> Answer {
        self.patch_as("application/strategic-merge-patch+json", path, patch)
    }

    fn patch_as(&self, content_type: &'static str, path: &str, body: &Json) -> Answer {
        self.api.call(&Request { content_type, ..request(Method::PATCH, path, body) })
    }

    pub(super) fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, path, &Json::Null)
    }

    pub(super) fn delete(&self, path: &str) -> Answer {
        self.send(Method::DELETE, path, &Json::Null)
    }

    /// Creates a core object in the behaviour's namespace.
    pub(super) fn create(&self, resource: &str, object: &Json) -> Answer {
        self.send(Method::POST, &self.path(resource, ""), object)
    }

    /// Of a core object in the behaviour's namespace, or of all.
    pub(super) fn path(&self, resource: &str, name: &str) -> String {
        path_in(&self.namespace, resource, name)
    }

    /// Waits until a configuration that was written is in force: upstream's servers read configurations from a cache. The embedded one
    /// promises that it is with the answer to the write, so what it does at once is what counts.
    #[track_caller]
    pub(super) fn in_force<T, E: Debug>(&self, what: &str, mut condition: impl FnMut() -> Result<T, E>) -> T {
        match self.on {
            Server::Real => eventually(what, condition),
            Server::Embedded => condition().unwrap_or_else(|seen| panic!("not at once: {what}; seen: {seen:#?}")),
        }
    }
}

/// Of a core object in a namespace, or of all.
pub(super) fn path_in(namespace: &str, resource: &str, name: &str) -> String {
    let name = if name.is_empty() { String::new() } else { format!("/{name}") };
    format!("{NAMESPACES}/{namespace}/{resource}{name}")
}

pub(super) fn request(method: Method, path: &str, body: &Json) -> Request {
    Request { method, path: path.into(), content_type: "application/json", body: body.clone() }
}

pub(super) fn config_map(name: &str, data: &Json) -> Json {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data})
}

/// Nobody pulls its image.
pub(super) fn pod(name: &str, container: &str) -> Json {
    json!({"metadata": {"name": name}, "spec": {"containers": [{"name": container, "image": "registry.k8s.io/pause:3.10"}]}})
}

/// Fails unless the request was accepted; what came back.
#[track_caller]
pub(super) fn accepted(answer: Answer) -> Json {
    assert!(answer.accepted(), "{answer:?}");
    answer.body
}

/// Fails unless the request was refused with all of these words.
#[track_caller]
pub(super) fn refused(answer: &Answer, words: &[&str]) {
    assert!(!answer.accepted() && words.iter().all(|word| answer.message().contains(word)), "not {words:?}: {answer:?}");
}
