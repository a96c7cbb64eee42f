//! Match conditions: each has a name of its own and an expression that is certain to be evaluated.

use std::collections::HashSet;

use serde_json::Value as Json;

use crate::expression::Expression;
use crate::names;
use crate::resources::validate::peek::{list, text};
use crate::status::field::{Faults, Path};

/// What a condition may speak of; `namespaceObject` is always null, as upstream.
pub const VARIABLES: [&str; 5] = ["authorizer", "namespaceObject", "object", "oldObject", "request"];
/// Of one webhook, as upstream.
const MOST: usize = 64;

/// An expression that is stored already is not compiled again.
pub(super) fn validate(hook: &Json, stored: &HashSet<&str>, path: &Path<'_>, faults: &mut Faults) {
    let (path, conditions) = (path.child("matchConditions"), list(hook, "matchConditions"));
    if conditions.len() > MOST {
        return faults.too_many(&path, conditions.len(), 64);
    }
    let mut seen = HashSet::new();
    for (index, condition) in conditions.iter().enumerate() {
        let path = path.index(index);
        expression(text(condition, "expression"), stored, &path.child("expression"), faults);
        let (name, at) = (text(condition, "name"), path.child("name"));
        if name.is_empty() {
            faults.required(&at, "");
        }
        for fault in names::label_key(name).iter().filter(|_| !name.is_empty()) {
            faults.invalid_text(&at, name, fault);
        }
        if !name.is_empty() && !seen.insert(name) {
            faults.duplicate(&at, &name.into());
        }
    }
}

fn expression(text: &str, stored: &HashSet<&str>, path: &Path<'_>, faults: &mut Faults) {
    if text.trim().is_empty() {
        faults.required(path, "");
    } else if !stored.contains(text)
        && let Err(error) = Expression::compile(text.trim(), &VARIABLES)
    {
        faults.invalid_text(path, text, &error.to_string());
    }
}

/// The expressions of an object.
pub(super) fn expressions(object: &Json) -> HashSet<&str> {
    let hooks = list(object, "webhooks").iter();
    hooks.flat_map(|hook| list(hook, "matchConditions")).map(|condition| text(condition, "expression")).collect()
}
