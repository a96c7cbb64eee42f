//! Packages read as wholes, as OPA has them: see `src/rego/plain/wholes.rs` for what calls these functions.
//!
//! OPA makes the document of a package from base data, over which `with` lays what it replaces, and from the rules below. Where
//! `with` replaces the package, or what is above it, no rule counts (`evalTree` in opa `v1/topdown/eval.go`). So each `with`
//! says what it replaces: `with data.lib as x` is `with data.lib as x with data.plimsoll__with["[\"lib\"]"] as true`.

use anyhow::bail;
use regorus::{Engine, Value};

use super::operators;
use crate::rego::plain::wholes::REPLACED;

mod order;

pub(in crate::rego) use order::beside;

/// Makes what is called where packages are read functions of an engine.
pub(super) fn install(engine: &mut Engine) {
    operators::add(engine, "plimsoll__.whole", 3, Box::new(|values: Vec<Value>| whole(&values)));
    operators::add(engine, "plimsoll__.order", 4, Box::new(|values: Vec<Value>| order::order(&values)));
}

/// What to add to a `with` that replaces the document at a path below `data`.
pub(super) fn marker(path: &[String]) -> String {
    let name = serde_json::Value::from(serde_json::Value::from(path).to_string());
    format!(" with data.{REPLACED}[{name}] as true")
}

/// Fills in what is there though nothing is defined.
fn whole(values: &[Value]) -> anyhow::Result<Value> {
    let [document, replaced, place] = values else { bail!("a document, what is replaced, and a place") };
    let replaced = paths(replaced)?;
    let mut document = held(document);
    let (mut at, behind) = (items(&place["at"]), items(&place["behind"]));
    fill(&mut document, &place["nodes"], &behind, &mut at, &replaced);
    let hidden = items(&place["hidden"]);
    if let (Value::Object(members), true) = (&document, items(&place["at"]).is_empty()) {
        let own = Value::from(REPLACED);
        let shown = members.iter_sorted().filter(|(name, _)| **name != own && !hidden.contains(name));
        return Ok(shown.map(|(name, value)| (name.clone(), value.clone())).collect::<std::collections::BTreeMap<_, _>>().into());
    }
    Ok(document)
}

/// What an object of one member holds, or undefined.
fn held(holder: &Value) -> Value {
    match holder {
        Value::Object(members) => members.iter_sorted().next().map_or(Value::Undefined, |(_, value)| value.clone()),
        _ => Value::Undefined,
    }
}

fn items(list: &Value) -> Vec<Value> {
    list.as_array().map(|items| items.iter().cloned().collect()).unwrap_or_default()
}

/// The paths below `data` that are replaced.
fn paths(replaced: &Value) -> anyhow::Result<Vec<Vec<Value>>> {
    let Value::Object(members) = held(replaced) else { return Ok(Vec::new()) };
    let path = |(name, _): (&Value, &Value)| Ok(items(&Value::from_json_str(name.as_string()?)?));
    members.iter_sorted().map(path).collect()
}

/// Fills in a document at `at`, of which what has these names behind is read.
fn fill(document: &mut Value, nodes: &Value, behind: &[Value], at: &mut Vec<Value>, replaced: &[Vec<Value>]) {
    let Some((name, behind)) = behind.split_first() else {
        if !replaced.iter().any(|path| at.starts_with(path)) {
            let below = replaced.iter().filter_map(|path| path.strip_prefix(at.as_slice()));
            below.for_each(|path| order::with_base(at, |base| lay(document, path, base)));
            objects(document, nodes);
        }
        return;
    };
    let Value::Object(below) = nodes else { return };
    for (key, nodes) in below.iter_sorted().filter(|(key, _)| *name == Value::Null || name == *key) {
        at.push(key.clone());
        inside(document, key, |member| fill(member, nodes, behind, at, replaced));
        at.pop();
    }
}

/// Lays what is at a path below a document over base data, as OPA does where what is read lies above it.
fn lay(document: &mut Value, path: &[Value], base: &Value) {
    match path.split_first() {
        Some((name, rest)) => inside(document, name, |member| lay(member, rest, &base[name])),
        None if *document == Value::Undefined => *document = base.clone(),
        None => {
            for (name, value) in base.as_object().into_iter().flat_map(|members| members.iter_sorted()) {
                inside(document, name, |member| lay(member, &[], value));
            }
        }
    }
}

/// Makes objects inside one another, where nothing else is, and there is a package.
fn objects(document: &mut Value, nodes: &Value) {
    if *nodes == Value::Null {
        return;
    }
    if *document == Value::Undefined {
        *document = Value::new_object();
    }
    let Value::Object(below) = nodes else { return };
    for (key, nodes) in below.iter_sorted() {
        inside(document, key, |member| objects(member, nodes));
    }
}

/// Changes a member of what is an object, or nothing.
fn inside(document: &mut Value, key: &Value, change: impl FnOnce(&mut Value)) {
    let before = match document {
        Value::Object(members) => members.get(key).cloned().unwrap_or(Value::Undefined),
        Value::Undefined => Value::Undefined,
        _ => return,
    };
    let mut member = before.clone();
    change(&mut member);
    if member == Value::Undefined {
        return;
    }
    if *document == Value::Undefined {
        *document = Value::new_object();
    }
    if let Ok(members) = document.as_object_mut() {
        members.insert(key.clone(), member);
    }
}
