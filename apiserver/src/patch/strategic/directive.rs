//! The directives of objects, and what of a patch remains where it meets nothing.

use serde_json::{Map, Value as Json};

use super::{Fields, merge};
use crate::patch::{PatchError, go_text};

/// `replace` or `delete`, in objects and in members of lists.
pub(super) const PATCH: &str = "$patch";
/// Removes scalars from the list that is named behind the slash.
pub(super) const DELETE_FROM_PRIMITIVE_LIST: &str = "$deleteFromPrimitiveList";
/// Orders the list that is named behind the slash.
pub(super) const SET_ELEMENT_ORDER: &str = "$setElementOrder";
/// The fields that stay.
const RETAIN_KEYS: &str = "$retainKeys";

/// What a `$patch` means for members of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Directive {
    Delete,
    Replace,
}

/// The object that a patch with `$patch` leaves.
pub(super) fn of_object(mut patch: Fields) -> Result<Fields, PatchError> {
    match patch.get(PATCH).and_then(Json::as_str) {
        Some("replace") => {
            patch.remove(PATCH);
            Ok(patch)
        }
        Some("delete") => Ok(Fields::new()),
        _ => Err(unknown(&patch)),
    }
}

/// The directive of a member of a list; `None` for an ordinary member.
pub(super) fn of_member(member: &Fields) -> Result<Option<Directive>, PatchError> {
    match member.get(PATCH).map(Json::as_str) {
        None => Ok(None),
        Some(Some("delete")) => Ok(Some(Directive::Delete)),
        Some(Some("replace")) => Ok(Some(Directive::Replace)),
        Some(Some("merge")) => Err(PatchError::Failed("merging lists cannot yet be specified in the patch".into())),
        Some(_) => Err(unknown(member)),
    }
}

fn unknown(patch: &Fields) -> PatchError {
    let directive = patch.get(PATCH).map(go_text::plain).unwrap_or_default();
    let map = go_text::plain(&Json::Object(patch.clone()));
    PatchError::Failed(format!("unknown patch type: {directive} in map: {map}"))
}

/// Carries out `$retainKeys`: what it does not list goes, and the patch must not set it.
pub(super) fn retain_keys(original: &mut Fields, patch: &mut Fields) -> Result<(), PatchError> {
    let malformed = || PatchError::Malformed("invalid patch format of retainKeys".into());
    let Some(directive) = patch.remove(RETAIN_KEYS) else { return Ok(()) };
    let Json::Array(names) = directive else { return Err(malformed()) };
    let kept: std::collections::BTreeSet<&str> = names.iter().filter_map(Json::as_str).collect();
    let is_directive = |name: &str| name.starts_with(DELETE_FROM_PRIMITIVE_LIST) || name.starts_with(SET_ELEMENT_ORDER);
    let may_set = |(name, value): (&String, &Json)| value.is_null() || is_directive(name) || kept.contains(name.as_str());
    if !patch.iter().all(may_set) {
        return Err(malformed());
    }
    original.retain(|name, _| kept.contains(name.as_str()));
    Ok(())
}

/// The name behind the slash of `$directive/name`.
pub(super) fn list_name<'a>(key: &'a str, directive: &str) -> Result<&'a str, PatchError> {
    let name = key.strip_prefix(directive).and_then(|rest| rest.strip_prefix('/'));
    name.ok_or_else(|| malformed_list(directive))
}

/// The text for a directive of lists that is not as it must be.
pub(super) fn malformed_list(directive: &str) -> PatchError {
    let what = if directive == DELETE_FROM_PRIMITIVE_LIST { "primitive list" } else { "setElementOrder list" };
    PatchError::Malformed(format!("invalid patch format of {what}"))
}

/// What a value of the patch leaves where there was nothing to merge it with: no nulls, no objects with a `$patch`.
pub(super) fn cleaned(mut value: Json) -> Option<Json> {
    merge::without_nulls(&mut value);
    without_directives(value)
}

fn without_directives(value: Json) -> Option<Json> {
    match value {
        Json::Object(fields) if fields.contains_key(PATCH) => None,
        Json::Object(fields) => {
            let kept = fields.into_iter().filter_map(|(name, field)| Some((name, without_directives(field)?)));
            Some(Json::Object(kept.collect::<Map<_, _>>()))
        }
        Json::Array(items) => Some(Json::Array(items.into_iter().filter_map(without_directives).collect())),
        other => Some(other),
    }
}
