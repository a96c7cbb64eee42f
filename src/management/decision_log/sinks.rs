//! Standard error.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Value as Json;

use super::Event;
use crate::printable;

/// OPA's line on the console: its logger's fields around the event's.
#[derive(Serialize)]
struct Console<'a> {
    #[serde(flatten)]
    event: &'a Event,
    level: &'static str,
    msg: &'static str,
    time: &'a str,
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// An error as OPA's console has it, in one text.
fn in_words(error: &Json) -> String {
    if let Json::Array(errors) = error {
        let errors: Vec<_> = errors.iter().map(one).collect();
        return format!("{} errors occurred:\n{}", errors.len(), errors.join("\n"));
    }
    // Errors of policies and queries are lists, also of one.
    let is_rego = error.get("code").and_then(Json::as_str).is_some_and(|code| code.starts_with("rego_"));
    format!("{}{}", if is_rego { "1 error occurred: " } else { "" }, one(error))
}

fn one(error: &Json) -> String {
    let text = |pointer: &str| error.pointer(pointer).and_then(Json::as_str).unwrap_or_default();
    let number = |pointer: &str| error.pointer(pointer).and_then(Json::as_u64).unwrap_or_default();
    let place = match (error.get("location"), text("/location/file")) {
        (None, _) => String::new(),
        (_, "") => format!("{}:{}: ", number("/location/row"), number("/location/col")),
        (_, file) => format!("{file}:{}: ", number("/location/row")),
    };
    format!("{place}{}: {}", text("/code"), text("/message"))
}

/// One line on standard error, where OPA writes it; says whether it was written.
pub(super) fn console(event: &Event) -> bool {
    let kind = "openpolicyagent.org/decision_logs";
    let error = event.error.as_ref().map(in_words);
    let bare = error.as_ref().map(|_| Event { error: None, ..event.clone() });
    let event = bare.as_ref().unwrap_or(event);
    let line = Console { event, level: "info", msg: "Decision Log", time: &event.timestamp, kind, error };
    let written = serde_json::to_string(&line).map_err(io::Error::other).and_then(|line| {
        let line = format!("{}\n", printable::json(&line));
        io::stderr().lock().write_all(line.as_bytes())
    });
    written.is_ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_console_has_errors_in_words() {
        let place =
            |file: &str| json!({"code": "eval_builtin_error", "message": "why", "location": {"file": file, "row": 5, "col": 2}});
        assert_eq!(in_words(&place("policies/app.rego")), "policies/app.rego:5: eval_builtin_error: why");
        assert_eq!(in_words(&place("")), "5:2: eval_builtin_error: why");
        assert_eq!(
            in_words(&json!([{"code": "a", "message": "b"}, {"code": "c", "message": "d"}])),
            "2 errors occurred:\na: b\nc: d"
        );
    }
}
