//! The order of merged lists: `$setElementOrder`, then the patch's, then the live object's. Source: the design "preserve
//! order in strategic merge patch", `mergePatchIntoOriginal` and `normalizeElementOrder`.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::directive::{self, PATCH, SET_ELEMENT_ORDER};
use super::element::{self, Identity};
use super::{Fields, field_of, list};
use crate::patch::ordered::Ordered;
use crate::patch::{PatchError, go_text};
use crate::resources::Schema;

/// Merges every list that has a `$setElementOrder`, and takes both out of the patch.
pub(super) fn merge_ordered_lists(original: &mut Fields, patch: &mut Fields, schema: &Schema) -> Result<(), PatchError> {
    let directives: Vec<String> = patch.keys().filter(|key| key.starts_with(SET_ELEMENT_ORDER)).cloned().collect();
    for key in directives {
        let order = array(patch.remove(&key).unwrap_or_default())?;
        let name = directive::list_name(&key, SET_ELEMENT_ORDER)?;
        let live = original.get(name).cloned().map(array).transpose()?;
        let changes = patch.remove(name).map(array).transpose()?;
        if let Some(merged) = merge_ordered(live, changes, &order, field_of(schema, name))? {
            original.insert(name.to_owned(), Json::Array(merged));
        }
    }
    Ok(())
}

fn array(value: Json) -> Result<Vec<Json>, PatchError> {
    match value {
        Json::Array(items) => Ok(items),
        other => Err(element::bad_type("[]interface {}", &other)),
    }
}

fn merge_ordered(
    live: Option<Vec<Json>>,
    changes: Option<Vec<Json>>,
    order: &[Json],
    schema: &Schema,
) -> Result<Option<Vec<Json>>, PatchError> {
    let key = schema.patch_merge_key.as_deref().filter(|key| !key.is_empty());
    let identity = key.map_or(Identity::Itself, Identity::Key);
    in_order(changes.as_deref().unwrap_or_default(), order, identity)?;
    let server_order = live.clone().unwrap_or_default();
    let merged = match (live, changes) {
        (None, None) => return Ok(None),
        (Some(live), None) => live,
        (Some(live), Some(changes)) => list::merge(live, changes, schema)?,
        (None, Some(changes)) => match directive::cleaned(Json::Array(changes)) {
            Some(cleaned) => array(cleaned)?,
            None => return Ok(None),
        },
    };
    arranged(merged, order, &server_order, identity).map(Some)
}

/// The patch's members must stand in the order that the directive gives, and be in it.
fn in_order(changes: &[Json], order: &[Json], identity: Identity<'_>) -> Result<(), PatchError> {
    if order.is_empty() {
        return Ok(());
    }
    let mut rest = order.iter();
    for change in changes.iter().filter(|change| change.get(PATCH).is_none()) {
        let wanted = identity.of(change)?;
        loop {
            let Some(next) = rest.next() else {
                let shown = |list: &[Json]| go_text::plain(&Json::Array(list.to_vec()));
                return Err(PatchError::Failed(format!(
                    "The order in patch list:\n{}\n doesn't match {SET_ELEMENT_ORDER} list:\n{}\n",
                    shown(changes),
                    shown(order)
                )));
            };
            if identity.of(next)? == wanted {
                break;
            }
        }
    }
    Ok(())
}

/// `merged` in order: what is in `patch_order` as there, the others as in `server_order`, and each of the others before
/// the first member that stood behind it on the server.
pub(super) fn arranged(
    merged: Vec<Json>,
    patch_order: &[Json],
    server_order: &[Json],
    identity: Identity<'_>,
) -> Result<Vec<Json>, PatchError> {
    let patched = identity.positions(patch_order)?;
    let served = identity.positions(server_order)?;
    let (mut ours, mut others) = (Vec::new(), Vec::new());
    for member in merged {
        let known = identity.of(&member)?;
        match patched.get(&known) {
            Some(&position) => ours.push((position, known, member)),
            None => others.push((served.get(&known).copied().unwrap_or(usize::MAX), known, member)),
        }
    }
    ours.sort_by_key(|(position, ..)| *position);
    others.sort_by_key(|(position, ..)| *position);
    Ok(interleaved(others, ours, &served))
}

type Placed = (usize, Ordered, Json);

fn interleaved(others: Vec<Placed>, ours: Vec<Placed>, served: &BTreeMap<Ordered, usize>) -> Vec<Json> {
    let mut arranged = Vec::with_capacity(others.len() + ours.len());
    let mut others = others.into_iter().peekable();
    for (_, known, member) in ours {
        if let Some(&behind) = served.get(&known) {
            while let Some((_, _, other)) = others.next_if(|(position, ..)| *position < behind) {
                arranged.push(other);
            }
        }
        arranged.push(member);
    }
    arranged.extend(others.map(|(_, _, other)| other));
    arranged
}
