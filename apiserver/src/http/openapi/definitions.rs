//! The named schemas that a document needs: those that its resources use, and those that these use.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value as Json, json};

use super::Named;
use super::operations::Path;
use super::schema::{self, Dialect, Names, Style};
use crate::resources::{Resource, Schema};

pub(super) const OBJECT_META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
pub(super) const LIST_META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta";
pub(super) const STATUS: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.Status";
pub(super) const DELETE_OPTIONS: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions";
pub(super) const PATCH: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.Patch";
pub(super) const SCALE: &str = "io.k8s.api.autoscaling.v1.Scale";

/// What upstream says of the fields that every custom resource has.
const API_VERSION: &str = "APIVersion defines the versioned schema of this representation of an object. Servers should convert \
    recognized schemas to the latest internal value, and may reject unrecognized values. More info: \
    https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#resources";
const KIND: &str = "Kind is a string value representing the REST resource this object represents. Servers may infer this from the \
    endpoint the client submits requests to. Cannot be updated. In CamelCase. More info: \
    https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds";
const METADATA: &str = "Standard object's metadata. More info: \
    https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";

/// The name of the definition of a resource's objects; `com.example.v1.Widget` where the schema says none.
pub(super) fn name(resource: &Resource) -> String {
    resource.schema.definition.clone().unwrap_or_else(|| {
        let reversed: Vec<&str> = resource.group.rsplit('.').collect();
        format!("{}.{}.{}", reversed.join("."), resource.version, resource.kind)
    })
}

/// The name of the definition of a resource's lists.
pub(super) fn list_name(resource: &Resource) -> String {
    let name = name(resource);
    let package = name.rsplit_once('.').map_or("", |(package, _)| package);
    format!("{package}.{}", resource.list_kind)
}

/// All definitions of a document about `resources` and their `paths`, by name.
pub(super) fn collect(resources: &[&Resource], paths: &[Path], named: &Named, dialect: Dialect) -> Map<String, Json> {
    let mut collected = Collected { named, waiting: Vec::new(), seen: BTreeSet::new() };
    let mut definitions: BTreeMap<String, Json> = BTreeMap::new();
    for resource in resources {
        let object = root(resource, dialect, &mut collected);
        add(&mut definitions, name(resource), object, resource, &resource.kind);
        if resource.is_stored() {
            add(&mut definitions, list_name(resource), list(resource, dialect), resource, &resource.list_kind);
        }
    }
    let operations = paths.iter().flat_map(|path| &path.operations);
    let bodies = operations.clone().filter_map(|operation| operation.body.as_ref()).map(|(name, _)| name);
    for name in operations.map(|operation| &operation.answer).chain(bodies).map(String::as_str).chain([OBJECT_META, LIST_META]) {
        collected.need(name);
    }
    while let Some((name, schema)) = collected.waiting.pop() {
        let mut body = schema::body(schema, Style { dialect, custom: false }, &mut collected);
        if name == SCALE {
            body.insert(KINDS.into(), json!([{ "group": "autoscaling", "version": "v1", "kind": "Scale" }]));
        }
        definitions.entry(name.to_owned()).or_insert(Json::Object(body));
    }
    definitions.into_iter().collect()
}

const KINDS: &str = "x-kubernetes-group-version-kind";

/// Adds a definition, or, where two resources share one, the second's kind to it.
fn add(definitions: &mut BTreeMap<String, Json>, name: String, body: Map<String, Json>, resource: &Resource, kind: &str) {
    let kind = json!({ "group": resource.group, "version": resource.version, "kind": kind });
    let definition = definitions.entry(name).or_insert(Json::Object(body));
    if let Some(fields) = definition.as_object_mut() {
        match fields.get_mut(KINDS).and_then(Json::as_array_mut) {
            Some(kinds) => kinds.push(kind),
            None => {
                fields.insert(KINDS.into(), json!([kind]));
            }
        }
    }
}

struct Collected<'a> {
    named: &'a Named,
    waiting: Vec<(&'a str, &'a Schema)>,
    seen: BTreeSet<&'a str>,
}

impl<'a> Collected<'a> {
    /// One of the built-in types. The resources' own were added before.
    fn need(&mut self, name: &str) {
        if let Some((name, schema)) = self.named.get_key_value(name) {
            self.refer(name, schema);
        }
    }
}

impl<'a> Names<'a> for Collected<'a> {
    /// A place may have changed its copy (a default of its own); the definition is the unchanged one.
    fn refer(&mut self, name: &'a str, schema: &'a Schema) {
        if self.seen.insert(name) {
            self.waiting.push((name, self.named.get(name).map_or(schema, AsRef::as_ref)));
        }
    }
}

/// The objects of a resource.
fn root<'a>(resource: &'a Resource, dialect: Dialect, names: &mut Collected<'a>) -> Map<String, Json> {
    let style = Style { dialect, custom: resource.custom };
    // kubectl before 1.24 takes a list of fields as complete.
    if resource.custom && dialect == Dialect::V2 && resource.schema.preserve_unknown {
        return Map::from_iter([("type".to_owned(), "object".into())]);
    }
    let mut body = schema::body(&resource.schema, style, names);
    if resource.custom {
        body.insert("type".into(), "object".into());
        let properties = body.entry("properties").or_insert_with(|| json!({}));
        if let Some(properties) = properties.as_object_mut() {
            properties.extend(type_meta());
            properties.insert("metadata".into(), described(dialect.reference(OBJECT_META), dialect));
        }
    }
    body
}

fn described(reference: Json, dialect: Dialect) -> Json {
    match dialect {
        Dialect::V2 => {
            let mut site = reference;
            if let Some(fields) = site.as_object_mut() {
                fields.insert("description".into(), METADATA.into());
            }
            site
        }
        Dialect::V3 => json!({ "description": METADATA, "allOf": [reference] }),
    }
}

fn type_meta() -> [(String, Json); 2] {
    [("apiVersion", API_VERSION), ("kind", KIND)]
        .map(|(name, description)| (name.to_owned(), json!({ "type": "string", "description": description })))
}

/// The lists of a resource.
fn list(resource: &Resource, dialect: Dialect) -> Map<String, Json> {
    let text = json!({ "type": "string" });
    let list = json!({
        "type": "object",
        "required": ["items"],
        "properties": {
            "apiVersion": text,
            "kind": text,
            "metadata": dialect.reference(LIST_META),
            "items": { "type": "array", "items": dialect.reference(&name(resource)) },
        },
    });
    list.as_object().cloned().unwrap_or_default()
}
