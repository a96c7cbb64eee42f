//! `json.filter` and `json.remove` (`v1/topdown/json.go`; `v1/ast/term.go`, `filterObject`).

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::mem::take;

use super::super::operand::{at, items, object};
use super::super::{BuiltinError, Context};
use super::path::{self, Path};
use crate::limits::Halt;
use crate::value::{Value, deep};

type Answer = Result<Option<Value>, BuiltinError>;

/// What several paths lead to: all that is there, or what is below these keys.
enum Paths {
    Whole,
    Below(BTreeMap<Value, Self>),
}

pub(super) fn filter(context: &mut Context, operands: &[&Value]) -> Answer {
    object(operands, 0)?;
    let paths = paths(context, operands)?;
    Ok(Some(kept(context, at(operands, 0)?, &paths)?))
}

pub(super) fn remove(context: &mut Context, operands: &[&Value]) -> Answer {
    object(operands, 0)?;
    let paths = paths(context, operands)?;
    Ok(left(context, at(operands, 0)?, Some(&paths))?)
}

fn paths(context: &mut Context, operands: &[&Value]) -> Result<Paths, BuiltinError> {
    let mut root = BTreeMap::new();
    for written in items(operands, 1, &["set", "array"])? {
        let path = path::read(context, written)?;
        context.account.charge(path.len().saturating_mul(64))?;
        insert(&mut root, path);
    }
    Ok(Paths::Below(root))
}

/// A path that leads to less than another is that other one; an empty one leads nowhere.
fn insert(root: &mut BTreeMap<Value, Paths>, mut path: Path) {
    let Some(last) = path.pop() else { return };
    let mut node = root;
    for key in path {
        match node.entry(key).or_insert_with(|| Paths::Below(BTreeMap::new())) {
            Paths::Whole => return,
            Paths::Below(below) => node = below,
        }
    }
    match node.entry(last) {
        Entry::Vacant(place) => {
            place.insert(Paths::Whole);
        }
        Entry::Occupied(mut place) => *place.get_mut() = Paths::Whole,
    }
}

impl Paths {
    fn below(&self, key: &Value) -> Option<&Self> {
        match self {
            Self::Whole => None,
            Self::Below(keys) => keys.get(key),
        }
    }

    /// Items of arrays have texts for names.
    fn at(&self, index: usize) -> Option<&Self> {
        self.below(&Value::from(index.to_string()))
    }
}

impl Drop for Paths {
    fn drop(&mut self) {
        let mut pending = vec![];
        let hand_over = |paths: &mut Self, pending: &mut Vec<Self>| {
            if let Self::Below(keys) = paths {
                pending.extend(take(keys).into_values());
            }
        };
        hand_over(self, &mut pending);
        while let Some(mut paths) = pending.pop() {
            hand_over(&mut paths, &mut pending);
        }
    }
}

/// What paths lead to. One that goes on where there is nothing more leads to what is there.
fn kept(context: &mut Context, value: &Value, paths: &Paths) -> Result<Value, Halt> {
    context.account.charge(size_of::<(Value, Value)>())?;
    context.account.step(1)?;
    if matches!(paths, Paths::Whole) {
        return Ok(value.clone());
    }
    deep::level(value.depth(), || match value {
        Value::Array(array) => {
            let mut found = Vec::new();
            for (at, item) in array.items().iter().enumerate() {
                context.account.step(1)?;
                if let Some(paths) = paths.at(at) {
                    found.push(kept(context, item, paths)?);
                }
            }
            Ok(Value::array(found))
        }
        Value::Set(set) => {
            let mut found = Vec::new();
            for member in set.members() {
                context.account.step(1)?;
                if let Some(paths) = paths.below(member) {
                    found.push(kept(context, member, paths)?);
                }
            }
            Ok(Value::set(found))
        }
        Value::Object(object) => {
            let mut found = Vec::new();
            for (key, value) in object.iter() {
                context.account.step(1)?;
                if let Some(paths) = paths.below(key) {
                    found.push((key.clone(), kept(context, value, paths)?));
                }
            }
            Ok(Value::object(found))
        }
        scalar => Ok(scalar.clone()),
    })
}

