//! A [`Schema`] as OpenAPI says it, in version 2 or 3.

use serde_json::{Map, Value as Json, json};

use crate::resources::Schema;
use crate::resources::schema::{Kind, ListType, Rules};

/// What can hold named schemas.
pub(super) trait Names<'a> {
    /// Takes note that a schema is referred to by its name.
    fn refer(&mut self, name: &'a str, schema: &'a Schema);
}

/// Version of OpenAPI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    V2,
    V3,
}

impl Dialect {
    pub(super) fn reference(self, name: &str) -> Json {
        match self {
            Dialect::V2 => json!({ "$ref": format!("#/definitions/{name}") }),
            Dialect::V3 => json!({ "$ref": format!("#/components/schemas/{name}") }),
        }
    }
}

/// How schemas are written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    pub(super) dialect: Dialect,
    /// From a CustomResourceDefinition. Version 2 cannot say all that these say; what it cannot say is left out, so that
    /// kubectl refuses nothing that the server takes. Source: apiextensions-apiserver's `openapi/v2/conversion.go`.
    pub(super) custom: bool,
}

/// A schema where it is used: a reference, if it has a name.
pub(super) fn used<'a>(schema: &'a Schema, style: Style, names: &mut dyn Names<'a>) -> Json {
    let Some(name) = schema.definition.as_deref() else {
        return Json::Object(body(schema, style, names));
    };
    names.refer(name, schema);
    let reference = style.dialect.reference(name);
    let beside = beside_reference(schema, style);
    if beside.is_empty() {
        return reference;
    }
    let mut site = match style.dialect {
        Dialect::V3 => Map::from_iter([("allOf".to_owned(), json!([reference]))]),
        Dialect::V2 => reference.as_object().cloned().unwrap_or_default(),
    };
    site.extend(beside);
    Json::Object(site)
}

/// What belongs to the place, not to the named schema.
fn beside_reference(schema: &Schema, style: Style) -> Map<String, Json> {
    let mut beside = Map::new();
    if let (Some(default), Dialect::V3) = (&schema.default, style.dialect) {
        beside.insert("default".into(), default.clone());
    }
    if let Some(description) = &schema.description {
        beside.insert("description".into(), description.as_str().into());
    }
    patch_strategy(schema, &mut beside);
    beside
}

/// A schema spelled out.
pub(super) fn body<'a>(schema: &'a Schema, style: Style, names: &mut dyn Names<'a>) -> Map<String, Json> {
    let mut said = Map::new();
    if let Some(description) = &schema.description {
        said.insert("description".into(), description.as_str().into());
    }
    extensions(schema, style, &mut said);
    patch_strategy(schema, &mut said);
    if !style.custom && special(schema, style, &mut said) {
        return said;
    }
    let loose = style.dialect == Dialect::V2 && style.custom && (schema.preserve_unknown || schema.nullable);
    if style.dialect == Dialect::V3 {
        if let Some(default) = &schema.default {
            said.insert("default".into(), default.clone());
        }
        if schema.nullable {
            said.insert("nullable".into(), true.into());
        }
    }
    if !loose {
        structure(schema, style, &mut said, names);
    }
    rules(&schema.rules, style, &mut said, names);
    said
}

/// Types whose JSON is of two kinds. Source: `OpenAPISchemaType` and `OpenAPIV3OneOfTypes` of apimachinery's types.
fn special(schema: &Schema, style: Style, said: &mut Map<String, Json>) -> bool {
    let format = schema.rules.format.as_deref();
    let (format, types) = match format {
        _ if schema.int_or_string => (Some("int-or-string"), ["integer", "string"]),
        Some("quantity") => (None, ["string", "number"]),
        _ => return false,
    };
    if let Some(format) = format {
        said.insert("format".into(), format.into());
    }
    match style.dialect {
        Dialect::V2 => said.insert("type".into(), "string".into()),
        Dialect::V3 => said.insert("oneOf".into(), types.iter().map(|kind| json!({ "type": kind })).collect()),
    };
    true
}

