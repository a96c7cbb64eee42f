//! Calls that the interpreter's builtins answer otherwise than OPA's, answered by ourselves; the rest of each builtin is left
//! to them. Sources: opa `v1/topdown/{strings,numbers,encoding,uuid}.go`.

use regorus::Value;

use crate::rego::order::{self, TooMany};

/// The operands that the builtin shall get instead, or the answer.
pub(super) enum Instead {
    Answer(Value),
    /// OPA's own error.
    Failure(&'static str),
    Operands(Vec<Value>),
}

/// What to do instead of calling a builtin with these operands; nothing in most cases.
pub(super) fn of(name: &str, values: &[Value]) -> anyhow::Result<Option<Instead>> {
    Ok(match (name, values) {
        ("strings.count", [Value::String(text), Value::String(part)]) => Some(Instead::Answer(count(text, part))),
        ("product", [Value::Array(items)]) => super::operators::product(items.iter())?.map(Instead::Answer),
        ("product", [Value::Set(items)]) => super::operators::product(items.iter_sorted())?.map(Instead::Answer),
        ("sum", [Value::Array(items)]) => super::operators::sum(items.iter())?.map(Instead::Answer),
        ("sum", [Value::Set(items)]) => super::operators::sum(items.iter_sorted())?.map(Instead::Answer),
        ("abs" | "ceil" | "floor" | "round", [number]) => super::operators::stepped(name, number)?.map(Instead::Answer),
        ("bits.lsh" | "bits.rsh", [number, bits]) => super::operators::integer(number)
            .zip(super::operators::integer(bits))
            .map(|(number, bits)| Instead::Operands(vec![number, bits])),
        ("format_int", [number, base]) if is_cut_to_zero(number) => Some(Instead::Operands(vec![Value::from(0), base.clone()])),
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
        _ => None,
    })
}

/// Between -1 and 0: OPA cuts the fraction off first and looks for the sign afterwards, when there is none (`v1/topdown/arithmetic.go`,
/// `arithFloor`).
fn is_cut_to_zero(number: &Value) -> bool {
    number.as_number().is_ok() && number.as_f64().is_ok_and(|number| -1.0 < number && number < 0.0)
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
