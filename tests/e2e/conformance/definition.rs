//! A kind of the behaviour's own, by a CustomResourceDefinition.

use reqwest::Method;
use serde_json::{Value as Json, json};

use super::world::{World, accepted};
use crate::e2e::support::eventually::eventually;

/// A kind of the behaviour's own.
pub(super) struct Definition {
    pub(super) group: String,
    pub(super) plural: String,
    kind: String,
    namespace: String,
}

/// A schema that keeps whatever is written.
pub(super) fn anything() -> Json {
    json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true})
}

impl Definition {
    pub(super) const COLLECTION: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

    /// The first version is the one that is stored; every version has the schema, or takes anything.
    pub(super) fn written(world: &World, versions: &[&str], schema: Option<Json>) -> Json {
        let Self { group, plural, kind, .. } = Self::named(world);
        let schema = schema.unwrap_or_else(anything);
        let version =
            |(at, name)| json!({"name": name, "storage": at == 0, "served": true, "schema": {"openAPIV3Schema": schema}});
        let versions: Vec<Json> = versions.iter().enumerate().map(version).collect();
        let names = json!({"plural": plural, "singular": kind, "kind": kind, "listKind": format!("{kind}List")});
        json!({
            "metadata": {"name": format!("{plural}.{group}")},
            "spec": {"group": group, "scope": "Namespaced", "names": names, "versions": versions},
        })
    }

    fn named(world: &World) -> Self {
        let kind = format!("e2e-test-{}-crd", world.name);
        let (group, plural) = (format!("{}.example.com", world.name), format!("{kind}s"));
        Self { group, plural, kind, namespace: world.namespace.clone() }
    }

    /// Defined and served.
    pub(super) fn of(world: &World, versions: &[&str], schema: Option<Json>) -> Self {
        accepted(world.send(Method::POST, Self::COLLECTION, &Self::written(world, versions, schema)));
        let kind = Self::named(world);
        for version in versions {
            eventually("the kind is served", || {
                let answer = world.get(&kind.path(version, ""));
                if answer.accepted() { Ok(()) } else { Err(answer) }
            });
        }
        kind
    }

    pub(super) fn object(&self, version: &str, name: &str, data: &Json) -> Json {
        let api_version = format!("{}/{version}", self.group);
        json!({"apiVersion": api_version, "kind": self.kind, "metadata": {"name": name}, "data": data})
    }

    /// Of an object, or of all.
    pub(super) fn path(&self, version: &str, name: &str) -> String {
        let name = if name.is_empty() { String::new() } else { format!("/{name}") };
        format!("/apis/{}/{version}/namespaces/{}/{}{name}", self.group, self.namespace, self.plural)
    }

    pub(super) fn delete(&self, world: &World) {
        accepted(world.delete(&format!("{}/{}.{}", Self::COLLECTION, self.plural, self.group)));
    }
}
