//! Reads a schema from JSON: OpenAPI v3 as kube-apiserver publishes it (reduced), or a CustomResourceDefinition's. What
//! is not there, or not of the right type, is as if absent: the structural check of a CustomResourceDefinition has spoken
//! before, and the embedded definitions are tested.

use std::sync::Arc;

use serde_json::{Map, Value as Json};

use super::{Compiled, Kind, ListType, Rules, Schema};

/// Finds what a `$ref` names.
pub trait Resolve {
    /// The schema of a definition, or a placeholder for one that is being read right now.
    fn resolve(&mut self, name: &str) -> Arc<Schema>;
}

/// A CustomResourceDefinition may not refer.
pub struct NoReferences;

impl Resolve for NoReferences {
    fn resolve(&mut self, _name: &str) -> Arc<Schema> {
        Arc::default()
    }
}

/// The schema that `json` describes.
pub fn parse(json: &Json, references: &mut dyn Resolve) -> Arc<Schema> {
    let Some(object) = json.as_object() else { return Arc::default() };
    match text(object, "$ref") {
        Some(name) => referred(object, &references.resolve(&name)),
        None => Arc::new(read(object, references)),
    }
}

/// A reference may carry a default of its own.
fn referred(object: &Map<String, Json>, target: &Arc<Schema>) -> Arc<Schema> {
    if ["default", "x-go-null", "x-kubernetes-patch-strategy"].iter().all(|key| !object.contains_key(*key)) {
        return target.clone();
    }
    let mut schema = Schema::clone(target);
    schema.default = object.get("default").cloned();
    schema.assumed = null(object);
    patch(&mut schema, object);
    Arc::new(schema)
}

fn read(object: &Map<String, Json>, references: &mut dyn Resolve) -> Schema {
    let mut schema = Schema {
        kind: text(object, "type").as_deref().and_then(kind),
        properties: properties(object, references),
        values: inner(object, "additionalProperties", references),
        items: inner(object, "items", references),
        required: texts(object, "required"),
        nullable: flag(object, "nullable"),
        default: object.get("default").cloned(),
        assumed: null(object),
        rules: rules(object, references),
        preserve_unknown: flag(object, "x-kubernetes-preserve-unknown-fields"),
        int_or_string: flag(object, "x-kubernetes-int-or-string")
            || object.get("format").is_some_and(|format| format == "int-or-string"),
        embedded_resource: flag(object, "x-kubernetes-embedded-resource"),
        list: list(object),
        atomic_map: object.get("x-kubernetes-map-type").is_some_and(|kind| kind == "atomic"),
        plain: flag(object, "x-go-plain"),
        description: text(object, "description"),
        ..Schema::default()
    };
    patch(&mut schema, object);
    schema
}

fn patch(schema: &mut Schema, object: &Map<String, Json>) {
    let strategy = text(object, "x-kubernetes-patch-strategy").unwrap_or_default();
    if strategy.split(',').any(|word| word == "merge") {
        schema.patch_merge_key = Some(text(object, "x-kubernetes-patch-merge-key").unwrap_or_default());
    }
    schema.retain_keys |= strategy.split(',').any(|word| word == "retainKeys");
}

/// `x-go-null`: written as `null` when nothing is there.
fn null(object: &Map<String, Json>) -> Option<Json> {
    flag(object, "x-go-null").then_some(Json::Null)
}

fn kind(name: &str) -> Option<Kind> {
    Some(match name {
        "object" => Kind::Object,
        "array" => Kind::Array,
        "string" => Kind::String,
        "integer" => Kind::Integer,
        "number" => Kind::Number,
        "boolean" => Kind::Boolean,
        _ => return None,
    })
}

fn properties(object: &Map<String, Json>, references: &mut dyn Resolve) -> std::collections::BTreeMap<String, Arc<Schema>> {
    let fields = object.get("properties").and_then(Json::as_object);
    fields.into_iter().flatten().map(|(name, field)| (name.clone(), parse(field, references))).collect()
}

/// `additionalProperties: true` is a map of anything, `false` is no map.
fn inner(object: &Map<String, Json>, key: &str, references: &mut dyn Resolve) -> Option<Arc<Schema>> {
    match object.get(key)? {
        Json::Bool(true) => Some(Arc::new(Schema { preserve_unknown: true, ..Schema::default() })),
        inner @ Json::Object(_) => Some(parse(inner, references)),
        _ => None,
    }
}

fn list(object: &Map<String, Json>) -> ListType {
    match object.get("x-kubernetes-list-type").and_then(Json::as_str) {
        Some("set") => ListType::Set,
        Some("map") => ListType::Map(texts(object, "x-kubernetes-list-map-keys")),
        _ => ListType::Atomic,
    }
}

fn rules(object: &Map<String, Json>, references: &mut dyn Resolve) -> Rules {
    let mut each = |key: &str| -> Vec<Schema> {
        let members = object.get(key).and_then(Json::as_array);
        members.into_iter().flatten().map(|member| Schema::clone(&parse(member, references))).collect()
    };
    let (all_of, any_of, one_of) = (each("allOf"), each("anyOf"), each("oneOf"));
    Rules {
        format: text(object, "format"),
        pattern: text(object, "pattern"),
        compiled: Compiled::default(),
        enumeration: object.get("enum").and_then(Json::as_array).cloned(),
        minimum: number(object, "minimum"),
        exclusive_minimum: flag(object, "exclusiveMinimum"),
        maximum: number(object, "maximum"),
        exclusive_maximum: flag(object, "exclusiveMaximum"),
        multiple_of: number(object, "multipleOf"),
        min_length: count(object, "minLength"),
        max_length: count(object, "maxLength"),
        min_items: count(object, "minItems"),
        max_items: count(object, "maxItems"),
        unique_items: flag(object, "uniqueItems"),
        min_properties: count(object, "minProperties"),
        max_properties: count(object, "maxProperties"),
        all_of,
        any_of,
        one_of,
        not: object.get("not").map(|inner| Box::new(Schema::clone(&parse(inner, references)))),
    }
}

fn text(object: &Map<String, Json>, key: &str) -> Option<String> {
    object.get(key).and_then(Json::as_str).map(str::to_owned)
}

fn texts(object: &Map<String, Json>, key: &str) -> Vec<String> {
    let members = object.get(key).and_then(Json::as_array);
    members.into_iter().flatten().filter_map(Json::as_str).map(str::to_owned).collect()
}

fn flag(object: &Map<String, Json>, key: &str) -> bool {
    object.get(key) == Some(&Json::Bool(true))
}

fn number(object: &Map<String, Json>, key: &str) -> Option<f64> {
    object.get(key).and_then(Json::as_f64)
}

fn count(object: &Map<String, Json>, key: &str) -> Option<u64> {
    object.get(key).and_then(Json::as_u64)
}
