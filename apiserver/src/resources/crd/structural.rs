//! Whether a schema is structural: every field has its type outside of `allOf`, `anyOf`, `oneOf` and `not`. Source of rules
//! and texts: `apiextensions-apiserver/pkg/apiserver/schema/validation.go` and `pkg/apis/apiextensions/validation`.

use regex::Regex;
use serde_json::{Value as Json, json};

use crate::resources::field::{Faults, Path};
use crate::resources::schema::parse::{NoReferences, parse};
use crate::resources::validate::peek::{entries, field, given, list, map, text};
use crate::resources::validate::value;

const TYPES: [&str; 6] = ["array", "boolean", "integer", "number", "object", "string"];

/// Keywords of JSON Schema that structural schemas have not.
const UNSUPPORTED: [&str; 6] = ["id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"];

/// What a schema under a junctor must not say, and how that is told.
const FORBIDDEN: [(&str, &str); 11] = [
    ("type", "must be empty to be structural"),
    ("additionalProperties", "must be undefined to be structural"),
    ("default", "must be undefined to be structural"),
    ("title", "must be empty to be structural"),
    ("description", "must be empty to be structural"),
    ("nullable", "must be false to be structural"),
    ("x-kubernetes-preserve-unknown-fields", "must be false to be structural"),
    ("x-kubernetes-embedded-resource", "must be false to be structural"),
    ("x-kubernetes-int-or-string", "must be false to be structural"),
    ("x-kubernetes-list-map-keys", "must be empty to be structural"),
    ("x-kubernetes-list-type", "must be undefined to be structural"),
];

const NO_CEL: &str = "validation rules (CEL) are not supported by this API server, and are not passed over; remove them, or use a real kube-apiserver";

#[derive(Clone, Copy, PartialEq)]
enum Level {
    Root,
    Item,
    Field,
}

/// Every fault of the schema of one version.
pub(super) fn validate(schema: &Json, path: &Path<'_>, faults: &mut Faults) {
    if flag(schema, "nullable") {
        faults.forbidden(&path.child("nullable"), "nullable cannot be true at the root");
    }
    structure(schema, Level::Root, path, faults);
}

fn flag(schema: &Json, name: &str) -> bool {
    field(schema, name) == true
}

fn structure(schema: &Json, level: Level, path: &Path<'_>, faults: &mut Faults) {
    common(schema, path, faults);
    typed(schema, level, path, faults);
    extensions(schema, path, faults);
    lists(schema, path, faults);
    if let Some(items) = map(schema, "items") {
        structure(&Json::Object(items.clone()), Level::Item, &path.child("items"), faults);
    }
    let properties = path.child("properties");
    for (name, inner) in entries(schema, "properties") {
        let here = properties.key(name);
        let meta = name == "metadata" && (level == Level::Root || flag(schema, "x-kubernetes-embedded-resource"));
        match meta && level == Level::Root {
            true => metadata(inner, &here, faults),
            false => structure(inner, Level::Field, &here, faults),
        }
    }
    if given(schema, "additionalProperties") {
        let at = path.child("additionalProperties");
        if level == Level::Root {
            faults.forbidden(&at, "must not be used at the root");
        }
        if entries(schema, "properties").next().is_some() && field(schema, "additionalProperties") != true {
            faults.forbidden(&at, "additionalProperties and properties are mutual exclusive");
        }
        if let Some(inner) = map(schema, "additionalProperties") {
            structure(&Json::Object(inner.clone()), Level::Field, &at, faults);
        }
    }
    junctors(schema, schema, path, faults);
    default(schema, path, faults);
}

/// What holds for every schema, under junctors too.
fn common(schema: &Json, path: &Path<'_>, faults: &mut Faults) {
    for name in UNSUPPORTED.iter().filter(|name| given(schema, name)) {
        faults.forbidden(&path.child(name), &format!("{name} is not supported"));
    }
    if field(schema, "items").is_array() {
        faults.forbidden(&path.child("items"), "items must be a schema object and not an array");
    }
    if flag(schema, "uniqueItems") {
        let text = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
        faults.forbidden(&path.child("uniqueItems"), text);
    }
    if given(schema, "x-kubernetes-validations") {
        faults.forbidden(&path.child("x-kubernetes-validations"), NO_CEL);
    }
    let kind = text(schema, "type");
    if !kind.is_empty() && !TYPES.contains(&kind) {
        faults.not_supported(&path.child("type"), &kind.into(), &TYPES);
    }
    let pattern = text(schema, "pattern");
    if let Err(error) = Regex::new(pattern) {
        let text = format!("must be a valid regular expression, but isn't: {error}");
        faults.invalid_text(&path.child("pattern"), pattern, &text);
    }
}

