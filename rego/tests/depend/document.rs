//! Random documents, and changes to them.

use plimsoll_rego::depend::{Part, Path, Step};
use plimsoll_rego::value::Value;
use serde_json::{Map, Value as Json, json};

use super::choice::Choices;

const KEYS: &[&str] = &["a", "b", "x", "y", "m", "items", "s", "n", "z"];

/// What changes, most often what decides.
const CHANGED: &[&str] = &["a", "a", "b", "x", "x", "y", "m", "m", "items", "s", "n", "z", "z"];

/// Keys of members, some of which stand for numbers.
const NAMES: &[&str] = &["x", "x", "y", "y", "a", "b", "1", "1.0"];

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
        "s" => named(choices),
        "n" => number(choices),
        "z" => json!(choices.below(3)),
        "x" if choices.chance(3) => text(choices),
        _ => any(choices, 2),
    }
}

fn object(choices: &mut Choices<'_>, depth: usize) -> Json {
    let mut members = Map::new();
    for key in ["x", "y", "a", "b"] {
        if !choices.chance(4) {
            let is_deep = key == "x" && depth > 1 && choices.chance(2);
            members.insert(key.to_owned(), if is_deep { object(choices, 0) } else { any(choices, depth) });
        }
    }
    if choices.chance(3) {
        let key = choices.of(&["1", "1", "1.0", "0", "01"]);
        members.insert(key.to_owned(), any(choices, depth.min(1)));
    }
    Json::Object(members)
}

/// Text that begins or ends as some policies want it to.
fn text(choices: &mut Choices<'_>) -> Json {
    choices.of(&["x", "y", "xy", "yx", "s"]).into()
}

/// The name of a member.
fn named(choices: &mut Choices<'_>) -> Json {
    choices.of(&["x", "y", "a", "items"]).into()
}

/// A number that members and items are asked by, or text that stands for one.
fn number(choices: &mut Choices<'_>) -> Json {
    match choices.below(8) {
        0 if choices.chance(8) => json!(1.0),
        0..=3 => json!(1),
        4 => json!(0),
        5 => json!("1"),
        6 => json!("0"),
        _ => json!(1.5),
    }
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
        1 => text(choices),
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
            let mut key = choices.of(if path.is_empty() { CHANGED } else { NAMES }).to_owned();
            if !path.is_empty() && choices.chance(2) {
                key = members.keys().nth(choices.below(members.len())).cloned().unwrap_or(key);
            }
            path.push(Value::from(key.as_str()));
            match members.get_mut(&key) {
                Some(_) if choices.chance(5) => drop(members.remove(&key)),
                Some(member) if key == "s" => *member = named(choices),
                Some(member) if key == "n" => *member = number(choices),
                Some(member) => change_below(member, choices, path),
                None => drop(members.insert(key, other(choices))),
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