fn structure<'a>(schema: &'a Schema, style: Style, said: &mut Map<String, Json>, names: &mut dyn Names<'a>) {
    // kubectl cannot read an array of it does not know what.
    let listless = style.dialect == Dialect::V2 && schema.kind == Some(Kind::Array) && schema.items.is_none();
    if let Some(kind) = schema.kind.filter(|_| !listless) {
        said.insert("type".into(), type_name(kind).into());
    }
    if !schema.properties.is_empty() {
        let properties = schema.properties.iter().map(|(name, field)| (name.clone(), used(field, style, names)));
        said.insert("properties".into(), Json::Object(properties.collect()));
    }
    if let Some(values) = &schema.values {
        said.insert("additionalProperties".into(), used(values, style, names));
    }
    if let Some(items) = &schema.items {
        said.insert("items".into(), used(items, style, names));
    }
    let needed = |name: &&String| {
        let nullable = schema.properties.get(*name).is_some_and(|field| field.nullable);
        !(style.custom && style.dialect == Dialect::V2 && nullable)
    };
    let required: Vec<&str> = schema.required.iter().filter(needed).map(String::as_str).collect();
    if !required.is_empty() {
        said.insert("required".into(), required.into());
    }
}

fn type_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Object => "object",
        Kind::Array => "array",
        Kind::String => "string",
        Kind::Integer => "integer",
        Kind::Number => "number",
        Kind::Boolean => "boolean",
    }
}

fn extensions(schema: &Schema, style: Style, said: &mut Map<String, Json>) {
    // Of built-in types the server knows this by their Go types and does not publish it.
    let flags = [
        ("x-kubernetes-preserve-unknown-fields", schema.preserve_unknown && style.custom),
        ("x-kubernetes-int-or-string", schema.int_or_string && style.custom),
        ("x-kubernetes-embedded-resource", schema.embedded_resource),
    ];
    said.extend(flags.into_iter().filter(|(_, set)| *set).map(|(name, _)| (name.to_owned(), true.into())));
    if schema.atomic_map {
        said.insert("x-kubernetes-map-type".into(), "atomic".into());
    }
    match &schema.list {
        ListType::Atomic => {}
        ListType::Set => {
            said.insert("x-kubernetes-list-type".into(), "set".into());
        }
        ListType::Map(keys) => {
            said.insert("x-kubernetes-list-type".into(), "map".into());
            said.insert("x-kubernetes-list-map-keys".into(), keys.as_slice().into());
        }
    }
}

fn patch_strategy(schema: &Schema, said: &mut Map<String, Json>) {
    let strategy = match (&schema.patch_merge_key, schema.retain_keys) {
        (None, false) => return,
        (Some(_), false) => "merge",
        (None, true) => "retainKeys",
        (Some(_), true) => "merge,retainKeys",
    };
    said.insert("x-kubernetes-patch-strategy".into(), strategy.into());
    if let Some(key) = schema.patch_merge_key.as_deref().filter(|key| !key.is_empty()) {
        said.insert("x-kubernetes-patch-merge-key".into(), key.into());
    }
}

fn rules<'a>(rules: &'a Rules, style: Style, said: &mut Map<String, Json>, names: &mut dyn Names<'a>) {
    let mut say = |name: &str, value: Option<Json>| {
        if let Some(value) = value {
            said.insert(name.to_owned(), value);
        }
    };
    let flag = |set: bool| set.then_some(Json::Bool(true));
    say("format", rules.format.as_deref().map(Json::from));
    say("pattern", rules.pattern.as_deref().map(Json::from));
    say("enum", rules.enumeration.clone().map(Json::from));
    say("minimum", rules.minimum.map(number));
    say("exclusiveMinimum", flag(rules.exclusive_minimum));
    say("maximum", rules.maximum.map(number));
    say("exclusiveMaximum", flag(rules.exclusive_maximum));
    say("multipleOf", rules.multiple_of.map(number));
    say("minLength", rules.min_length.map(Json::from));
    say("maxLength", rules.max_length.map(Json::from));
    say("minItems", rules.min_items.map(Json::from));
    say("maxItems", rules.max_items.map(Json::from));
    say("uniqueItems", flag(rules.unique_items));
    say("minProperties", rules.min_properties.map(Json::from));
    say("maxProperties", rules.max_properties.map(Json::from));
    if style.dialect == Dialect::V2 {
        return;
    }
    for (name, members) in [("allOf", &rules.all_of), ("anyOf", &rules.any_of), ("oneOf", &rules.one_of)] {
        if !members.is_empty() {
            say(name, Some(members.iter().map(|member| used(member, style, names)).collect()));
        }
    }
    say("not", rules.not.as_deref().map(|inner| used(inner, style, names)));
}

/// Whole numbers without a fraction.
fn number(value: f64) -> Json {
    #[expect(clippy::cast_possible_truncation, reason = "compared with the original")]
    let whole = value as i64;
    #[expect(clippy::cast_precision_loss, clippy::float_cmp, reason = "the question is whether nothing was lost")]
    let same = whole as f64 == value;
    if same { whole.into() } else { value.into() }
}