fn typed(schema: &Json, level: Level, path: &Path<'_>, faults: &mut Faults) {
    let (kind, at) = (text(schema, "type"), path.child("type"));
    let free = flag(schema, "x-kubernetes-int-or-string") || flag(schema, "x-kubernetes-preserve-unknown-fields");
    if kind == "array" && !given(schema, "items") {
        faults.required(&path.child("items"), "must be specified");
    }
    if flag(schema, "x-kubernetes-embedded-resource") && kind != "object" {
        let told = "must be object if x-kubernetes-embedded-resource is true";
        match kind.is_empty() {
            true => faults.required(&at, told),
            false => faults.invalid_text(&at, kind, told),
        }
    } else if kind.is_empty() && !free {
        faults.required(
            &at,
            match level {
                Level::Root => "must not be empty at the root",
                Level::Item => "must not be empty for specified array items",
                Level::Field => "must not be empty for specified object fields",
            },
        );
    }
    if level == Level::Root && !kind.is_empty() && kind != "object" {
        faults.invalid_text(&at, kind, "must be object at the root");
    }
    let meta = level == Level::Root || flag(schema, "x-kubernetes-embedded-resource");
    let properties = path.child("properties");
    for name in ["apiVersion", "kind"].iter().filter(|_| meta) {
        let known = field(schema, "properties").get(*name);
        if let Some(kind) = known.map(|known| text(known, "type")).filter(|kind| *kind != "string") {
            faults.invalid_text(&properties.key(name).child("type"), kind, "must be string");
        }
    }
}

/// At the root only names may be restricted.
fn metadata(schema: &Json, path: &Path<'_>, faults: &mut Faults) {
    if text(schema, "type") != "object" {
        faults.invalid_text(&path.child("type"), text(schema, "type"), "must be object");
    }
    let named = entries(schema, "properties").all(|(name, _)| name == "name" || name == "generateName");
    let bare = schema
        .as_object()
        .is_some_and(|fields| fields.keys().all(|name| matches!(name.as_str(), "type" | "properties" | "description")));
    if !named || !bare {
        let text = "must not specify anything other than name and generateName, but metadata is implicitly specified";
        faults.forbidden(path, text);
    }
}

fn extensions(schema: &Json, path: &Path<'_>, faults: &mut Faults) {
    let (embedded, preserving) = ("x-kubernetes-embedded-resource", "x-kubernetes-preserve-unknown-fields");
    if flag(schema, "x-kubernetes-int-or-string") {
        for name in [preserving, embedded].iter().filter(|name| flag(schema, name)) {
            faults.invalid(&path.child(name), &true.into(), "must be false if x-kubernetes-int-or-string is true");
        }
    }
    if flag(schema, embedded) {
        if given(schema, "additionalProperties") {
            let text = "must not be used if x-kubernetes-embedded-resource is set";
            faults.forbidden(&path.child("additionalProperties"), text);
        }
        if !flag(schema, preserving) && entries(schema, "properties").next().is_none() {
            let text = "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields";
            faults.required(&path.child("properties"), text);
        }
    }
    let maps = text(schema, "x-kubernetes-map-type");
    if !maps.is_empty() && !["atomic", "granular"].contains(&maps) {
        faults.not_supported(&path.child("x-kubernetes-map-type"), &maps.into(), &["atomic", "granular"]);
    }
}

