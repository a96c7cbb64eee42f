//! One operation of a JSON patch.

use serde::{Deserialize, Deserializer};
use serde_json::Value as Json;

use super::budget::Budget;
use super::pointer::{self, Place};
use crate::patch::PatchError;

/// One step, as it came. Members are looked at when the step is taken, so that a fault has the text of its step.
#[derive(Debug, Deserialize)]
pub(super) struct Operation {
    #[serde(default, deserialize_with = "present")]
    op: Option<Json>,
    #[serde(default, deserialize_with = "present")]
    path: Option<Json>,
    #[serde(default, deserialize_with = "present")]
    from: Option<Json>,
    #[serde(default)]
    value: Json,
}

/// Explicit nulls count as absent, as for upstream.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Json>, D::Error> {
    Json::deserialize(deserializer).map(|value| Some(value).filter(|value| !value.is_null()))
}

impl Operation {
    /// Takes the step on `document`.
    pub(super) fn apply(self, document: &mut Json, budget: &mut Budget) -> Result<(), PatchError> {
        match self.op.as_ref().and_then(Json::as_str).unwrap_or("unknown") {
            "add" => self.add(document, budget),
            "remove" => self.remove(document, budget),
            "replace" => self.replace(document, budget),
            "move" => self.move_value(document, budget),
            "copy" => self.copy(document, budget),
            "test" => self.test(document),
            other => Err(unfit(format!("Unexpected kind: {other}"))),
        }
    }

    fn path(&self, operation: &str) -> Result<&str, PatchError> {
        text(self.path.as_ref()).ok_or_else(|| {
            unfit(format!("{operation} operation failed to decode path: operation missing path field: missing value"))
        })
    }

    fn from(&self, operation: &str) -> Result<&str, PatchError> {
        text(self.from.as_ref()).ok_or_else(|| {
            unfit(format!("{operation} operation failed to decode from: operation, missing from field: missing value"))
        })
    }

    fn add(mut self, document: &mut Json, budget: &mut Budget) -> Result<(), PatchError> {
        let value = std::mem::take(&mut self.value);
        let path = self.path("add")?;
        budget.add(&value, pointer::level(path))?;
        let place = pointer::find(document, path).ok_or_else(|| missing("add", "path", &format!("{path:?}")))?;
        put(place, value, budget, &|why| format!("error in add for path: '{path}': {why}"))
    }

    fn remove(&self, document: &mut Json, budget: &mut Budget) -> Result<(), PatchError> {
        let path = self.path("remove")?;
        let place = pointer::find(document, path).ok_or_else(|| missing("remove", "path", &format!("{path:?}")))?;
        take(place, budget, &|why| format!("error in remove for path: '{path}': {why}")).map(drop)
    }

    fn replace(mut self, document: &mut Json, budget: &mut Budget) -> Result<(), PatchError> {
        let value = std::mem::take(&mut self.value);
        let path = self.path("replace")?;
        budget.add(&value, pointer::level(path))?;
        match (path, value) {
            ("", value @ (Json::Object(_) | Json::Array(_))) => *document = value,
            ("", _) => return Err(unfit("replace operation value must be object or array".into())),
            (path, value) => match pointer::find(document, path).ok_or_else(|| missing("replace", "path", path))? {
                Place::Object(fields, key) => {
                    fields.insert(key, value);
                }
                Place::Array(items, key) => {
                    let position = pointer::existing(&key, items.len()).map_err(|_| missing("replace", "key", path))?;
                    if let Some(item) = items.get_mut(position) {
                        *item = value;
                    }
                }
            },
        }
        Ok(())
    }

    fn move_value(&self, document: &mut Json, budget: &mut Budget) -> Result<(), PatchError> {
        let from = self.from("move")?;
        let source = pointer::find(document, from).ok_or_else(|| missing("move", "from path", from))?;
        let key = from.rsplit('/').next().unwrap_or_default();
        let value = take(source, budget, &|why| format!("error in move for path: '{key}': {why}"))?;
        let path = self.path("move")?;
        budget.place(&value, pointer::level(path))?;
        let target = pointer::find(document, path).ok_or_else(|| missing("move", "destination path", path))?;
        put(target, value, budget, &|why| format!("error in move for path: '{path}': {why}"))
    }

