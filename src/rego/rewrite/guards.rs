//! Builtins whose cost an argument sets: `numbers.range(1, 10e12)` aborts the process on allocation, `concat` multiplies two
//! lengths, `base64.encode` writes out what is long. Each is shadowed by an extension of the same name that
//! first bounds what the call would make; beyond the bound evaluation ends with an error, as it does at any other limit.

use std::collections::BTreeSet;

use anyhow::{anyhow, bail};
use regorus::unstable::{BUILTINS, BuiltinFcn, Expr, Ref, Source, Span};
use regorus::{Engine, LimitError, Value};

use super::instead::{self, Instead};
use crate::rego::builtins;

/// Elements that one call may make.
const ELEMENTS: f64 = 1_000_000.0;
/// Bytes that one call may make.
const BYTES: usize = 16 << 20;
/// Bits that one call may shift by.
const WIDTH: f64 = 65_536.0;

/// Finds out what a call would make; an error if that is too much, `false` if OPA has no answer.
type Check = fn(&[Value]) -> anyhow::Result<bool>;

/// Name, bound.
const GUARDS: [(&str, Check); 9] = [
    ("array.concat", elements),
    ("base64.encode", text),
    ("base64url.encode", text),
    ("base64url.encode_no_pad", text),
    ("bits.lsh", shift),
    ("concat", joined),
    ("hex.encode", text),
    ("numbers.range", range),
    ("numbers.range_step", range),
];

/// What puts operands into its result, each maybe several times: that is measured, as what policies write out is ([`mod@super::sizes`]).
const SHARING: [&str; 5] = ["array.concat", "object.union", "object.union_n", "sort", "union"];
/// What must stay the interpreter's own: what is one value for a whole evaluation, what has many results, what prints.
const OWN: [&str; 7] = ["http.send", "opa.runtime", "print", "time.now_ns", "trace", "uuid.rfc4122", "walk"];

/// Wraps the builtins of an engine that `texts` may call, so that what they cost is bounded, and that their errors are
/// what OPA makes of them. `wrapped` are those that were before, and all of them afterwards.
pub fn install<'t>(engine: &mut Engine, texts: impl Iterator<Item = &'t str> + Clone, wrapped: &mut BTreeSet<&'static str>) {
    let hidden = texts.clone().any(hides_names);
    for (name, builtin) in BUILTINS.iter() {
        let called = texts.clone().any(|text| hidden || name.split('.').all(|part| text.contains(part)));
        if !called || OWN.contains(name) || builtins::operands(name).is_some() || !wrapped.insert(name) {
            continue;
        }
        let check = GUARDS.iter().find(|(guarded, _)| guarded == name).map(|(_, check)| *check);
        let (name, builtin) = (*name, *builtin);
        let guarded = move |values: Vec<Value>| guarded(name, builtin, check, &values);
        // Refused only for a second extension of the name.
        if let Err(error) = engine.add_extension(name.to_owned(), builtin.1, Box::new(guarded)) {
            tracing::error!(%error, name, "builtin is not bounded");
        }
    }
}

/// Whether a text may call a function by other letters than its name: `numbers["r\u0061nge"](1, 2)`.
fn hides_names(text: &str) -> bool {
    text.match_indices(']')
        .any(|(at, _)| text.get(at.saturating_add(1)..).is_some_and(|rest| rest.trim_start().starts_with(['(', '#'])))
}

fn guarded(name: &str, builtin: BuiltinFcn, check: Option<Check>, values: &[Value]) -> anyhow::Result<Value> {
    let bounded = check.map_or(Ok(true), |check| check(values));
    if !bounded.map_err(|error| anyhow!("limit: {name} {error}"))? {
        return if builtins::is_strict() {
            Err(anyhow!("eval_builtin_error: {name}: operand out of range"))
        } else {
            Ok(Value::Undefined)
        };
    }
    let instead = instead::of(name, values).map_err(|error| anyhow!("limit: {name} {error}"))?;
    match instead {
        Some(Instead::Answer(answer)) => Ok(answer),
        Some(Instead::Failure(error)) if builtins::is_strict() => Err(anyhow!("eval_builtin_error: {name}: {error}")),
        Some(Instead::Failure(_)) => Ok(Value::Undefined),
        Some(Instead::Operands(operands)) => call(name, builtin, &operands),
        None if SHARING.contains(&name) => measured(name, call(name, builtin, values)?),
        None => call(name, builtin, values),
    }
}

/// What a function made of its operands, if it is not too large.
pub(super) fn measured(name: &str, answer: Value) -> anyhow::Result<Value> {
    builtins::sized([&answer]).map_err(|error| anyhow!("limit: {name}: a result {error}"))?;
    Ok(answer)
}

/// What a builtin of the interpreter answers to operands that cost little.
pub(super) fn interpreters(name: &str, values: &[Value]) -> anyhow::Result<Value> {
    let builtin = BUILTINS.get(name).ok_or_else(|| anyhow!("the interpreter has no {name}"))?;
    call(name, *builtin, values)
}