/// Sets and maps need members that can be told apart.
fn lists(schema: &Json, path: &Path<'_>, faults: &mut Faults) {
    let (kind, at) = (text(schema, "x-kubernetes-list-type"), path.child("x-kubernetes-list-type"));
    let keys = list(schema, "x-kubernetes-list-map-keys");
    let at_keys = path.child("x-kubernetes-list-map-keys");
    if kind.is_empty() || kind == "atomic" || kind == "set" {
        if !keys.is_empty() {
            faults.invalid_text(&at, kind, "must be map if x-kubernetes-list-map-keys is non-empty");
        }
    } else if kind != "map" {
        faults.not_supported(&at, &kind.into(), &["atomic", "map", "set"]);
    } else if keys.is_empty() {
        faults.required(&at_keys, "must not be empty if x-kubernetes-list-type is map");
    }
    if !kind.is_empty() && text(schema, "type") != "array" {
        faults.invalid_text(&path.child("type"), text(schema, "type"), "must be array if x-kubernetes-list-type is specified");
    }
    let (items, at_items) = (field(schema, "items"), path.child("items"));
    if kind == "map" && text(items, "type") != "object" {
        let text = "must be object if parent array's x-kubernetes-list-type is map";
        faults.invalid_text(&at_items.child("type"), self::text(items, "type"), text);
    }
    if matches!(kind, "set" | "map") && flag(items, "nullable") {
        let text = format!("cannot be nullable when x-kubernetes-list-type is {kind}");
        faults.forbidden(&at_items.child("nullable"), &text);
    }
    for (index, key) in keys.iter().filter_map(Json::as_str).enumerate() {
        let Some(property) = field(items, "properties").get(key) else {
            faults.invalid_text(&at_keys.index(index), key, "entries must all be names of item properties");
            continue;
        };
        let properties = at_items.child("properties");
        let here = properties.key(key);
        if !given(property, "default") && !list(items, "required").iter().any(|name| name == key) {
            let text = "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property";
            faults.required(&here.child("default"), text);
        }
    }
}

/// Junctors may restrict values that are described outside of them, and describe none.
fn junctors(schema: &Json, main: &Json, path: &Path<'_>, faults: &mut Faults) {
    for name in ["allOf", "anyOf", "oneOf"] {
        let at = path.child(name);
        for (index, inner) in list(schema, name).iter().enumerate() {
            if !int_or_string(main, name, inner) {
                nested(inner, main, &at.index(index), faults);
            }
        }
    }
    if let Some(inner) = map(schema, "not") {
        nested(&Json::Object(inner.clone()), main, &path.child("not"), faults);
    }
}

/// The one pattern that may repeat types: `anyOf: [{type: integer}, {type: string}]`, or in the first of `allOf`.
fn int_or_string(main: &Json, junctor: &str, inner: &Json) -> bool {
    let either = json!([{"type": "integer"}, {"type": "string"}]);
    let known = match junctor {
        "anyOf" => field(main, "anyOf") == &either,
        "allOf" => field(inner, "anyOf") == &either,
        _ => false,
    };
    known && flag(main, "x-kubernetes-int-or-string")
}

fn nested(schema: &Json, main: &Json, path: &Path<'_>, faults: &mut Faults) {
    common(schema, path, faults);
    for (name, told) in FORBIDDEN {
        if given(schema, name) && field(schema, name) != false {
            faults.forbidden(&path.child(name), told);
        }
    }
    let properties = path.child("properties");
    for (name, inner) in entries(schema, "properties") {
        let here = properties.key(name);
        if name == "metadata" {
            faults.forbidden(&here, "must not be specified in a nested context");
        }
        match field(main, "properties").get(name) {
            Some(described) => nested(inner, described, &here, faults),
            None => faults.required(&here, &format!("because it is defined in {here}")),
        }
    }
    if let Some(items) = map(schema, "items") {
        nested(&Json::Object(items.clone()), field(main, "items"), &path.child("items"), faults);
    }
    junctors(schema, main, path, faults);
}

/// A default must be valid itself.
fn default(schema: &Json, path: &Path<'_>, faults: &mut Faults) {
    if !given(schema, "default") {
        return;
    }
    let (default, at) = (field(schema, "default"), path.child("default"));
    let parsed = parse(schema, &mut NoReferences);
    let mut pruned = default.clone();
    crate::resources::prepare::prune_value(&parsed, &mut pruned);
    if pruned != *default {
        return faults.invalid(&at, default, "must not have unknown fields");
    }
    value::validate(&parsed, default, &at, faults);
}
