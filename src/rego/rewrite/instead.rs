//! Calls that the interpreter's builtins answer otherwise than OPA's, answered by ourselves; the rest of each builtin is left
//! to them. Sources: opa `v1/topdown/{strings,numbers,encoding,uuid}.go`.

use anyhow::bail;
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
        ("strings.replace_n", [Value::Object(pairs), Value::String(text)]) => replace_n(pairs, text)?.map(Instead::Answer),
        ("product", [Value::Array(items)]) => super::operators::product(items.iter()).map(Instead::Answer),
        ("product", [Value::Set(items)]) => super::operators::product(items.iter_sorted()).map(Instead::Answer),
        ("sum", [Value::Array(items)]) => super::operators::sum(items.iter()).map(Instead::Answer),
        ("sum", [Value::Set(items)]) => super::operators::sum(items.iter_sorted()).map(Instead::Answer),
        ("sort" | "min" | "max", [collection]) => ordered(name, collection)?.map(Instead::Answer),
        ("json.marshal" | "json.marshal_with_options" | "yaml.marshal", [document, options @ ..]) => {
            order::listed(document)?.map(|listed| Instead::Operands([&[listed], options].concat()))
        }
        ("json.is_valid" | "yaml.is_valid", [value]) if value.as_string().is_err() => Some(Instead::Answer(Value::Bool(false))),
        ("yaml.is_valid", [Value::String(text)]) => Some(Instead::Answer(Value::Bool(is_yaml(text)))),
        ("json.verify_schema", [schema]) => super::schema::read(schema).map(|schema| Instead::Operands(vec![schema])),
        ("json.match_schema", [document, schema]) => Some(match super::schema::operands(document, schema) {
            Some(operands) => Instead::Operands(operands),
            None => Instead::Failure("document or schema is not valid"),
        }),
        ("numbers.range_step", [from, to, step]) => overstepped(from, to, step).map(Instead::Answer),
        ("uuid.parse", [Value::String(text)]) if text.len() == 38 => {
            let inner = text.get(1..37).unwrap_or_default();
            Some(Instead::Operands(vec![Value::from(inner)]))
        }
        ("json.unmarshal", [Value::String(text)]) if is_beyond_numbers(text) => {
            // As OPA: "number too big".
            if has_huge_exponent(text) {
                return Ok(Some(Instead::Failure("invalid number: number too big")));
            }
            bail!("read a number beyond 64-bit floating point")
        }
        _ => None,
    })
}

/// A collection that holds sets, sorted as OPA sorts it, or its first or last.
fn ordered(name: &str, collection: &Value) -> Result<Option<Value>, TooMany> {
    if !order::holds_sets(collection)? {
        return Ok(None);
    }
    let sorted = match collection {
        Value::Array(items) => order::sorted(items.iter())?,
        Value::Set(members) => order::members(members)?,
        _ => return Ok(None),
    };
    Ok(match name {
        "min" => sorted.first().copied().cloned(),
        "max" => sorted.last().copied().cloned(),
        _ => Some(Value::from(sorted.into_iter().cloned().collect::<Vec<_>>())),
    })
}

/// JSON but for a number that no float holds.
fn is_beyond_numbers(text: &str) -> bool {
    serde_json::from_str::<serde_json::Value>(text).is_err_and(|error| error.to_string().contains("number out of range"))
}

/// Whether a number of a JSON text has an exponent beyond OPA's: 2 to the power of 100,000 (opa `v1/ast/term.go`).
fn has_huge_exponent(text: &str) -> bool {
    const EXPONENT: i64 = 30_102;
    let (mut inside, mut escaped, mut number) = (false, false, String::new());
    // The blank ends the last number.
    for c in text.chars().chain([' ']) {
        match c {
            '"' if !escaped => inside = !inside,
            '0'..='9' | '.' | '-' | '+' | 'e' | 'E' if !inside => {
                number.push(c);
                continue;
            }
            _ => {}
        }
        escaped = c == '\\' && inside && !escaped;
        let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((&number, "0"));
        let digits = mantissa.split('.').next().unwrap_or_default().trim_start_matches(['-', '0']).len();
        let digits = i64::try_from(digits).unwrap_or(i64::MAX);
        // What is no number to `parse` has more digits than any exponent may have.
        if !exponent.is_empty() && exponent.parse::<i64>().map_or(i64::MAX, |e| e.saturating_add(digits)).abs() > EXPONENT {
            return number.contains(['e', 'E']);
        }
        number.clear();
    }
    false
}

/// How often a part occurs, without overlap; as Go counts, an empty part is before, between and behind all characters.
fn count(text: &str, part: &str) -> Value {
    if part.is_empty() { Value::from(text.chars().count().saturating_add(1)) } else { Value::from(text.matches(part).count()) }
}

/// As Go's `strings.NewReplacer`: at each place the first of the sorted keys that fits, and what was put in is not looked at.
fn replace_n(pairs: &regorus::value::Object, text: &str) -> anyhow::Result<Option<Value>> {
    const BYTES: usize = 16 << 20;
    let mut replacements = Vec::new();
    for (old, new) in pairs.iter_sorted() {
        let (Value::String(old), Value::String(new)) = (old, new) else { return Ok(None) };
        replacements.push((old.as_ref(), new.as_ref()));
    }
    let (mut replaced, mut rest, mut was_empty) = (String::new(), text, false);
    loop {
        let fits = |(old, _): &&(&str, &str)| rest.starts_with(old) && !(old.is_empty() && was_empty);
        if replaced.len() > BYTES {
            bail!("would make more than {} MiB", BYTES >> 20);
        }
        let found = replacements.iter().find(fits);
        was_empty = found.is_some_and(|(old, _)| old.is_empty());
        if let Some((old, new)) = found {
            replaced.push_str(new);
            rest = rest.get(old.len()..).unwrap_or_default();
            continue;
        }
        let Some(next) = rest.chars().next() else { return Ok(Some(Value::from(replaced))) };
        replaced.push(next);
        rest = rest.get(next.len_utf8()..).unwrap_or_default();
    }
}

/// Whether every document of a text is YAML.
fn is_yaml(text: &str) -> bool {
    use serde::Deserialize;
    yaml_serde::Deserializer::from_str(text).all(|document| yaml_serde::Value::deserialize(document).is_ok())
}

/// A range whose step is larger than the interpreter's numbers of elements, and than the range itself.
fn overstepped(from: &Value, to: &Value, step: &Value) -> Option<Value> {
    let number =
        |value: &Value| value.as_number().is_ok().then(|| value.to_string())?.parse::<f64>().ok().filter(|n| n.fract() == 0.0);
    let (a, b, step) = (number(from)?, number(to)?, number(step)?);
    (step > 1e15 && (b - a).abs() < step).then(|| Value::from(vec![from.clone()]))
}
