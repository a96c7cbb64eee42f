//! Whether a schema is structural: every field has its type outside of `allOf`, `anyOf`, `oneOf` and `not`. Source of rules
//! and texts: `apiextensions-apiserver/pkg/apiserver/schema/validation.go` and `pkg/apis/apiextensions/validation`.

use serde_json::{Value as Json, json};

use crate::resources::schema::Compiled;
use crate::resources::schema::parse::{NoReferences, parse};
use crate::resources::validate::peek::{entries, field, given, list, map, text};
use crate::resources::validate::value;
use crate::status::field::{Faults, Path};

/// Keywords of JSON Schema that structural schemas have not.
pub(super) const UNSUPPORTED: [&str; 6] = ["id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"];

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
    if is_convertible(schema) {
        let mut inner = Faults::default();
        structure(schema, Level::Root, path, &mut inner);
        complete(&junctors_of(schema), schema, path, path, &mut inner);
        if inner.is_empty() {
            defaults(schema, path, &mut inner);
        }
        faults.append(inner);
    }
    super::keywords::validate(schema, path, faults);
}

/// The root without what it describes itself.
fn junctors_of(schema: &Json) -> Json {
    let names = ["allOf", "anyOf", "oneOf", "not"];
    names.into_iter().map(|name| (name.to_owned(), field(schema, name).clone())).collect::<serde_json::Map<_, _>>().into()
}

pub(super) fn flag(schema: &Json, name: &str) -> bool {
    field(schema, name) == true
}

/// Calls for every schema directly below: the fields, the members, and those under junctors.
pub(super) fn below(schema: &Json, path: &Path<'_>, each: &mut dyn FnMut(&Json, &Path<'_>)) {
    let properties = path.child("properties");
    for (name, inner) in entries(schema, "properties") {
        each(inner, &properties.key(name));
    }
    for name in ["items", "additionalProperties", "not"] {
        let inner = field(schema, name);
        if inner.is_object() {
            each(inner, &path.child(name));
        }
    }
    for name in ["allOf", "anyOf", "oneOf"] {
        let at = path.child(name);
        for (index, inner) in list(schema, name).iter().enumerate() {
            each(inner, &at.index(index));
        }
    }
}

/// Upstream looks at structure only where it could read the schema at all.
fn is_convertible(schema: &Json) -> bool {
    let mut good = !UNSUPPORTED.iter().any(|name| given(schema, name)) && !field(schema, "items").is_array();
    good &= field(schema, "additionalProperties") != false;
    good &= !(map(schema, "additionalProperties").is_some() && entries(schema, "properties").next().is_some());
    below(schema, &Path::ROOT, &mut |inner, _| good &= is_convertible(inner));
    good
}

fn structure(schema: &Json, level: Level, path: &Path<'_>, faults: &mut Faults) {
    typed(schema, level, path, faults);
    extensions(schema, path, faults);
    pattern(schema, path, faults);
    let items = field(schema, "items");
    if items.is_object() {
        structure(items, Level::Item, &path.child("items"), faults);
    }
    let properties = path.child("properties");
    for (name, inner) in entries(schema, "properties") {
        let here = properties.key(name);
        match name == "metadata" && level == Level::Root {
            true => metadata(inner, &here, faults),
            false => structure(inner, Level::Field, &here, faults),
        }
    }
    if given(schema, "additionalProperties") {
        let at = path.child("additionalProperties");
        if level == Level::Root {
            faults.forbidden(&at, "must not be used at the root");
        }
        let inner = field(schema, "additionalProperties");
        if inner.is_object() {
            structure(inner, Level::Field, &at, faults);
        }
    }
    let plain = flag(schema, "x-kubernetes-int-or-string");
    junctors(schema, plain, path, faults);
}

fn pattern(schema: &Json, path: &Path<'_>, faults: &mut Faults) {
    let pattern = text(schema, "pattern");
    if let Err(error) = Compiled::compile(pattern) {
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
}

/// Junctors restrict values that are described outside of them, and describe none. `plain`: an int-or-string, which may
/// repeat its two types in `anyOf`, or in the first of `allOf`.
fn junctors(schema: &Json, plain: bool, path: &Path<'_>, faults: &mut Faults) {
    let either = json!([{"type": "integer"}, {"type": "string"}]);
    for name in ["allOf", "anyOf", "oneOf"] {
        let at = path.child(name);
        if plain && name == "anyOf" && field(schema, name) == &either {
            continue;
        }
        for (index, inner) in list(schema, name).iter().enumerate() {
            let repeats = plain && name == "allOf" && index == 0 && field(inner, "anyOf") == &either;
            nested(inner, repeats, &at.index(index), faults);
        }
    }
    let inner = field(schema, "not");
    if inner.is_object() {
        nested(inner, false, &path.child("not"), faults);
    }
}

fn nested(schema: &Json, plain: bool, path: &Path<'_>, faults: &mut Faults) {
    for (name, told) in FORBIDDEN {
        if given(schema, name) && field(schema, name) != false {
            faults.forbidden(&path.child(name), told);
        }
    }
    pattern(schema, path, faults);
    let properties = path.child("properties");
    for (name, inner) in entries(schema, "properties") {
        let here = properties.key(name);
        if name == "metadata" {
            faults.forbidden(&here, "must not be specified in a nested context");
        }
        nested(inner, false, &here, faults);
    }
    let items = field(schema, "items");
    if items.is_object() {
        nested(items, false, &path.child("items"), faults);
    }
    junctors(schema, plain, path, faults);
}

/// What a junctor of the root restricts must be described.
fn complete(inner: &Json, main: &Json, described: &Path<'_>, path: &Path<'_>, faults: &mut Faults) {
    for name in ["allOf", "anyOf", "oneOf"] {
        let at = path.child(name);
        for (index, inner) in list(inner, name).iter().enumerate() {
            complete(inner, main, described, &at.index(index), faults);
        }
    }
    if field(inner, "not").is_object() {
        complete(field(inner, "not"), main, described, &path.child("not"), faults);
    }
    let (there, here) = (described.child("properties"), path.child("properties"));
    for (name, restricted) in entries(inner, "properties") {
        let (there, here) = (there.key(name), here.key(name));
        match field(main, "properties").get(name) {
            Some(main) => complete(restricted, main, &there, &here, faults),
            None => faults.required(&there, &format!("because it is defined in {here}")),
        }
    }
    if field(inner, "items").is_object() {
        let (there, here) = (described.child("items"), path.child("items"));
        match field(main, "items").is_object() {
            true => complete(field(inner, "items"), field(main, "items"), &there, &here, faults),
            false => faults.required(&there, &format!("because it is defined in {here}")),
        }
    }
}

/// Defaults must be valid themselves.
fn defaults(schema: &Json, path: &Path<'_>, faults: &mut Faults) {
    if given(schema, "default") {
        let (default, at) = (field(schema, "default"), path.child("default"));
        let parsed = parse(schema, &mut NoReferences);
        let mut pruned = default.clone();
        crate::resources::prepare::prune_value(&parsed, &mut pruned);
        match pruned == *default {
            true => value::validate_below(&parsed, default, &at, faults),
            false => faults.invalid(&at, default, "must not have unknown fields"),
        }
    }
    below(schema, path, &mut |inner, path| defaults(inner, path, faults));
}
