//! Whether an answer is as a step says.

use serde_json::Value as Json;

use super::file::Step;
use super::wire::Reply;

/// What is wrong, one sentence each.
pub(super) fn judge(step: &Step, reply: &Reply) -> Vec<String> {
    let mut wrong = Vec::new();
    if reply.status != step.status {
        wrong.push(format!("status {} instead of {}", reply.status, step.status));
    }
    let body = reply.text();
    let json = || serde_json::from_str::<Json>(&body).unwrap_or_else(|_| Json::String(format!("not JSON: {body}")));
    if let Some(expected) = &step.json
        && json() != *expected
    {
        wrong.push(format!("body instead of {expected}"));
    }
    if let Some(expected) = &step.has
        && !within(expected, &json())
    {
        wrong.push(format!("body without {expected}"));
    }
    let there = step.lacks.iter().filter(|pointer| json().pointer(pointer).is_some());
    wrong.extend(there.map(|pointer| format!("body has {pointer}")));
    if let Some(expected) = &step.text
        && body != *expected
    {
        wrong.push(format!("text instead of {expected:?}"));
    }
    let missing = step.holds.iter().filter(|part| !body.contains(part.as_str()));
    wrong.extend(missing.map(|part| format!("text without {part:?}")));
    let other = step.sent.iter().filter(|(name, value)| reply.header(name) != value.as_str());
    wrong.extend(other.map(|(name, value)| format!("{name}: {:?} instead of {value:?}", reply.header(name))));
    wrong
}

/// Whether all of `part` is in `whole`; arrays are compared item by item, and may not be longer.
fn within(part: &Json, whole: &Json) -> bool {
    match (part, whole) {
        (Json::Object(part), Json::Object(whole)) => {
            part.iter().all(|(name, part)| whole.get(name).is_some_and(|whole| within(part, whole)))
        }
        (Json::Array(part), Json::Array(whole)) => {
            part.len() == whole.len() && part.iter().zip(whole).all(|(part, whole)| within(part, whole))
        }
        _ => part == whole,
    }
}
