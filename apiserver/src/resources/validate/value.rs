//! Values against a structural schema, for custom resources. Source of the texts: `kube-openapi/pkg/validation/errors` as
//! `apiextensions-apiserver/pkg/apiserver/validation` renders them.

use std::collections::HashSet;

use serde_json::{Map, Value as Json};

use super::formats;
use crate::resources::schema::{Kind, ListType, Rules, Schema};
use crate::status::field::{Faults, FieldReason, Path};

/// Every fault of a value; stops descending where the type is wrong.
pub(in crate::resources) fn validate(schema: &Schema, value: &Json, path: &Path<'_>, faults: &mut Faults) {
    if value.is_null() && schema.nullable {
        return;
    }
    if let Some(wanted) = mistyped(schema, value) {
        let found = type_name(value);
        let text = format!("{path} in body must be of type {wanted}: \"{found}\"");
        faults.wrong_type(path, &Json::from(found), &text);
        return junctors(&schema.rules, value, path, faults);
    }
    if schema.embedded_resource {
        embedded(value, path, faults);
    }
    enumerated(&schema.rules, value, path, faults);
    match value {
        Json::Object(object) => fields(schema, object, path, faults),
        Json::Array(members) => list(schema, members, path, faults),
        Json::String(text) => string(&schema.rules, text, path, faults),
        Json::Number(number) => range(&schema.rules, value, number.as_f64().unwrap_or_default(), path, faults),
        _ => {}
    }
    junctors(&schema.rules, value, path, faults);
}

/// [`validate`] for a part that is told of as if it were the whole, such as a default.
pub(in crate::resources) fn validate_below(schema: &Schema, value: &Json, path: &Path<'_>, faults: &mut Faults) {
    let mut inner = Faults::default();
    validate(schema, value, &Path::ROOT, &mut inner);
    faults.append_below(path, inner);
}

/// An object within an object says what it is.
fn embedded(value: &Json, path: &Path<'_>, faults: &mut Faults) {
    for name in ["apiVersion", "kind"] {
        let at = path.child(name);
        match value.get(name) {
            None => faults.required(&at, ""),
            Some(Json::String(text)) if text.is_empty() => faults.invalid_text(&at, "", "must not be empty"),
            Some(Json::String(_)) => {}
            Some(other) => faults.invalid(&at, other, "must be a string"),
        }
    }
}

fn mistyped(schema: &Schema, value: &Json) -> Option<&'static str> {
    if schema.int_or_string {
        let fits = value.is_string() || whole(value);
        return (!fits).then_some("integer,string");
    }
    let (fits, name) = match schema.kind? {
        Kind::Object => (value.is_object(), "object"),
        Kind::Array => (value.is_array(), "array"),
        Kind::String => (value.is_string(), "string"),
        Kind::Integer => (whole(value), "integer"),
        Kind::Number => (value.is_number(), "number"),
        Kind::Boolean => (value.is_boolean(), "boolean"),
    };
    (!fits).then_some(name)
}

/// 1.0 is an integer, as in JSON Schema.
fn whole(value: &Json) -> bool {
    value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|number| number.fract() == 0.0)
}

fn type_name(value: &Json) -> &'static str {
    match value {
        Json::Null => "null",
        Json::Bool(_) => "boolean",
        Json::Number(_) if whole(value) => "integer",
        Json::Number(_) => "number",
        Json::String(_) => "string",
        Json::Array(_) => "array",
        Json::Object(_) => "object",
    }
}

fn enumerated(rules: &Rules, value: &Json, path: &Path<'_>, faults: &mut Faults) {
    let Some(members) = &rules.enumeration else { return };
    if members.contains(value) {
        return;
    }
    let shown: Vec<String> =
        members.iter().map(|member| member.as_str().map_or_else(|| member.to_string(), str::to_owned)).collect();
    let shown: Vec<&str> = shown.iter().map(String::as_str).collect();
    faults.not_supported(path, value, &shown);
}

fn fields(schema: &Schema, object: &Map<String, Json>, path: &Path<'_>, faults: &mut Faults) {
    let rules = &schema.rules;
    for name in schema.required.iter().filter(|name| !object.contains_key(*name)) {
        faults.required(&path.child(name), "");
    }
    let count = object.len() as u64;
    if let Some(most) = rules.max_properties.filter(|most| count > *most) {
        faults.too_many(path, object.len(), most);
    }
    if let Some(least) = rules.min_properties.filter(|least| count < *least) {
        let text = format!("{path} in body should have at least {least} properties");
        faults.invalid(path, &Json::from(count), &text);
    }
    for (name, value) in object {
        if path.depth() == 0 && name == "metadata" {
            metadata(schema, value, &path.child(name), faults);
        } else if let Some(field) = schema.field(name) {
            validate(field, value, &path.child(name), faults);
        }
    }
}

/// A definition may restrict the object's name; everything else of metadata is checked for all kinds alike.
fn metadata(schema: &Schema, metadata: &Json, path: &Path<'_>, faults: &mut Faults) {
    let Some(known) = schema.properties.get("metadata") else { return };
    for name in ["name", "generateName"] {
        if let (Some(field), Some(text)) = (known.properties.get(name), metadata.get(name).and_then(Json::as_str)) {
            string(&field.rules, text, &path.child(name), faults);
        }
    }
}

