//! `json.filter`, `json.remove`, `json.patch` and `object.subset` (OPA: `v1/topdown/{json,subset}.go`).

use std::collections::BTreeMap;

use regorus::Value;
use regorus::value::{Object, Set};

use super::error::BuiltinError;
use super::{Builtin, operand};
use crate::rego::order;

mod patch;
mod path;
mod subset;
mod tree;

use path::Path;

pub(super) const BUILTINS: &[Builtin] = &[
    Builtin { name: "json.filter", operands: 2, call: filter },
    Builtin { name: "json.patch", operands: 2, call: patch::patch },
    Builtin { name: "json.remove", operands: 2, call: remove },
    Builtin { name: "object.subset", operands: 2, call: subset::subset },
];

/// What several paths lead to.
enum Paths {
    /// All that is here.
    Whole,
    /// What is below these keys.
    Below(BTreeMap<Value, Paths>),
}

fn filter(values: &[Value]) -> Result<Value, BuiltinError> {
    object(values)?;
    Ok(kept(operand::any(values, 1), &paths(values)?))
}

fn remove(values: &[Value]) -> Result<Value, BuiltinError> {
    object(values)?;
    Ok(left(operand::any(values, 1), Some(&paths(values)?)).unwrap_or(Value::Undefined))
}

fn object(values: &[Value]) -> Result<(), BuiltinError> {
    match operand::any(values, 1) {
        Value::Object(_) => Ok(()),
        other => Err(operand::wrong(1, "object", other)),
    }
}

fn paths(values: &[Value]) -> Result<Paths, BuiltinError> {
    let listed: Vec<&Value> = match operand::any(values, 2) {
        Value::Array(items) => items.iter().collect(),
        Value::Set(items) => order::members(items).map_err(|error| BuiltinError::Limit(error.to_string()))?,
        other => return Err(operand::wrong(2, "one of {set, array}", other)),
    };
    let mut root = BTreeMap::new();
    for written in listed {
        insert(&mut root, path::read(written)?);
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
    node.insert(last, Paths::Whole);
}

impl Paths {
    fn below(&self, key: &Value) -> Option<&Self> {
        match self {
            Self::Whole => None,
            Self::Below(keys) => keys.get(key),
        }
    }

    /// Elements of arrays have texts for names.
    fn at(&self, index: usize) -> Option<&Self> {
        self.below(&Value::from(index.to_string()))
    }
}

/// What paths lead to. One that goes on where there is nothing more leads to what is there.
fn kept(value: &Value, paths: &Paths) -> Value {
    if matches!(paths, Paths::Whole) {
        return value.clone();
    }
    match value {
        Value::Array(items) => {
            let elements = items.iter().enumerate();
            elements.filter_map(|(at, item)| Some(kept(item, paths.at(at)?))).collect::<Vec<_>>().into()
        }
        Value::Set(items) => items.iter_sorted().filter_map(|item| Some(kept(item, paths.below(item)?))).collect::<Set>().into(),
        Value::Object(members) => {
            let pairs = members.iter_sorted();
            pairs.filter_map(|(key, value)| Some((key.clone(), kept(value, paths.below(key)?)))).collect::<Object>().into()
        }
        scalar => scalar.clone(),
    }
}

/// What is left without that which paths lead to.
fn left(value: &Value, paths: Option<&Paths>) -> Option<Value> {
    let Some(paths) = paths else { return Some(value.clone()) };
    if matches!(paths, Paths::Whole) {
        return None;
    }
    Some(match value {
        Value::Array(items) => {
            items.iter().enumerate().filter_map(|(at, item)| left(item, paths.at(at))).collect::<Vec<_>>().into()
        }
        Value::Set(items) => items.iter_sorted().filter_map(|item| left(item, paths.below(item))).collect::<Set>().into(),
        Value::Object(members) => {
            let pairs = members.iter_sorted();
            pairs.filter_map(|(key, value)| Some((key.clone(), left(value, paths.below(key))?))).collect::<Object>().into()
        }
        scalar => scalar.clone(),
    })
}
