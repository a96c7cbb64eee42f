//! Merging lists.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use super::directive::{self, DELETE_FROM_PRIMITIVE_LIST, Directive};
use super::element::{self, Identity};
use super::{Fields, items_of, merge_objects, order};
use crate::patch::ordered::Ordered;
use crate::patch::{PatchError, merge as merge_patch};
use crate::resources::Schema;

/// `original` with the list `patch`: merged where the schema says so, otherwise the patch takes its place.
pub(super) fn merge(original: Vec<Json>, mut patch: Vec<Json>, schema: &Schema) -> Result<Vec<Json>, PatchError> {
    let Some(key) = schema.patch_merge_key.as_deref() else {
        patch.iter_mut().for_each(merge_patch::without_nulls);
        return Ok(patch);
    };
    let identity = match element::identity([&original, &patch], Some(key))? {
        None => return Ok(original),
        Some(identity) => identity,
    };
    match identity {
        Identity::Itself => {
            let merged = original.iter().chain(&patch).cloned().collect();
            order::arranged(distinct(merged), &patch, &original, identity)
        }
        Identity::Key(key) => {
            let (original, patch) = carry_out(original, patch, key)?;
            let merged = merge_members(original.clone(), &patch, key, items_of(schema))?;
            order::arranged(merged, &patch, &original, identity)
        }
    }
}

/// `current` without the members of `removed`.
pub(super) fn without(current: Vec<Json>, removed: &[Json]) -> Result<Vec<Json>, PatchError> {
    if removed.iter().any(|member| member.is_object() || member.is_array()) {
        return Err(directive::malformed_list(DELETE_FROM_PRIMITIVE_LIST));
    }
    let removed: BTreeSet<Ordered> = removed.iter().cloned().map(Ordered).collect();
    Ok(current.into_iter().filter(|member| !removed.contains(&Ordered(member.clone()))).collect())
}

fn distinct(members: Vec<Json>) -> Vec<Json> {
    let mut seen = BTreeSet::new();
    members.into_iter().filter(|member| seen.insert(Ordered(member.clone()))).collect()
}

/// Carries out the directives among the members of `patch`; both lists as they are to be merged.
fn carry_out(original: Vec<Json>, patch: Vec<Json>, key: &str) -> Result<(Vec<Json>, Vec<Json>), PatchError> {
    let (mut ordinary, mut deleted, mut replaces) = (Vec::new(), BTreeSet::new(), false);
    for member in patch {
        let Json::Object(fields) = &member else { return Err(element::bad_type("map[string]interface {}", &member)) };
        match directive::of_member(fields)? {
            None => ordinary.push(member),
            Some(Directive::Replace) => replaces = true,
            Some(Directive::Delete) => {
                deleted.insert(Ordered(fields.get(key).ok_or_else(|| element::no_merge_key(fields, key))?.clone()));
            }
        }
    }
    if replaces {
        return Ok((ordinary, Vec::new()));
    }
    let stays = |member: &Json| member.get(key).is_none_or(|value| !deleted.contains(&Ordered(value.clone())));
    Ok((original.into_iter().filter(stays).collect(), ordinary))
}

/// Merges each member of `patch` into the member with its merge key, or adds it.
fn merge_members(mut original: Vec<Json>, patch: &[Json], key: &str, items: &Schema) -> Result<Vec<Json>, PatchError> {
    let identity = Identity::Key(key);
    let mut positions = identity.positions(&original)?;
    for member in patch {
        let known = identity.of(member)?;
        match positions.get(&known).and_then(|&position| original.get_mut(position)) {
            Some(current) => *current = Json::Object(merge_objects(fields(current.take()), fields(member.clone()), items)?),
            None => {
                positions.insert(known, original.len());
                let mut added = member.clone();
                merge_patch::without_nulls(&mut added);
                original.push(added);
            }
        }
    }
    Ok(original)
}

fn fields(value: Json) -> Fields {
    match value {
        Json::Object(fields) => fields,
        _ => Fields::new(),
    }
}