    fn copy(&self, document: &mut Json, budget: &mut Budget) -> Result<(), PatchError> {
        let from = self.from("copy")?;
        let source = pointer::find(document, from).ok_or_else(|| missing("copy", "from path", from))?;
        let value = match source {
            Place::Object(fields, key) => fields.get(&key),
            Place::Array(items, key) => {
                let position = pointer::existing(&key, items.len())
                    .map_err(|why| unfit(format!("error in copy for from: '{from}': {why}")))?;
                items.get(position)
            }
        };
        // Counted before it is made: a refused copy must not cost its memory.
        budget.copy(value.map_or(0, bytes))?;
        let value = value.cloned().unwrap_or_default();
        let path = self.path("copy")?;
        budget.place(&value, pointer::level(path))?;
        let target = pointer::find(document, path).ok_or_else(|| missing("copy", "destination path", path))?;
        put(target, value, budget, &|why| format!("error while adding value during copy: {why}"))
    }

    fn test(&self, document: &mut Json) -> Result<(), PatchError> {
        let path = self.path("test")?;
        let failed = || unfit(format!("testing value {path} failed: test failed"));
        let found = match path {
            "" => Some(&*document),
            path => match pointer::find(document, path)
                .ok_or_else(|| unfit(format!("test operation does not apply: is missing path: {path}: missing value")))?
            {
                Place::Object(fields, key) => fields.get(&key),
                Place::Array(items, key) => {
                    let position = pointer::existing(&key, items.len())
                        .map_err(|why| unfit(format!("error in test for path: '{path}': {why}")))?;
                    items.get(position)
                }
            },
        };
        if *found.unwrap_or(&Json::Null) == self.value { Ok(()) } else { Err(failed()) }
    }
}

fn text(member: Option<&Json>) -> Option<&str> {
    member.and_then(Json::as_str)
}

/// Puts `value` where `place` says: a field, or a new member of an array.
fn put(place: Place<'_>, value: Json, budget: &mut Budget, text: &dyn Fn(String) -> String) -> Result<(), PatchError> {
    match place {
        Place::Object(fields, key) => {
            fields.insert(key, value);
        }
        Place::Array(items, key) => {
            let position = pointer::insertion(&key, items.len()).map_err(|why| unfit(text(why.to_string())))?;
            budget.shift(items.len() - position)?;
            items.insert(position, value);
        }
    }
    Ok(())
}

/// Takes out what `place` says.
fn take(place: Place<'_>, budget: &mut Budget, text: &dyn Fn(String) -> String) -> Result<Json, PatchError> {
    match place {
        Place::Object(fields, key) => {
            fields.remove(&key).ok_or_else(|| unfit(text(format!("Unable to remove nonexistent key: {key}: missing value"))))
        }
        Place::Array(items, key) => {
            let position = pointer::existing(&key, items.len()).map_err(|why| unfit(text(why.to_string())))?;
            budget.shift(items.len() - position)?;
            Ok(items.remove(position))
        }
    }
}

/// The length of `value` as JSON, near enough: strings without their escapes.
fn bytes(value: &Json) -> usize {
    match value {
        Json::Object(fields) => 2 + fields.iter().map(|(name, field)| name.len() + 4 + bytes(field)).sum::<usize>(),
        Json::Array(items) => 2 + items.iter().map(|item| 1 + bytes(item)).sum::<usize>(),
        Json::String(text) => text.len() + 2,
        Json::Null | Json::Bool(_) | Json::Number(_) => 4,
    }
}

fn unfit(message: String) -> PatchError {
    PatchError::Unfit(message)
}

fn missing(operation: &str, what: &str, path: &str) -> PatchError {
    unfit(format!("{operation} operation does not apply: doc is missing {what}: {path}: missing value"))
}
