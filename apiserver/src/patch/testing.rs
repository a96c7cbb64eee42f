//! What the tests of patches share: random values, and schemas by hand.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Map, Value as Json, json};

use crate::resources::Schema;
use crate::resources::schema::{Kind, ListType};

/// Any JSON value, small.
pub(super) fn any_json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        (-3i64..4).prop_map(Json::from),
        prop_oneof![Just(0.0), Just(0.5), Just(-1.0), Just(2.0)].prop_map(Json::from),
        "[a-c$./~-]{0,2}".prop_map(Json::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
            prop::collection::btree_map("[a-d]", inner, 0..4).prop_map(|fields| Json::Object(fields.into_iter().collect())),
        ]
    })
}

/// An object with these fields.
pub(super) fn object(fields: impl IntoIterator<Item = (&'static str, Schema)>) -> Schema {
    let properties = fields.into_iter().map(|(name, schema)| (name.to_owned(), Arc::new(schema))).collect::<BTreeMap<_, _>>();
    Schema { kind: Some(Kind::Object), properties, ..Schema::default() }
}

/// A map of values.
pub(super) fn map(values: Schema) -> Schema {
    Schema { kind: Some(Kind::Object), values: Some(Arc::new(values)), ..Schema::default() }
}

/// A list, merged by `list`; strategic merge patches merge it by the first key.
pub(super) fn list(items: Schema, list: ListType) -> Schema {
    let patch_merge_key = match &list {
        ListType::Atomic => None,
        ListType::Set => Some(String::new()),
        ListType::Map(keys) => keys.first().cloned(),
    };
    Schema { kind: Some(Kind::Array), items: Some(Arc::new(items)), list, patch_merge_key, ..Schema::default() }
}

/// A list of objects by these keys.
pub(super) fn keyed(keys: &[&str], items: Schema) -> Schema {
    list(items, ListType::Map(keys.iter().map(|key| (*key).to_owned()).collect()))
}

/// A scalar.
pub(super) fn scalar(kind: Kind) -> Schema {
    Schema { kind: Some(kind), ..Schema::default() }
}

/// A string.
pub(super) fn text() -> Schema {
    scalar(Kind::String)
}

/// An integer.
pub(super) fn integer() -> Schema {
    scalar(Kind::Integer)
}

/// With a default.
pub(super) fn or(schema: Schema, default: Json) -> Schema {
    Schema { default: Some(default), ..schema }
}

/// As one whole.
pub(super) fn atomic(schema: Schema) -> Schema {
    Schema { atomic_map: true, ..schema }
}

/// The metadata of any object.
pub(super) fn metadata() -> Schema {
    let owner = atomic(object([("uid", text()), ("name", text()), ("kind", text()), ("apiVersion", text())]));
    object([
        ("name", text()),
        ("namespace", text()),
        ("uid", text()),
        ("resourceVersion", text()),
        ("generation", integer()),
        ("creationTimestamp", Schema { kind: Some(Kind::String), ..Schema::default() }),
        ("labels", map(text())),
        ("annotations", map(text())),
        ("finalizers", list(text(), ListType::Set)),
        ("ownerReferences", keyed(&["uid"], owner)),
        ("managedFields", list(Schema::default(), ListType::Atomic)),
    ])
}

/// As one of the types that Go encodes: empty structs are always there.
fn built_in(schema: Schema, name: &str) -> Schema {
    Schema { definition: Some(format!("io.k8s.api.test.v1.{name}")), ..schema }
}

/// With these fields required.
fn requiring(schema: Schema, names: &[&str]) -> Schema {
    Schema { required: names.iter().map(|name| (*name).to_owned()).collect(), ..schema }
}

/// A config map: `data`, and no status.
pub(super) fn config_map() -> Schema {
    let fields = [
        ("apiVersion", text()),
        ("kind", text()),
        ("metadata", or(metadata(), json!({}))),
        ("data", map(text())),
        ("immutable", scalar(Kind::Boolean)),
    ];
    built_in(object(fields), "ConfigMap")
}

/// A small workload: every way in which lists and maps merge.
pub(super) fn workload() -> Schema {
    let strategy = object([("type", text()), ("rollingUpdate", object([("maxSurge", Schema::default())]))]);
    let spec = object([
        ("replicas", integer()),
        ("selector", atomic(object([("matchLabels", map(text()))]))),
        ("strategy", or(built_in(strategy, "Strategy"), json!({}))),
        ("template", or(template(), json!({}))),
        ("paused", scalar(Kind::Boolean)),
    ]);
    let condition = object([("type", text()), ("status", text())]);
    let status = object([("replicas", integer()), ("conditions", keyed(&["type"], condition))]);
    let fields = [
        ("apiVersion", text()),
        ("kind", text()),
        ("metadata", or(metadata(), json!({}))),
        ("spec", or(requiring(built_in(spec, "Spec"), &["selector", "template"]), json!({}))),
        ("status", or(built_in(status, "Status"), json!({}))),
    ];
    built_in(object(fields), "Workload")
}

fn template() -> Schema {
    let pod = object([("containers", keyed(&["name"], container())), ("nodeSelector", atomic(map(text())))]);
    let pod = requiring(built_in(pod, "PodSpec"), &["containers"]);
    built_in(object([("metadata", or(metadata(), json!({}))), ("spec", or(pod, json!({})))]), "PodTemplate")
}

fn container() -> Schema {
    let port =
        object([("name", text()), ("containerPort", integer()), ("protocol", or(text(), json!("TCP"))), ("hostPort", integer())]);
    let fields = [
        ("name", text()),
        ("image", text()),
        ("args", list(text(), ListType::Atomic)),
        ("env", keyed(&["name"], object([("name", text()), ("value", text())]))),
        ("ports", keyed(&["containerPort", "protocol"], port)),
        ("resources", or(built_in(object([("limits", map(Schema::default()))]), "Resources"), json!({}))),
    ];
    built_in(object(fields), "Container")
}

/// An object's managed fields by manager: its `fieldsV1`.
pub(super) fn owned(object: &Json) -> Map<String, Json> {
    let entries = object.pointer("/metadata/managedFields").and_then(Json::as_array).cloned().unwrap_or_default();
    let name = |entry: &Json| match entry["subresource"].as_str() {
        Some(subresource) => {
            format!("{}/{}/{subresource}", entry["manager"].as_str().unwrap(), entry["operation"].as_str().unwrap())
        }
        None => format!("{}/{}", entry["manager"].as_str().unwrap(), entry["operation"].as_str().unwrap()),
    };
    entries.iter().map(|entry| (name(entry), entry["fieldsV1"].clone())).collect()
}
