//! What decoding into a Go struct and encoding it again does to a built-in object: unknown fields and empty values go,
//! types are checked, required values and defaults appear.

use serde_json::{Map, Value as Json};

use super::{PrepareError, Unknown, defaults, formats};
use crate::quantity;
use crate::resources::schema::{Inside, Kind, Schema};
use crate::status::field::Path;

/// Shapes one value.
pub(super) fn shape(at: Inside<'_>, value: &mut Json, path: &Path<'_>, unknown: &mut Unknown) -> Result<(), PrepareError> {
    if let Some(same) = at.wrapped(value) {
        // Upstream decodes it on its own, and tells nothing of it.
        return shape(same, value, path, &mut Unknown::default());
    }
    let schema = at.schema();
    if !fits(schema, value) {
        return Err(mistyped(&at, path, value));
    }
    normalize(schema, value)?;
    match value {
        Json::Object(object) if !schema.properties.is_empty() => fields(&at, object, path, unknown),
        Json::Object(object) => match &schema.values {
            Some(values) => entries(&at, values, object, path, unknown),
            None if schema.preserve_unknown || schema.kind.is_none() => Ok(()),
            None => {
                object.keys().for_each(|name| unknown.record(path, name));
                object.clear();
                Ok(())
            }
        },
        Json::Array(members) => match &schema.items {
            Some(items) => each(&at, items, members, path, unknown),
            None => Ok(()),
        },
        _ => Ok(()),
    }
}

fn fields(at: &Inside<'_>, object: &mut Map<String, Json>, path: &Path<'_>, unknown: &mut Unknown) -> Result<(), PrepareError> {
    let schema = at.schema();
    object.retain(|name, value| match schema.properties.get(name) {
        Some(field) => {
            zeroes(field, value);
            keeps(field, value)
        }
        None => {
            unknown.record(path, name);
            schema.preserve_unknown
        }
    });
    defaults::complete(schema, object);
    for (name, value) in object.iter_mut() {
        if let Some(field) = schema.properties.get(name)
            && !value.is_null()
        {
            shape(at.enter(field), value, &path.child(name), unknown)?;
        }
    }
    object.retain(|name, value| schema.properties.get(name).is_none_or(|field| keeps(field, value)));
    Ok(())
}

fn entries(
    at: &Inside<'_>,
    values: &Schema,
    object: &mut Map<String, Json>,
    path: &Path<'_>,
    unknown: &mut Unknown,
) -> Result<(), PrepareError> {
    for (name, value) in object.iter_mut() {
        shape(at.enter(values), value, &path.key(name), unknown)?;
    }
    Ok(())
}

fn each(
    at: &Inside<'_>,
    items: &Schema,
    members: &mut [Json],
    path: &Path<'_>,
    unknown: &mut Unknown,
) -> Result<(), PrepareError> {
    for (index, member) in members.iter_mut().enumerate() {
        shape(at.enter(items), member, &path.index(index), unknown)?;
    }
    Ok(())
}

/// Go decodes a `null` member of a list or map as the zero value.
fn zeroes(field: &Schema, value: &mut Json) {
    let default = |inner: &Option<std::sync::Arc<Schema>>| inner.as_ref().and_then(|inner| inner.default.clone());
    match value {
        Json::Array(members) => {
            if let Some(zero) = default(&field.items) {
                members.iter_mut().filter(|member| member.is_null()).for_each(|member| *member = zero.clone());
            }
        }
        Json::Object(entries) => {
            if let Some(zero) = default(&field.values) {
                entries.values_mut().filter(|entry| entry.is_null()).for_each(|entry| *entry = zero.clone());
            }
        }
        _ => {}
    }
}

/// Whether Go would encode the value again: `omitempty` leaves out nulls, empty lists and maps, and plain zeros. What is
/// written even when it is empty comes back as `null`, as it does from upstream's storage.
fn keeps(field: &Schema, value: &Json) -> bool {
    if field.preserve_unknown && field.properties.is_empty() {
        return !value.is_null();
    }
    match value {
        Json::Null => field.assumed.as_ref().is_some_and(Json::is_null),
        Json::Array(members) => !members.is_empty() || field.kind != Some(Kind::Array),
        Json::Object(entries) => !entries.is_empty() || field.values.is_none(),
        Json::String(text) => !(field.plain && text.is_empty()),
        Json::Bool(flag) => *flag || !field.plain,
        Json::Number(number) => !(field.plain && number.as_f64() == Some(0.0)),
    }
}