/// What is left without that which paths lead to.
fn left(context: &mut Context, value: &Value, paths: Option<&Paths>) -> Result<Option<Value>, Halt> {
    context.account.step(1)?;
    let Some(paths) = paths else { return Ok(Some(value.clone())) };
    if matches!(paths, Paths::Whole) {
        return Ok(None);
    }
    deep::level(value.depth(), || {
        context.account.charge(value.as_collection().unwrap_or(0).saturating_mul(size_of::<(Value, Value)>()))?;
        Ok(Some(match value {
            Value::Array(array) => {
                let items = array.items().iter().enumerate().map(|(at, item)| left(context, item, paths.at(at)));
                Value::array(items.filter_map(Result::transpose).collect::<Result<Vec<_>, _>>()?)
            }
            Value::Set(set) => {
                let members = set.members().iter().map(|member| left(context, member, paths.below(member)));
                Value::set(members.filter_map(Result::transpose).collect::<Result<Vec<_>, _>>()?)
            }
            Value::Object(object) => {
                let mut members = Vec::with_capacity(object.len());
                for (key, value) in object.iter() {
                    if let Some(value) = left(context, value, paths.below(key))? {
                        members.push((key.clone(), value));
                    }
                }
                Value::object(members)
            }
            scalar => scalar.clone(),
        }))
    })
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{answer, call, context};
    use crate::value::Value;

    /// As OPA 1.22 answers with `--strict-builtin-errors`.
    #[test]
    fn documents_are_cut_as_in_opa() {
        let mut context = context();
        for (name, operands, expected) in [
            ("json.filter", r#"[{"a": {"b": 1, "c": 2}, "d": [1, 2, 3]}, ["a/b", "/d/1"]]"#, r#"{"a": {"b": 1}, "d": [2]}"#),
            ("json.filter", r#"[{"a": {"b": 1, "c": 2}}, [["a", "c"], "x/y"]]"#, r#"{"a": {"c": 2}}"#),
            ("json.filter", r#"[{"a": {"b": 1, "c": 2}}, ["a/b", "a"]]"#, r#"{"a": {"b": 1, "c": 2}}"#),
            ("json.filter", r#"[{"a": 1, "b": 2}, ["a/b/c"]]"#, r#"{"a": 1}"#),
            ("json.filter", r#"[{"a": {"set": [{"x": 1, "y": 2}, 5]}}, [["a", {"x": 1, "y": 2}, "x"]]]"#, r#"{"a": {{"x": 1}}}"#),
            ("json.filter", r#"[{"a~/b": 1, "c": 2}, ["a~0~1b"]]"#, r#"{"a~/b": 1}"#),
            ("json.filter", r#"[{"a": 1}, [""]]"#, "{}"),
            (
                "json.filter",
                r#"[{"a": 1}, [1]]"#,
                "eval_type_error: json.filter: operand 2 must be one of {set, array} containing string paths or array of path segments but got number",
            ),
            (
                "json.filter",
                r#"[{"a": 1}, "a"]"#,
                "eval_type_error: json.filter: operand 2 must be one of {set, array} but got string",
            ),
            (
                "json.remove",
                r#"[{"a": {"b": 1, "c": 2}, "d": [1, 2, 3]}, ["a/b", "d/1", "x/y"]]"#,
                r#"{"a": {"c": 2}, "d": [1, 3]}"#,
            ),
            ("json.remove", r#"[{"a": {"set": [1, 2]}}, [["a", 1]]]"#, r#"{"a": {2}}"#),
            ("json.remove", r#"[{"a": 1}, []]"#, r#"{"a": 1}"#),
            ("json.remove", r#"[[1], []]"#, "eval_type_error: json.remove: operand 1 must be object but got array"),
        ] {
            assert_eq!(answer(&mut context, name, operands), expected, "{name} {operands}");
        }
    }

    #[test]
    fn deep_documents_overflow_nothing() {
        let document = (0..9_000).fold(Value::object([]), |value, _| Value::object([("a".into(), value)]));
        let path = Value::array([Value::array((0..8_000).map(|_| Value::from("a")))]);
        let mut context = context();
        let kept = call(&mut context, "json.filter", &[document.clone(), path.clone()]).unwrap().unwrap();
        let left = call(&mut context, "json.remove", &[document, path]).unwrap().unwrap();
        assert_eq!((kept.depth(), left.depth()), (9_001, 8_000));
    }
}
