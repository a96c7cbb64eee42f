//! Random documents, and changes to them.

use plimsoll_rego::depend::{Part, Path, Step};
use plimsoll_rego::value::Value;
use serde_json::{Map, Value as Json, json};

use super::choice::Choices;

const KEYS: &[&str] = &["a", "b", "x", "y", "m", "items", "s"];

/// A document with members that the policies of this test look for.
pub(super) fn document(choices: &mut Choices<'_>) -> Json {
    let mut members = Map::new();
    for key in KEYS {
        if !choices.chance(6) {
            members.insert((*key).to_owned(), member(key, choices));
        }
    }
    Json::Object(members)
}

fn member(key: &str, choices: &mut Choices<'_>) -> Json {
    match key {
        "items" => (0..choices.below(4)).map(|_| object(choices, 1)).collect(),
        "m" | "a" | "b" => object(choices, 2),
        "s" => choices.of(&["x", "y", "a", "items"]).into(),
        _ => any(choices, 2),
    }
}

fn object(choices: &mut Choices<'_>, depth: usize) -> Json {
    let mut members = Map::new();
    for key in ["x", "y", "a", "b"] {
        if !choices.chance(4) {
            members.insert(key.to_owned(), any(choices, depth));
        }
    }
    Json::Object(members)
}

fn any(choices: &mut Choices<'_>, depth: usize) -> Json {
    match choices.below(if depth == 0 { 6 } else { 9 }) {
        0 if choices.chance(60) => json!(1.0),
        0 => json!(1),
        1 => json!(choices.below(3)),
        2 => choices.of(&["x", "y", "a", ""]).into(),
        3 => Json::Bool(true),
        4 => Json::Bool(false),
        5 => Json::Null,
        6 => (0..choices.below(3)).map(|_| any(choices, depth - 1)).collect(),
        _ => object(choices, depth - 1),
    }
}

/// Returns a value: often one that random policies compare with, so that comparisons hold.
fn other(choices: &mut Choices<'_>) -> Json {
    match choices.below(9) {
        0 => json!("x"),
        1 => json!("y"),
        2 => json!(1),
        _ => any(choices, 1),
    }
}

/// A change: another value, a member more, or one less. Returns where.
pub(super) fn change(document: &mut Json, choices: &mut Choices<'_>) -> Vec<Value> {
    let mut path = Vec::new();
    change_below(document, choices, &mut path);
    path
}

/// A change at the edge of what is read: at one of these paths, or right below it.
pub(super) fn change_at_edge(document: &mut Json, paths: &[(Path, Part)], choices: &mut Choices<'_>) -> Option<Vec<Value>> {
    let (steps, _) = paths.get(choices.below(paths.len()))?;
    let (mut at, mut path) = (document, Vec::new());
    for step in steps {
        let count = at.as_object().map_or(at.as_array().map_or(0, Vec::len), Map::len);
        let nth = choices.below(count);
        let key = match (step, &*at) {
            (Step::Key(key), _) => key.clone(),
            (Step::Any, Json::Object(members)) => Value::from(members.keys().nth(nth)?.as_str()),
            (Step::Any, _) => Value::from(nth),
        };
        at = match &key {
            Value::String(name) => at.get_mut(name.as_str())?,
            index => at.get_mut(usize::try_from(index.as_i64()?).ok()?)?,
        };
        path.push(key);
    }
    match choices.below(3) {
        0 => change_below(at, choices, &mut path),
        1 => *at = any(choices, 0),
        _ => *at = any(choices, 1),
    }
    Some(path)
}

fn change_below(json: &mut Json, choices: &mut Choices<'_>, path: &mut Vec<Value>) {
    let deeper = path.is_empty() || !choices.chance(3);
    match json {
        Json::Object(members) if deeper => {
            let key = choices.of(if path.is_empty() { KEYS } else { &["x", "y", "a", "b"] });
            path.push(Value::from(key));
            match members.get_mut(key) {
                Some(_) if choices.chance(5) => drop(members.remove(key)),
                Some(member) => change_below(member, choices, path),
                None => drop(members.insert(key.to_owned(), other(choices))),
            }
        }
        Json::Array(items) if deeper && !items.is_empty() => {
            let index = choices.below(items.len());
            path.push(Value::from(index));
            change_below(&mut items[index], choices, path);
        }
        place => *place = other(choices),
    }
}
