//! Mask rules: what a policy takes out of an event, or replaces (OPA: `v1/plugins/logs/mask.go`).

use serde_json::{Map, Value as Json};

use super::{Event, MaskError};

/// One rule.
#[derive(Clone, Debug, PartialEq)]
struct Rule {
    /// Whether something is put in the place.
    upsert: Option<Json>,
    /// `input` or `result`, then keys, escaped as OPA compares them.
    parts: Vec<String>,
}

/// Applies what the mask policy returned; an error means the event must not be logged at all.
pub(super) fn apply(rules: &Json, event: &mut Event) -> Result<(), MaskError> {
    let rules = rules.as_array().ok_or_else(|| MaskError::Rules(rules.clone()))?;
    // All are read before one is applied: half a mask is none.
    let rules = rules.iter().map(rule).collect::<Result<Vec<Rule>, MaskError>>()?;
    for rule in rules {
        rule.apply(event);
    }
    Ok(())
}

fn rule(value: &Json) -> Result<Rule, MaskError> {
    match value {
        Json::String(path) => Ok(Rule { upsert: None, parts: parts(path)? }),
        Json::Object(fields) => {
            let text = |name: &str| fields.get(name).and_then(Json::as_str).unwrap_or_default();
            let upsert = match text("op") {
                "remove" => None,
                "upsert" => Some(fields.get("value").cloned().unwrap_or_default()),
                other => return Err(MaskError::Op(other.into())),
            };
            Ok(Rule { upsert, parts: parts(text("path"))? })
        }
        other => Err(MaskError::Rule(other.clone())),
    }
}

fn parts(path: &str) -> Result<Vec<String>, MaskError> {
    let rest = path.strip_prefix('/').ok_or(match path {
        "" => MaskError::Empty,
        _ => MaskError::Slash,
    })?;
    let parts: Vec<String> = rest.split('/').map(str::to_owned).collect();
    match parts.first().map(String::as_str) {
        Some("input" | "result" | "nd_builtin_cache") => Ok(parts),
        other => Err(MaskError::Prefix(other.unwrap_or_default().into())),
    }
}

impl Rule {
    fn apply(self, event: &mut Event) {
        let Some((first, rest)) = self.parts.split_first() else { return };
        let place = match first.as_str() {
            "input" => &mut event.input,
            "result" => &mut event.result,
            _ => return,
        };
        let Some(document) = place else { return };
        let shown = format!("/{}", self.parts.join("/"));
        match self.upsert {
            None if rest.is_empty() => *place = None,
            None if !remove(document, rest) => return,
            None => {}
            Some(value) if rest.is_empty() => *place = Some(value),
            Some(value) => {
                if !upsert(document, rest, &value) {
                    return;
                }
                event.masked.push(shown);
                return;
            }
        }
        // A whole document that is replaced is masked, not erased.
        match place {
            Some(_) if rest.is_empty() => event.masked.push(shown),
            _ => event.erased.push(shown),
        }
    }
}

fn step<'a>(at: &'a mut Json, name: &str) -> Option<&'a mut Json> {
    match at {
        Json::Object(members) => members.get_mut(name),
        Json::Array(items) => items.get_mut(name.parse::<usize>().ok()?),
        _ => None,
    }
}

/// Says whether there was anything.
fn remove(document: &mut Json, path: &[String]) -> bool {
    let Some((last, parents)) = path.split_last() else { return false };
    let Some(parent) = parents.iter().try_fold(document, |at, name| step(at, name)) else { return false };
    match parent {
        Json::Object(members) => members.remove(last).is_some(),
        Json::Array(items) => match last.parse::<usize>() {
            Ok(at) if at < items.len() => {
                items.remove(at);
                true
            }
            _ => false,
        },
        _ => false,
    }
}

/// Makes the objects on the way; says whether the place could be had.
fn upsert(document: &mut Json, path: &[String], value: &Json) -> bool {
    let Some((last, parents)) = path.split_last() else { return false };
    let mut at = document;
    for name in parents {
        if let Json::Object(members) = at {
            members.entry(name.clone()).or_insert_with(|| Json::Object(Map::new()));
        }
        let Some(next) = step(at, name) else { return false };
        at = next;
    }
    match at {
        Json::Object(members) => {
            members.insert(last.clone(), value.clone());
            true
        }
        Json::Array(_) => step(at, last).map(|place| *place = value.clone()).is_some(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn masked(rules: Json) -> Result<Event, MaskError> {
        let input = Some(json!({"a": {"b": 1, "c": [1, 2, 3]}, "p": "secret"}));
        let mut event = Event { input, result: Some(json!([true, {"x": 1}])), ..Event::default() };
        apply(&rules, &mut event)?;
        Ok(event)
    }

    #[test]
    fn what_is_named_is_erased_or_replaced() {
        let event =
            masked(json!(["/input/p", "/input/a/c/1", "/input/none", {"op": "upsert", "path": "/input/new/x", "value": "*"}]));
        let event = event.unwrap();
        assert_eq!(event.input, Some(json!({"a": {"b": 1, "c": [1, 3]}, "new": {"x": "*"}})));
        assert_eq!(event.erased, ["/input/p", "/input/a/c/1"]);
        assert_eq!(event.masked, ["/input/new/x"]);
        let event = masked(json!(["/input", {"op": "upsert", "path": "/result", "value": null}])).unwrap();
        assert_eq!((event.input, event.result), (None, Some(Json::Null)));
        assert_eq!((event.erased, event.masked), (vec!["/input".into()], vec!["/result".into()]));
        let event =
            masked(json!([{"op": "remove", "path": "/result/1/x"}, {"op": "upsert", "path": "/result/0", "value": 7}])).unwrap();
        assert_eq!(event.result, Some(json!([7, {}])));
    }

    #[test]
    fn a_rule_that_cannot_be_read_masks_nothing_and_says_so() {
        for (rules, part) in [
            (json!(["input/p"]), "slash-prefixed"),
            (json!(["/labels/x"]), "prefix not allowed"),
            (json!([{"op": "move", "path": "/input"}]), "not supported: move"),
            (json!({"a": 1}), "unexpected rule format"),
            (json!(["/input/p", 7]), "invalid mask rule"),
        ] {
            let error = masked(rules.clone()).unwrap_err().to_string();
            assert!(error.contains(part), "{rules}: {error}");
        }
    }
}