/// Calls the interpreter's builtin; its errors are what OPA makes of them.
fn call(name: &str, builtin: BuiltinFcn, values: &[Value]) -> anyhow::Result<Value> {
    let (span, arguments) = nowhere(values.len())?;
    let strict = builtins::is_strict();
    match builtin.0(&span, &arguments, values, strict) {
        Err(error) => match error.downcast_ref::<LimitError>() {
            Some(limit) => Err(anyhow!("limit: {limit}")),
            None if strict => Err(failed(name, &error)),
            // Errors of builtins are undefined, as everywhere in OPA.
            None => Ok(Value::Undefined),
        },
        Ok(Value::Undefined) if strict => Err(anyhow!("eval_builtin_error: {name}: no result")),
        answer => answer,
    }
}

/// An error with OPA's code for it.
fn failed(name: &str, error: &anyhow::Error) -> anyhow::Error {
    let text = error.to_string();
    let text = text.rsplit_once("error: ").map_or(text.as_str(), |(_, message)| message).trim();
    let code = if text.contains(" expects ") { "eval_type_error" } else { "eval_builtin_error" };
    anyhow!("{code}: {name}: {text}")
}

/// A place for the builtin's own messages, which nobody sees.
fn nowhere(arguments: usize) -> anyhow::Result<(Span, Vec<Ref<Expr>>)> {
    let source = Source::from_contents(String::new(), String::new())?;
    let span = Span { source, line: 1, col: 1, start: 0, end: 0 };
    let argument = || Ref::new(Expr::Null { span: span.clone(), value: Value::Null, eidx: 0 });
    Ok((span.clone(), (0..arguments).map(|_| argument()).collect()))
}

// --- bounds ---

/// The nearest float: of an integer that none holds exactly, the interpreter's own conversion says nothing.
fn number(values: &[Value], at: usize) -> Option<f64> {
    let value = values.get(at)?;
    value.as_number().is_ok().then(|| value.to_string().parse().unwrap_or(f64::NAN))
}

fn string(values: &[Value], at: usize) -> Option<&str> {
    values.get(at)?.as_string().ok().map(AsRef::as_ref)
}

fn within_bytes(bytes: usize) -> anyhow::Result<bool> {
    if bytes > BYTES {
        bail!("would make more than {} MiB", BYTES >> 20);
    }
    Ok(true)
}

fn within_elements(count: f64) -> anyhow::Result<bool> {
    if count.is_nan() || count > ELEMENTS {
        bail!("would make more than {ELEMENTS} elements");
    }
    Ok(true)
}

fn range(values: &[Value]) -> anyhow::Result<bool> {
    let (Some(from), Some(to)) = (number(values, 0), number(values, 1)) else { return Ok(true) };
    // A step beyond 64 bits is no float for the interpreter, but it is one.
    let step: f64 = match values.get(2) {
        Some(step) if step.as_number().is_ok() => step.to_string().parse().unwrap_or_default(),
        Some(_) => 0.0,
        None => 1.0,
    };
    // OPA: "step must be a positive number above zero"; the interpreter would divide by it, or never end.
    if step < 1.0 || step.fract() != 0.0 {
        return Ok(false);
    }
    within_elements((to - from).abs() / step)
}

fn shift(values: &[Value]) -> anyhow::Result<bool> {
    match number(values, 1) {
        Some(by) if by.is_nan() || by > WIDTH => bail!("would shift by more than {WIDTH} bits"),
        _ => Ok(true),
    }
}

fn elements(values: &[Value]) -> anyhow::Result<bool> {
    let lengths = values.iter().filter_map(|value| value.as_array().ok()).map(|array| array.len());
    let total = lengths.fold(0_usize, usize::saturating_add);
    within_elements(f64::from(u32::try_from(total).unwrap_or(u32::MAX)))
}

fn text(values: &[Value]) -> anyhow::Result<bool> {
    let mut left = BYTES;
    values.iter().try_for_each(|value| spend(value, &mut left))?;
    Ok(true)
}

/// Counts what a value would be when written out, and stops when too much is spent: shared parts count each time.
fn spend(value: &Value, left: &mut usize) -> anyhow::Result<()> {
    let own = value.as_string().map_or(8, |text| text.len());
    *left = left.checked_sub(own).ok_or_else(|| anyhow!("would make more than {} MiB", BYTES >> 20))?;
    match value {
        Value::Array(items) => items.iter().try_for_each(|item| spend(item, left)),
        Value::Set(items) => items.iter_sorted().try_for_each(|item| spend(item, left)),
        Value::Object(members) => members.iter_sorted().try_for_each(|(key, value)| {
            spend(key, left)?;
            spend(value, left)
        }),
        _ => Ok(()),
    }
}

fn joined(values: &[Value]) -> anyhow::Result<bool> {
    let separator = string(values, 0).map_or(0, str::len);
    let mut bytes = 0_usize;
    let mut add = |item: &Value| {
        let length = item.as_string().map_or(0, |text| text.len());
        bytes = bytes.saturating_add(length).saturating_add(separator);
    };
    match values.get(1) {
        Some(Value::Array(items)) => items.iter().for_each(&mut add),
        Some(Value::Set(items)) => items.iter_sorted().for_each(&mut add),
        _ => {}
    }
    within_bytes(bytes)
}
