//! Members of a list as the merge sees them: a scalar is itself, an object is the value of its merge key.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::Fields;
use crate::patch::ordered::Ordered;
use crate::patch::{PatchError, go_text};

/// By what members of a list are told apart.
#[derive(Clone, Copy, Debug)]
pub(super) enum Identity<'a> {
    /// A list of scalars.
    Itself,
    /// A list of objects, by this field.
    Key(&'a str),
}

impl Identity<'_> {
    /// What `member` is known by.
    pub(super) fn of(self, member: &Json) -> Result<Ordered, PatchError> {
        match (self, member) {
            (Self::Itself, scalar) => Ok(Ordered(scalar.clone())),
            (Self::Key(key), Json::Object(fields)) => match fields.get(key) {
                Some(value) => Ok(Ordered(value.clone())),
                None => Err(no_merge_key(fields, key)),
            },
            (Self::Key(_), other) => Err(bad_type("map[string]interface {}", other)),
        }
    }

    /// The first position of each member.
    pub(super) fn positions(self, members: &[Json]) -> Result<BTreeMap<Ordered, usize>, PatchError> {
        let mut positions = BTreeMap::new();
        for (position, member) in members.iter().enumerate() {
            positions.entry(self.of(member)?).or_insert(position);
        }
        Ok(positions)
    }
}

/// How the members of all `lists` are told apart; all must be objects, or all scalars of one type. `None` without members.
pub(super) fn identity<'a>(lists: [&[Json]; 2], key: Option<&'a str>) -> Result<Option<Identity<'a>>, PatchError> {
    let mut members = lists.into_iter().flatten();
    let Some(first) = members.next() else { return Ok(None) };
    let same = |member: &Json| std::mem::discriminant(member) == std::mem::discriminant(first);
    match first {
        Json::Array(_) => Err(PatchError::Unfit("lists of lists are not supported".into())),
        _ if !members.all(same) => {
            let shown: Vec<String> = lists.iter().map(|list| go_text::plain(&Json::Array(list.to_vec()))).collect();
            Err(PatchError::Failed(format!("list element types are not identical: [{}]", shown.join(" "))))
        }
        Json::Object(_) => match key.filter(|key| !key.is_empty()) {
            Some(key) => Ok(Some(Identity::Key(key))),
            None => Err(PatchError::Failed("cannot merge lists without merge key for struct".into())),
        },
        _ => Ok(Some(Identity::Itself)),
    }
}

/// The text for an object without its merge key.
pub(super) fn no_merge_key(fields: &Fields, key: &str) -> PatchError {
    let map = go_text::plain(&Json::Object(fields.clone()));
    PatchError::Failed(format!("map: {map} does not contain declared merge key: {key}"))
}

/// The text for a value of another type than the format asks for.
pub(super) fn bad_type(expected: &str, got: &Json) -> PatchError {
    PatchError::Failed(format!("expected a {expected}, but received a {}", go_text::type_name(got)))
}
