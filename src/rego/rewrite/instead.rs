//! Calls that the interpreter's builtins answer otherwise than OPA's, answered by ourselves; the rest of each builtin is left
//! to them. Sources: opa `v1/topdown/{strings,numbers,encoding,uuid,time}.go`.

use regorus::Value;

use crate::rego::order::{self, TooMany};

/// The operands that the builtin shall get instead, or the answer.
pub(super) enum Instead {
    Answer(Value),
    /// OPA's own error.
    Failure(&'static str),
    Operands(Vec<Value>),
    /// Several calls: true if one of them is.
    Any(Vec<Vec<Value>>),
}

/// What to do instead of calling a builtin with these operands; nothing in most cases.
pub(super) fn of(name: &str, values: &[Value]) -> anyhow::Result<Option<Instead>> {
    Ok(match (name, values) {
        ("strings.count", [Value::String(text), Value::String(part)]) => Some(Instead::Answer(count(text, part))),
        ("product", [Value::Array(items)]) => super::operators::product(items.iter()).map(Instead::Answer),
        ("product", [Value::Set(items)]) => super::operators::product(items.iter_sorted()).map(Instead::Answer),
        ("sum", [Value::Array(items)]) => super::operators::sum(items.iter()).map(Instead::Answer),
        ("sum", [Value::Set(items)]) => super::operators::sum(items.iter_sorted()).map(Instead::Answer),
        ("sort", [collection]) => sorted(collection)?.map(Instead::Answer),
        ("json.verify_schema", [schema]) => Some(match super::schema::read(schema) {
            Ok(schema) => Instead::Operands(vec![schema]),
            Err(reason) => Instead::Answer(vec![Value::from(false), format!("jsonschema: {reason}").into()].into()),
        }),
        ("json.match_schema", [document, schema]) => Some(match super::schema::operands(document, schema) {
            Some(operands) => Instead::Operands(operands),
            None => Instead::Failure("document or schema is not valid"),
        }),
        ("numbers.range_step", [from, to, step]) => overstepped(from, to, step).map(Instead::Answer),
        ("time.parse_duration_ns", [Value::String(text)]) => hours(text).map(|text| Instead::Operands(vec![text.into()])),
        ("glob.match", [Value::String(pattern), separators, text]) => alternatives(pattern).map(|patterns| {
            let call = |pattern: String| vec![Value::from(pattern), separators.clone(), text.clone()];
            Instead::Any(patterns.into_iter().map(call).collect())
        }),
        _ => None,
    })
}

/// A collection that holds sets, sorted as OPA sorts it.
fn sorted(collection: &Value) -> Result<Option<Value>, TooMany> {
    if !order::holds_sets(collection)? {
        return Ok(None);
    }
    let sorted = match collection {
        Value::Array(items) => order::sorted(items.iter())?,
        Value::Set(members) => order::members(members)?,
        _ => return Ok(None),
    };
    Ok(Some(Value::from(sorted.into_iter().cloned().collect::<Vec<_>>())))
}

/// The patterns that one pattern with an empty alternative stands for; the interpreter takes `{a,}` for `a`.
fn alternatives(pattern: &str) -> Option<Vec<String>> {
    let (before, rest) = pattern.split_once('{')?;
    let (inside, after) = rest.split_once('}')?;
    let has_empty = !inside.contains(['{', '\\', '[']) && inside.split(',').any(str::is_empty);
    has_empty.then(|| inside.split(',').map(|one| format!("{before}{one}{after}")).collect())
}

/// How often a part occurs, without overlap; as Go counts, an empty part is before, between and behind all characters.
fn count(text: &str, part: &str) -> Value {
    if part.is_empty() { Value::from(text.chars().count().saturating_add(1)) } else { Value::from(text.matches(part).count()) }
}

/// A range whose step is larger than the interpreter's numbers of elements, and than the range itself.
fn overstepped(from: &Value, to: &Value, step: &Value) -> Option<Value> {
    let number =
        |value: &Value| value.as_number().is_ok().then(|| value.to_string())?.parse::<f64>().ok().filter(|n| n.fract() == 0.0);
    let (a, b, step) = (number(from)?, number(to)?, number(step)?);
    (step > 1e15 && (b - a).abs() < step).then(|| Value::from(vec![from.clone()]))
}

/// Days, weeks and years of a duration as hours, which the interpreter knows.
fn hours(text: &str) -> Option<String> {
    let mut written = String::new();
    let mut rest = text;
    while let Some(end) = rest.find(|c: char| c.is_ascii_alphabetic()) {
        let (number, from_unit) = rest.split_at(end);
        let unit_end = from_unit.find(|c: char| !c.is_alphabetic()).unwrap_or(from_unit.len());
        let (unit, after) = from_unit.split_at(unit_end);
        let factor = match unit {
            "d" => Some(24),
            "w" => Some(7 * 24),
            "y" => Some(365 * 24),
            _ => None,
        };
        match (factor, number.parse::<f64>()) {
            (Some(factor), Ok(number)) => written.push_str(&format!("{}h", number * f64::from(factor))),
            _ => written.push_str(&format!("{number}{unit}")),
        }
        rest = after;
    }
    written.push_str(rest);
    (written != text).then_some(written)
}
