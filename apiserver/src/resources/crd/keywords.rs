//! What each keyword of a CustomResourceDefinition's schema must be like, at every level. Source of rules and texts:
//! `apiextensions-apiserver/pkg/apis/apiextensions/validation`, `ValidateCustomResourceDefinitionOpenAPISchema`.

use serde_json::Value as Json;

use super::structural::{UNSUPPORTED, below, flag};
use crate::resources::validate::peek::{entries, field, given, list, text};
use crate::status::field::{Faults, Path};

const TYPES: [&str; 6] = ["array", "boolean", "integer", "number", "object", "string"];

const NO_CEL: &str = "validation rules (CEL) are not supported by this API server, and are not passed over; remove them, or use a real kube-apiserver";

/// Rules of the keywords, at every level.
pub(super) fn validate(schema: &Json, path: &Path<'_>, faults: &mut Faults) {
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
    if field(schema, "x-kubernetes-preserve-unknown-fields") == false {
        let at = path.child("x-kubernetes-preserve-unknown-fields");
        faults.invalid(&at, &false.into(), "must be true or undefined");
    }
    let kind = text(schema, "type");
    if !kind.is_empty() && !TYPES.contains(&kind) {
        faults.not_supported(&path.child("type"), &kind.into(), &TYPES);
    }
    let exclusive = entries(schema, "properties").next().is_some() && given(schema, "additionalProperties");
    if exclusive && field(schema, "additionalProperties") != true {
        let at = path.child("additionalProperties");
        faults.forbidden(&at, "additionalProperties and properties are mutual exclusive");
    }
    lists(schema, path, faults);
    maps(schema, path, faults);
    below(schema, path, &mut |inner, path| validate(inner, path, faults));
}

fn maps(schema: &Json, path: &Path<'_>, faults: &mut Faults) {
    let kind = text(schema, "x-kubernetes-map-type");
    if kind.is_empty() {
        return;
    }
    let (of, at) = (text(schema, "type"), path.child("type"));
    match of {
        "object" => {}
        "" => faults.required(&at, "must be object if x-kubernetes-map-type is specified"),
        _ => faults.invalid_text(&at, of, "must be object if x-kubernetes-map-type is specified"),
    }
    if !["atomic", "granular"].contains(&kind) {
        faults.not_supported(&path.child("x-kubernetes-map-type"), &kind.into(), &["atomic", "granular"]);
    }
}

/// Sets and maps need members that can be told apart.
fn lists(schema: &Json, path: &Path<'_>, faults: &mut Faults) {
    let (kind, at) = (text(schema, "x-kubernetes-list-type"), path.child("x-kubernetes-list-type"));
    let (of, at_type) = (text(schema, "type"), path.child("type"));
    match (kind, of) {
        ("", _) | (_, "array") => {}
        (_, "") => faults.required(&at_type, "must be array if x-kubernetes-list-type is specified"),
        _ => faults.invalid_text(&at_type, of, "must be array if x-kubernetes-list-type is specified"),
    }
    if !["", "atomic", "set", "map"].contains(&kind) {
        faults.not_supported(&at, &kind.into(), &["atomic", "set", "map"]);
    }
    let keys = list(schema, "x-kubernetes-list-map-keys");
    let told = "must be map if x-kubernetes-list-map-keys is non-empty";
    match kind {
        _ if keys.is_empty() => {}
        "map" => {}
        "" => faults.required(&at, told),
        _ => faults.invalid_text(&at, kind, told),
    }
    let (items, at_items) = (field(schema, "items"), path.child("items"));
    match kind {
        "set" => set_members(items, &at_items, faults),
        "map" => map_members(schema, path, faults),
        _ => {}
    }
    if matches!(kind, "set" | "map") && flag(items, "nullable") {
        let text = format!("cannot be nullable when x-kubernetes-list-type is {kind}");
        faults.forbidden(&at_items.child("nullable"), &text);
    }
}

fn set_members(items: &Json, path: &Path<'_>, faults: &mut Faults) {
    let told = "must be atomic as item of a list with x-kubernetes-list-type=set";
    let (maps, lists) = (field(items, "x-kubernetes-map-type"), field(items, "x-kubernetes-list-type"));
    match text(items, "type") {
        "object" if maps != "atomic" => faults.invalid(&path.child("x-kubernetes-map-type"), lists, told),
        "array" if !lists.is_null() && lists != "atomic" => {
            faults.invalid(&path.child("x-kubernetes-list-type"), lists, told);
        }
        _ => {}
    }
}

fn map_members(schema: &Json, path: &Path<'_>, faults: &mut Faults) {
    let keys = list(schema, "x-kubernetes-list-map-keys");
    let at_keys = path.child("x-kubernetes-list-map-keys");
    if keys.is_empty() {
        faults.required(&at_keys, "must not be empty if x-kubernetes-list-type is map");
    }
    let (items, at_items) = (field(schema, "items"), path.child("items"));
    match items.is_object() {
        false => faults.required(&at_items, "must have a schema if x-kubernetes-list-type is map"),
        true if text(items, "type") != "object" => {
            let told = "must be object if parent array's x-kubernetes-list-type is map";
            faults.invalid_text(&at_items.child("type"), text(items, "type"), told);
        }
        true => {}
    }
    let properties = at_items.child("properties");
    for (index, key) in keys.iter().filter_map(Json::as_str).enumerate() {
        let Some(property) = field(items, "properties").get(key) else {
            faults.invalid_text(&at_keys.index(index), key, "entries must all be names of item properties");
            continue;
        };
        let here = properties.key(key);
        if !given(property, "default") && !list(items, "required").iter().any(|name| name == key) {
            let text = "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property";
            faults.required(&here.child("default"), text);
        }
        if flag(property, "nullable") {
            let text = "this property is in x-kubernetes-list-map-keys, so it cannot be nullable";
            faults.forbidden(&here.child("nullable"), text);
        }
    }
}
