//! Asks policy: the document at the placement path, with the object in its normal form as input.

use plimsoll_contract::policy::Location;
use serde_json::Value as Json;

use super::Config;
use crate::rego::{Definition, EvalError, Inexact, Program, Value};
use crate::snapshot::Snapshot;

/// Whether some accepted module defines the placement path.
pub fn armed(program: &Program, config: &Config) -> bool {
    program.defines(&config.placement_path) != Definition::Nothing
}

/// The document, `None` when it is undefined; and whether it met unusual numbers (see [`crate::rego::Evaluated`]).
pub fn evaluate(snapshot: &Snapshot, input: &Json, config: &Config) -> Result<(Option<Json>, bool), EvalError> {
    let input = Value::from(input.clone());
    let found = snapshot.evaluate(&config.placement_path, Some(&input), &config.limits, false)?;
    let failed = |error: Inexact| EvalError::Failed { document: name(&config.placement_path), message: error.to_string() };
    let document = found.document.map(|document| document.to_json().map_err(failed)).transpose()?;
    Ok((document, found.met_unusual))
}

/// The document at a path, for messages.
pub(super) fn name(path: &[String]) -> String {
    format!("data.{}", path.join("."))
}

/// Where the rule that gave a value stands, as `file:row:col`; at most three places, the likeliest only.
pub fn places(program: &Program, path: &[String], rule: Option<&str>, key: Option<&str>) -> String {
    let mut rules = program.rules_of(path);
    match rule {
        Some(rule) if rules.iter().any(|found| found.name == rule) => rules.retain(|found| found.name == rule),
        // The path names a rule: what its value holds has no place of its own.
        _ => rules = rules_at(program, path),
    }
    let exact = |wanted: Option<&str>| {
        rules.iter().filter(|found| found.key.as_deref() == wanted).map(|found| &found.location).collect::<Vec<&Location>>()
    };
    let mut places = key.map(|key| exact(Some(key))).filter(|places| !places.is_empty()).unwrap_or_else(|| exact(None));
    if places.is_empty() {
        places = rules.iter().map(|found| &found.location).collect();
    }
    let texts: Vec<String> = places.iter().take(3).map(ToString::to_string).collect();
    texts.join(", ")
}

fn rules_at(program: &Program, path: &[String]) -> Vec<crate::rego::RuleLocation> {
    let Some((name, package)) = path.split_last() else {
        return Vec::new();
    };
    program.rules_of(package).into_iter().filter(|rule| rule.name == *name).collect()
}