fn list(schema: &Schema, members: &[Json], path: &Path<'_>, faults: &mut Faults) {
    let (rules, count) = (&schema.rules, members.len() as u64);
    if let Some(most) = rules.max_items.filter(|most| count > *most) {
        faults.too_many(path, members.len(), most);
    }
    if let Some(least) = rules.min_items.filter(|least| count < *least) {
        faults.invalid(path, &Json::from(count), &format!("{path} in body should have at least {least} items"));
    }
    if let Some(items) = &schema.items {
        for (index, member) in members.iter().enumerate() {
            validate(items, member, &path.index(index), faults);
        }
    }
    unique(schema, members, path, faults);
}

/// Each member of a set once; of a map, each combination of keys.
fn unique(schema: &Schema, members: &[Json], path: &Path<'_>, faults: &mut Faults) {
    let key = |member: &Json| match &schema.list {
        ListType::Atomic => None,
        ListType::Set => Some(member.clone()),
        ListType::Map(keys) => {
            let present = keys.iter().filter_map(|key| Some((key.clone(), member.get(key)?.clone())));
            Some(Json::Object(present.collect()))
        }
    };
    let (mut seen, mut told) = (HashSet::new(), HashSet::new());
    for (index, member) in members.iter().enumerate() {
        let Some(key) = key(member) else { return };
        let written = key.to_string();
        if !seen.insert(written.clone()) && told.insert(written) {
            faults.duplicate(&path.index(index), &key);
        }
    }
}

/// The first rule that a text breaks, and its format.
fn string(rules: &Rules, text: &str, path: &Path<'_>, faults: &mut Faults) {
    let (value, count) = (Json::from(text), text.chars().count() as u64);
    let unmatched = |pattern: &&String| rules.compiled.get(pattern).is_some_and(|compiled| !compiled.is_match(text));
    if let Some(most) = rules.max_length.filter(|most| count > *most) {
        faults.too_long(path, usize::try_from(most).unwrap_or(usize::MAX));
    } else if let Some(least) = rules.min_length.filter(|least| count < *least) {
        faults.invalid(path, &value, &format!("{path} in body should be at least {least} chars long"));
    } else if let Some(pattern) = rules.pattern.as_ref().filter(unmatched) {
        faults.invalid(path, &value, &format!("{path} in body should match '{pattern}'"));
    }
    if let Some(format) = rules.format.as_deref().filter(|format| !formats::fits(format, text)) {
        faults.wrong_type(path, &value, &format!("{path} in body must be of type {format}: {}", super::quote(text)));
    }
}

fn range(rules: &Rules, value: &Json, number: f64, path: &Path<'_>, faults: &mut Faults) {
    let mut fault = |text: String| faults.invalid(path, value, &format!("{path} in body should be {text}"));
    if let Some(most) = rules.maximum {
        match rules.exclusive_maximum {
            true if number >= most => fault(format!("less than {most}")),
            false if number > most => fault(format!("less than or equal to {most}")),
            _ => {}
        }
    }
    if let Some(least) = rules.minimum {
        match rules.exclusive_minimum {
            true if number <= least => fault(format!("greater than {least}")),
            false if number < least => fault(format!("greater than or equal to {least}")),
            _ => {}
        }
    }
    if let Some(unit) = rules.multiple_of.filter(|unit| *unit > 0.0)
        && (number / unit).fract() != 0.0
    {
        fault(format!("a multiple of {unit}"));
    }
    let bits = match rules.format.as_deref() {
        Some("int32") => Some((f64::from(i32::MIN), f64::from(i32::MAX), "int32")),
        Some("int64") => Some((i64::MIN as f64, i64::MAX as f64, "int64")),
        _ => None,
    };
    if let Some((_, _, name)) = bits.filter(|(least, most, _)| number < *least || number > *most) {
        nowhere(&format!("Checked value must be of type integer with format {name} in {path}"), faults);
    }
}

/// A fault that upstream tells without a field.
fn nowhere(text: &str, faults: &mut Faults) {
    faults.add(FieldReason::Invalid, &Path::ROOT.child("<nil>"), Some(&Json::from("")), text);
}

/// `allOf`, `anyOf`, `oneOf` and `not`.
fn junctors(rules: &Rules, value: &Json, path: &Path<'_>, faults: &mut Faults) {
    let tried = |schema: &Schema| {
        let mut inner = Faults::default();
        validate(schema, value, path, &mut inner);
        inner
    };
    for schema in &rules.all_of {
        validate(schema, value, path, faults);
    }
    let mut any: Vec<Faults> = rules.any_of.iter().map(tried).collect();
    if !any.is_empty() && !any.iter().any(Faults::is_empty) {
        nowhere(&format!("\"{path}\" must validate at least one schema (anyOf)"), faults);
        faults.append(any.swap_remove(0));
    }
    let mut one: Vec<Faults> = rules.one_of.iter().map(tried).collect();
    let told = format!("\"{path}\" must validate one and only one schema (oneOf). Found");
    match one.iter().filter(|inner| inner.is_empty()).count() {
        _ if one.is_empty() => {}
        0 => {
            nowhere(&format!("{told} none valid"), faults);
            faults.append(one.swap_remove(0));
        }
        1 => {}
        more => nowhere(&format!("{told} {more} valid alternatives"), faults),
    }
    if rules.not.as_deref().is_some_and(|schema| tried(schema).is_empty()) {
        nowhere(&format!("\"{path}\" must not validate the schema (not)"), faults);
    }
}