/// Returns whether Go's decoder takes the value for a field of this schema.
fn fits(schema: &Schema, value: &Json) -> bool {
    let format = schema.rules.format.as_deref();
    if schema.int_or_string || format == Some("quantity") {
        return value.is_string() || value.is_number();
    }
    match schema.kind {
        None => true,
        Some(Kind::Object) => value.is_object() || schema.preserve_unknown,
        Some(Kind::Array) => value.is_array(),
        Some(Kind::String) => value.is_string(),
        Some(Kind::Boolean) => value.is_boolean(),
        Some(Kind::Number) => value.is_number(),
        Some(Kind::Integer) if format == Some("int32") => whole(value).is_some_and(|number| i32::try_from(number).is_ok()),
        Some(Kind::Integer) => whole(value).is_some(),
    }
}

fn whole(value: &Json) -> Option<i64> {
    value.as_i64()
}

/// Returns the Go type of a field: two kinds of fields are decoded by a type of their own, whatever OpenAPI says of them.
fn field_type(schema: &Schema) -> String {
    match schema.rules.format.as_deref() {
        _ if schema.int_or_string => "intstr.IntOrString".to_owned(),
        Some("quantity") => "resource.Quantity".to_owned(),
        _ => go_type(schema),
    }
}

/// As Go's reflection names the type, as far as OpenAPI tells.
fn go_type(schema: &Schema) -> String {
    match (schema.kind, schema.rules.format.as_deref()) {
        (Some(Kind::Integer), Some(format)) => format.to_owned(),
        (Some(Kind::Integer), None) => "int".to_owned(),
        (Some(Kind::Number), _) => "float64".to_owned(),
        (Some(Kind::Boolean), _) => "bool".to_owned(),
        (Some(Kind::Array), _) => format!("[]{}", schema.items.as_deref().map(go_type).unwrap_or_default()),
        (Some(Kind::String), Some("byte")) => "[]uint8".to_owned(),
        (Some(Kind::String), _) => "string".to_owned(),
        _ => match (&schema.values, &schema.definition) {
            (Some(values), _) => format!("map[string]{}", go_type(values)),
            (None, Some(name)) => format!("v1.{}", last(name)),
            (None, None) => "interface {}".to_owned(),
        },
    }
}

fn last(definition: &str) -> &str {
    definition.rsplit('.').next().unwrap_or(definition)
}

/// Returns the error for a value that does not fit its schema.
fn mistyped(at: &Inside<'_>, path: &Path<'_>, value: &Json) -> PrepareError {
    let wanted = field_type(at.schema());
    let found = match value {
        Json::Null => "null".to_owned(),
        Json::Bool(_) => "bool".to_owned(),
        Json::Number(number) if wanted.starts_with("int") => format!("number {number}"),
        Json::Number(_) => "number".to_owned(),
        Json::String(_) => "string".to_owned(),
        Json::Array(_) => "array".to_owned(),
        Json::Object(_) => "object".to_owned(),
    };
    let place = match at.owner() {
        Some(owner) => format!("Go struct field {}.{}", last(owner), path.names()),
        None => "Go value".to_owned(),
    };
    PrepareError::Mistyped { found, place, wanted }
}

/// Values that Go reads into a type of their own and writes again in one form.
fn normalize(schema: &Schema, value: &mut Json) -> Result<(), PrepareError> {
    match schema.rules.format.as_deref() {
        Some("quantity") => match quantity::canonical(value) {
            Some(canonical) => *value = Json::String(canonical),
            None => return Err(PrepareError::Quantity),
        },
        Some("date-time") => {
            if let Some(text) = value.as_str() {
                *value = Json::String(formats::time(text, schema)?);
            }
        }
        Some("byte") => {
            if let Some(text) = value.as_str() {
                *value = Json::String(formats::base64(text)?);
            }
        }
        _ => {}
    }
    Ok(())
}
