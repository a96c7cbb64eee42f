//! The interpreter's errors, told apart and put into our words.

use std::time::Duration;

use plimsoll_contract::policy::Location;
use regorus::LimitError;

use super::answer::AnswerError;
use super::{EvalError, builtins};

/// What contradicting values are called: part of regorus' wording, and OPA's.
const CONFLICTS: &[(&str, &str)] = &[
    ("function produced multiple outputs", FUNCTIONS),
    ("functions must not produce multiple outputs", FUNCTIONS),
    ("multiple outputs", COMPLETE),
    ("rule conflicts with rule at", COMPLETE),
    ("generated multiple times", "object keys must be unique"),
];

/// What our own functions write before an error, when errors of builtins are strict.
const CODES: [&str; 2] = ["eval_builtin_error", "eval_type_error"];

const COMPLETE: &str = "complete rules must not produce multiple outputs";
const FUNCTIONS: &str = "functions must not produce multiple outputs for same inputs";

/// A message of the interpreter, taken apart.
pub(super) struct Message {
    pub(super) location: Option<Location>,
    pub(super) text: String,
}

/// Reads `\n--> file:row:col\n  |\n … \nerror: text`; anything else is all text.
pub(super) fn message(error: &anyhow::Error) -> Message {
    let whole = error.to_string();
    let framed = whole.trim_start().strip_prefix("--> ").and_then(|rest| {
        let (place, rest) = rest.split_once('\n')?;
        let (_, text) = rest.split_once("\nerror: ")?;
        Some((location(place)?, text.trim().to_owned()))
    });
    match framed {
        Some((location, text)) => Message { location: Some(location), text },
        None => Message { location: None, text: whole.trim().to_owned() },
    }
}

fn location(place: &str) -> Option<Location> {
    let (rest, col) = place.trim().rsplit_once(':')?;
    let (file, row) = rest.rsplit_once(':')?;
    Some(Location { file: file.to_owned(), row: row.parse().ok()?, col: col.parse().ok()? })
}

/// What the interpreter's error means for the document asked for.
pub(super) fn evaluation(document: &str, error: &anyhow::Error, original: &dyn Fn(&Location) -> Location) -> EvalError {
    if let Some(limit) = error.downcast_ref::<LimitError>() {
        return EvalError::Limit { document: document.to_owned(), limit: limit_text(limit) };
    }
    let Message { location, text } = message(error);
    if let Some(limit) = told_limit(&text) {
        return EvalError::Limit { document: document.to_owned(), limit };
    }
    let location = location.map(|place| original(&place));
    if let Some((_, wording)) = CONFLICTS.iter().find(|(regorus, _)| text.contains(regorus)) {
        let location = location.map(|l| l.to_string()).unwrap_or_default();
        return EvalError::Conflict { location, message: (*wording).to_owned() };
    }
    if let Some((code, message)) = CODES.iter().find_map(|code| Some((*code, text.strip_prefix(code)?.strip_prefix(": ")?))) {
        let location = location.map(|l| l.to_string()).unwrap_or_default();
        return EvalError::Builtin { code, location, message: message.to_owned() };
    }
    let message = location.map_or_else(|| text.clone(), |place| format!("{place}: {text}"));
    EvalError::Failed { document: document.to_owned(), message }
}

/// What an answer without JSON form means.
pub(super) fn answer(document: &str, error: &AnswerError) -> EvalError {
    let document = document.to_owned();
    match error {
        AnswerError::Number(_) => EvalError::Failed { document, message: error.to_string() },
        AnswerError::Size(_) | AnswerError::Depth | AnswerError::Order(_) => {
            EvalError::Limit { document, limit: error.to_string() }
        }
    }
}

fn limit_text(limit: &LimitError) -> String {
    match limit {
        LimitError::TimeLimitExceeded { limit, .. } => format!("the time limit of {limit:?}"),
        LimitError::MemoryLimitExceeded { limit, .. } => format!("the memory limit of {limit} bytes"),
        LimitError::RegexSizeLimitExceeded { limit } => format!("the regular expression limit of {limit} bytes"),
    }
}

/// The limit that a text speaks of: errors of functions are texts (`docs/regorus/limits-inside-functions.md`).
fn told_limit(text: &str) -> Option<String> {
    let number = |before: &str, unit: &str| -> Option<u64> { text.split_once(before)?.1.split_once(unit)?.0.parse().ok() };
    if text.contains("execution exceeded time limit (") {
        return number("limit=", "ns)").map(|ns| format!("the time limit of {:?}", Duration::from_nanos(ns)));
    }
    if text.contains("execution exceeded memory limit (") {
        return number(", limit=", " bytes)").map(|bytes| format!("the memory limit of {bytes} bytes"));
    }
    // Of our own functions; nothing comes behind it.
    if let Some((_, limit)) = text.split_once(builtins::OUT_OF_TIME) {
        return Some(format!("the time limit of {limit}"));
    }
    let bytes = number("compiled regex exceeded size limit (", " bytes)")?;
    Some(format!("the regular expression limit of {bytes} bytes"))
}

/// What a panic inside the interpreter means.
pub(super) fn panicked(document: &str, panic: &(dyn std::any::Any + Send)) -> EvalError {
    let said = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    let message = format!("the interpreter panicked: {}", said.unwrap_or("no message"));
    EvalError::Failed { document: document.to_owned(), message }
}

/// There was no thread for a deep evaluation.
pub(super) fn no_thread(document: &str, error: &std::io::Error) -> EvalError {
    EvalError::Failed { document: document.to_owned(), message: format!("no thread to evaluate on: {error}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_inside_a_function_is_a_limit() {
        let time = Duration::from_millis(8);
        let limits = [
            LimitError::TimeLimitExceeded { elapsed: time * 2, limit: time },
            LimitError::MemoryLimitExceeded { usage: 12, limit: 10 },
            LimitError::RegexSizeLimitExceeded { limit: 7 },
        ];
        for limit in limits {
            let (typed, told) = (limit_text(&limit), told_limit(&limit.to_string()));
            assert_eq!(told, Some(typed));
        }
        assert_eq!(told_limit("sum: the time limit=4ns) is no limit"), None);
        let ours = format!("limit: json.patch: a result {}8ms", builtins::OUT_OF_TIME);
        assert_eq!(told_limit(&ours).as_deref(), Some("the time limit of 8ms"));
    }
}
