//! Pruning and defaulting of custom resources by their structural schema. Source: `apiextensions-apiserver/pkg/apiserver/
//! schema/{pruning,defaulting}`; the order is upstream's: prune, drop nulls, default.

use serde_json::{Map, Value as Json};

use super::{PrepareError, Unknown, shape};
use crate::resources::schema::Schema;
use crate::status::field::Path;

/// Fields that every embedded object has, whether its schema lists them or not.
const META: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// Prepares a whole object; its `metadata` is shaped as Go's `ObjectMeta`.
pub(super) fn prepare(schema: &Schema, object: &mut Json, unknown: &mut Unknown) -> Result<(), PrepareError> {
    if let (Some(metadata), Some(known)) = (object.get_mut("metadata"), schema.properties.get("metadata")) {
        if metadata.is_null() {
            *metadata = Json::Object(Map::new());
        }
        shape::shape(known.root(), metadata, &Path::ROOT.child("metadata"), unknown).map_err(of_metadata)?;
    }
    prune(Some(schema), object, &Path::ROOT, unknown);
    unknown.0.sort();
    drop_nulls(schema, object);
    default(schema, object);
    Ok(())
}

/// Returns the error as upstream words it, which decodes `metadata` on its own and names its fields without it.
fn of_metadata(error: PrepareError) -> PrepareError {
    match error {
        PrepareError::Mistyped { found, place, wanted } => {
            PrepareError::Mistyped { found, place: place.replace("ObjectMeta.metadata.", "ObjectMeta."), wanted }
        }
        other => other,
    }
}

pub(super) fn prune(schema: Option<&Schema>, value: &mut Json, path: &Path<'_>, unknown: &mut Unknown) {
    match value {
        Json::Object(object) => prune_fields(schema, object, path, unknown),
        Json::Array(members) => {
            let kept = schema.is_some_and(|schema| schema.preserve_unknown);
            let items = schema.and_then(|schema| schema.items.as_deref());
            for (index, member) in members.iter_mut().enumerate().filter(|_| !(kept && items.is_none())) {
                prune(items, member, &path.index(index), unknown);
            }
        }
        _ => {}
    }
}

fn prune_fields(schema: Option<&Schema>, object: &mut Map<String, Json>, path: &Path<'_>, unknown: &mut Unknown) {
    let root = matches!(path.depth(), 0);
    object.retain(|name, value| {
        if META.contains(&name.as_str()) && (root || schema.is_some_and(|schema| schema.embedded_resource)) {
            return true;
        }
        match schema.and_then(|schema| schema.field(name)) {
            Some(field) => {
                prune(Some(field), value, &path.child(name), unknown);
                true
            }
            None if schema.is_some_and(|schema| schema.preserve_unknown) => true,
            None => {
                unknown.record(path, name);
                false
            }
        }
    });
}

/// A null where none is allowed and no default waits is as if absent.
fn drop_nulls(schema: &Schema, value: &mut Json) {
    match value {
        Json::Object(object) => {
            object.retain(|name, value| {
                let droppable = schema.properties.get(name).is_some_and(|field| !field.nullable && field.default.is_none());
                !(value.is_null() && droppable)
            });
            for (name, value) in object.iter_mut() {
                if let Some(field) = schema.field(name) {
                    drop_nulls(field, value);
                }
            }
        }
        Json::Array(members) => {
            if let Some(items) = &schema.items {
                members.iter_mut().for_each(|member| drop_nulls(items, member));
            }
        }
        _ => {}
    }
}

fn default(schema: &Schema, value: &mut Json) {
    match value {
        Json::Object(object) => {
            for (name, field) in &schema.properties {
                if let Some(default) = &field.default
                    && name != "metadata"
                    && object.get(name).is_none_or(|value| value.is_null() && !field.nullable)
                {
                    object.insert(name.clone(), default.clone());
                }
            }
            for (name, value) in object.iter_mut() {
                if let Some(field) = schema.field(name) {
                    fill(field, value);
                }
            }
        }
        Json::Array(members) => {
            if let Some(items) = &schema.items {
                members.iter_mut().for_each(|member| fill(items, member));
            }
        }
        _ => {}
    }
}

fn fill(schema: &Schema, value: &mut Json) {
    if value.is_null()
        && !schema.nullable
        && let Some(default) = &schema.default
    {
        *value = default.clone();
    }
    default(schema, value);
}
