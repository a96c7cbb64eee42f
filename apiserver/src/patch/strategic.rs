//! Strategic merge patch: a merge patch that merges lists by the merge keys of the schema, and knows directives. Source of
//! the rules and texts: `apimachinery` `pkg/util/strategicpatch`, the server's half (`MergeParallelList`,
//! `IgnoreUnmatchedNulls`).
//!
//! | in the patch | where | does |
//! |---|---|---|
//! | `$patch: replace` | object | the patch takes the object's place |
//! | `$patch: replace` | member of a list | the patch's list takes the list's place |
//! | `$patch: delete` | object, member of a list | empties the object; removes the members with this merge key |
//! | `$retainKeys: [...]` | object | removes every other field |
//! | `$setElementOrder/x: [...]` | beside a list `x` | the order of the merged list |
//! | `$deleteFromPrimitiveList/x: [...]` | beside a list `x` of scalars | removes these members |
//!
//! Unlike upstream, positions are looked up, not searched for: a patch of a long list costs no square of its length.

mod directive;
mod element;
mod list;
mod order;

use std::sync::LazyLock;

use serde_json::{Map, Value as Json};

use self::directive::{DELETE_FROM_PRIMITIVE_LIST, PATCH};
use super::{PatchError, merge};
use crate::resources::Schema;

/// What is not in the schema: no merge keys below it.
static UNKNOWN: LazyLock<Schema> = LazyLock::new(Schema::default);

type Fields = Map<String, Json>;

/// `live` with the strategic merge patch `patch`.
pub fn strategic(schema: &Schema, live: &Json, patch: &Json) -> Result<Json, PatchError> {
    let patch = merge::object(patch, "")?;
    let live = match live {
        Json::Object(fields) => fields.clone(),
        _ => Fields::new(),
    };
    merge_objects(live, patch.clone(), schema).map(Json::Object)
}

fn merge_objects(mut original: Fields, mut patch: Fields, schema: &Schema) -> Result<Fields, PatchError> {
    if patch.contains_key(PATCH) {
        return directive::of_object(patch);
    }
    directive::retain_keys(&mut original, &mut patch)?;
    order::merge_ordered_lists(&mut original, &mut patch, schema)?;
    for (name, value) in patch {
        merge_field(&mut original, &name, value, schema)?;
    }
    Ok(original)
}

fn merge_field(original: &mut Fields, name: &str, value: Json, schema: &Schema) -> Result<(), PatchError> {
    let (name, deletes) = match name.starts_with(DELETE_FROM_PRIMITIVE_LIST) {
        true => (directive::list_name(name, DELETE_FROM_PRIMITIVE_LIST)?, true),
        false => (name, false),
    };
    if value.is_null() {
        original.remove(name);
        return Ok(());
    }
    let field = field_of(schema, name);
    let merged = match (original.remove(name), value) {
        (Some(Json::Object(current)), Json::Object(patch)) => Some(Json::Object(merge_objects(current, patch, field)?)),
        (Some(Json::Array(current)), Json::Array(patch)) if deletes => Some(Json::Array(list::without(current, &patch)?)),
        (Some(Json::Array(current)), Json::Array(patch)) => Some(Json::Array(list::merge(current, patch, field)?)),
        (current, _) if deletes => current,
        (_, value) => directive::cleaned(value),
    };
    if let Some(merged) = merged {
        original.insert(name.to_owned(), merged);
    }
    Ok(())
}

fn field_of<'a>(schema: &'a Schema, name: &str) -> &'a Schema {
    schema.properties.get(name).or(schema.values.as_ref()).map_or(&UNKNOWN, |field| field)
}

fn items_of(schema: &Schema) -> &Schema {
    schema.items.as_ref().map_or(&UNKNOWN, |items| items)
}

#[cfg(test)]
mod tests;
