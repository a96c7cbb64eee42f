//! What the tests of admission are made of.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value as Json;

use super::metrics::Metrics;
use super::{Attributes, InForce, Operation, Reinvocation};
use crate::authn::User;
use crate::resources::schema::Schema;
use crate::resources::{Resource, Scope, Subresources};
use crate::storage::{Change, Expect, Key, Options, Store, Write};

/// A namespaced resource without a schema.
pub(crate) fn resource(group: &str, version: &str, kind: &str, plural: &str) -> Resource {
    let collection = if group.is_empty() { format!("core/{plural}") } else { format!("{group}/{plural}") };
    Resource {
        group: group.into(),
        version: version.into(),
        kind: kind.into(),
        list_kind: format!("{kind}List"),
        plural: plural.into(),
        singular: kind.to_lowercase(),
        short_names: Vec::new(),
        categories: Vec::new(),
        scope: Scope::Namespaced,
        subresources: Subresources::default(),
        collection: collection.into(),
        stored_as: if group.is_empty() { version.into() } else { format!("{group}/{version}") },
        schema: Arc::new(Schema::default()),
        columns: Vec::new(),
        custom: false,
        counts_generation: true,
        verbs: Vec::new(),
        selectable_fields: Vec::new(),
    }
}

/// A write to ReplicaSets in namespace `shop`, due in ten seconds.
pub(crate) fn attributes(operation: Operation, object: Json) -> Attributes {
    let name = object.pointer("/metadata/name").and_then(Json::as_str).unwrap_or_default().to_owned();
    Attributes {
        operation,
        registry: Arc::default(),
        options: Json::Null,
        configuration: InForce::default(),
        reinvocation: Reinvocation::default(),
        reveals: false,
        resource: Arc::new(resource("apps", "v1", "ReplicaSet", "replicasets")),
        subresource: String::new(),
        namespace: "shop".into(),
        name,
        object: Some(object),
        old: None,
        user: User::default(),
        dry_run: false,
        deadline: Instant::now() + Duration::from_secs(10),
        warnings: RefCell::default(),
        trail: Default::default(),
    }
}

/// Of nobody else.
pub(crate) fn metrics() -> Metrics {
    Metrics::register(&prometheus::Registry::new()).unwrap()
}

/// An empty store in memory.
pub(crate) fn store() -> Store {
    Store::open(Options::default()).unwrap()
}

/// Stores a new object.
pub(crate) async fn put(store: &Store, collection: &str, object: Json) {
    let part = |pointer| object.pointer(pointer).and_then(Json::as_str).unwrap_or_default().into();
    let key = Key { collection: collection.into(), namespace: part("/metadata/namespace"), name: part("/metadata/name") };
    store.write(Write { key, expect: Expect::Absent, change: Change::Put(object) }).await.unwrap();
}
