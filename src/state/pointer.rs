//! The same writes inside one decoded JSON document, arrays included, as OPA's storage means them.

use serde_json::Value as Json;

use super::tree::WriteError;

/// A way to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Upsert, making parents.
    Put,
    /// JSON Patch `add`: upsert a member, insert an element; the parent must exist.
    Add,
    /// JSON Patch `replace`: what is replaced must exist.
    Replace,
    /// JSON Patch `remove`: what is removed must exist.
    Remove,
}

/// `/a/b`, as OPA shows paths in errors.
pub(crate) fn show(path: &[String]) -> String {
    path.iter().fold(String::new(), |shown, name| shown + "/" + name)
}

pub(super) fn missing(path: &[String]) -> WriteError {
    WriteError::NotFound(format!("{}: document does not exist", show(path)))
}

/// Why a DELETE found nothing: OPA looks before it removes, and the end of an array is no element.
pub(crate) fn not_there(error: WriteError, path: &[String]) -> WriteError {
    let why = |last: &String| if last == "-" { "must be integer" } else { "out of range" };
    match (&error, path.last().map(why)) {
        (WriteError::Invalid(_), Some(why)) => WriteError::NotFound(format!("{}: array index {why}", show(path))),
        _ => error,
    }
}

/// Levels of nesting: 0 for a scalar.
pub(super) fn depth(value: &Json) -> usize {
    match value {
        Json::Object(members) => 1 + members.values().map(depth).max().unwrap_or(0),
        Json::Array(elements) => 1 + elements.iter().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

/// Writes at `path[at..]` of a document that stands at `path[..at]`.
pub(super) fn apply(document: &mut Json, op: Op, path: &[String], at: usize, value: &Json) -> Result<(), WriteError> {
    let Some((name, rest)) = path.get(at..).and_then(<[String]>::split_first) else { return Ok(()) };
    if rest.is_empty() {
        return write_last(document, op, path, name, value);
    }
    if op == Op::Put && document.as_object().is_some_and(|members| !members.contains_key(name)) {
        let nested =
            rest.iter().rev().fold(value.clone(), |inner, name| Json::Object([(name.clone(), inner)].into_iter().collect()));
        return write_last(document, Op::Put, path, name, &nested);
    }
    let child = match document {
        Json::Object(members) => members.get_mut(name),
        Json::Array(elements) => index(name).and_then(|i| elements.get_mut(i)),
        _ => None,
    };
    match child {
        Some(child) => apply(child, op, path, at + 1, value),
        None if op == Op::Put => Err(WriteError::BelowScalar(show(path.get(..at).unwrap_or_default()))),
        None => Err(missing(path)),
    }
}

fn write_last(parent: &mut Json, op: Op, path: &[String], name: &str, value: &Json) -> Result<(), WriteError> {
    match parent {
        Json::Object(members) if matches!(op, Op::Put | Op::Add) || members.contains_key(name) => {
            match op {
                Op::Remove => drop(members.remove(name)),
                _ => drop(members.insert(name.into(), value.clone())),
            }
            Ok(())
        }
        Json::Array(elements) => write_element(elements, op, path, name, value),
        _ if op == Op::Put => {
            let parents = path.split_last().map(|(_, parents)| parents);
            Err(WriteError::BelowScalar(show(parents.unwrap_or_default())))
        }
        _ => Err(missing(path)),
    }
}

fn write_element(elements: &mut Vec<Json>, op: Op, path: &[String], name: &str, value: &Json) -> Result<(), WriteError> {
    let end = name == "-" || index(name) == Some(elements.len());
    if end && op == Op::Add {
        elements.push(value.clone());
        return Ok(());
    }
    let found = index(name).filter(|i| *i < elements.len());
    match (op, found) {
        // OPA writes a PUT as an `add`: an element that exists moves up.
        (Op::Put | Op::Add, Some(i)) => elements.insert(i, value.clone()),
        (Op::Replace, Some(i)) => elements.iter_mut().skip(i).take(1).for_each(|element| *element = value.clone()),
        (Op::Remove, Some(i)) => drop(elements.remove(i)),
        (Op::Put, None) => {
            let parents = path.split_last().map(|(_, parents)| parents);
            return Err(WriteError::BelowScalar(show(parents.unwrap_or_default())));
        }
        _ if end => {
            return Err(WriteError::Invalid(format!("storage_invalid_patch_error: {}: invalid patch path", show(path))));
        }
        _ if index(name).is_none() => {
            return Err(WriteError::NotFound(format!("{}: array index must be integer", show(path))));
        }
        _ => return Err(WriteError::NotFound(format!("{}: array index out of range", show(path)))),
    }
    Ok(())
}

fn index(name: &str) -> Option<usize> {
    name.parse().ok()
}
