//! What the operators compute; OPA's own errors begin with its code.

use regorus::Value;

use super::decimal::{Unkept, Wide};
use crate::rego::builtins;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    /// OPA has none either.
    #[error("{0}")]
    Opas(String),
    /// OPA has one: the evaluation ends.
    #[error("limit: {0} {1}")]
    Unkept(&'static str, Unkept),
    /// The result is too large to be gone through.
    #[error("limit: {0}: what it is about {1}")]
    Large(&'static str, String),
}

type Answer = Result<Value, Failure>;

/// Name, number of operands, function.
type Operator = (&'static str, u8, fn(&[Value]) -> Answer);

/// Those whose results are operands of other operators have all bits.
pub(super) const OPERATORS: [Operator; 13] = [
    ("plimsoll__.plus", 2, |values| kept("plus", plus(values)?)),
    ("plimsoll__.minus", 2, |values| kept("minus", minus(values)?)),
    ("plimsoll__.mul", 2, |values| kept("mul", mul(values)?)),
    ("plimsoll__.div", 2, |values| kept("div", div(values)?)),
    ("plimsoll__.plus_within", 2, |values| Ok(within(plus(values)?))),
    ("plimsoll__.minus_within", 2, |values| Ok(within(minus(values)?))),
    ("plimsoll__.mul_within", 2, |values| Ok(within(mul(values)?))),
    ("plimsoll__.div_within", 2, |values| Ok(within(div(values)?))),
    ("plimsoll__.rem", 2, rem),
    ("plimsoll__.and", 2, and),
    ("plimsoll__.or", 2, or),
    ("plimsoll__.member_2", 2, member),
    ("plimsoll__.member_3", 3, member_with_key),
];

/// What an operator comes to.
enum Computed {
    Value(Value),
    Wide(Wide),
}

fn pair(values: &[Value]) -> Result<(&Value, &Value), Failure> {
    match values {
        [a, b] => Ok((a, b)),
        _ => Err(opas("eval_internal_error: operators have two operands")),
    }
}

fn opas(error: impl Into<String>) -> Failure {
    Failure::Opas(error.into())
}

fn kept(name: &'static str, computed: Computed) -> Answer {
    match computed {
        Computed::Value(value) => Ok(value),
        Computed::Wide(wide) => wide.value().map_err(|error| Failure::Unkept(name, error)),
    }
}

fn within(computed: Computed) -> Value {
    match computed {
        Computed::Value(value) => value,
        // Whole numbers are computed with exactly.
        Computed::Wide(wide) => wide.value().ok().filter(|_| wide.is_whole()).unwrap_or_else(|| wide.within()),
    }
}

/// The operands of an operator on numbers.
fn numbers(name: &str, values: &[Value]) -> Result<(Wide, Wide), Failure> {
    let (a, b) = pair(values)?;
    let number = |place: u8, value: &Value| {
        Wide::of(value).ok_or_else(|| opas(format!("eval_type_error: {name}: operand {place} must be number")))
    };
    Ok((number(1, a)?, number(2, b)?))
}

/// A whole number as an integer, however it was written.
pub(in crate::rego::rewrite) fn integer(value: &Value) -> Option<Value> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let number = value.as_number().ok().filter(|number| number.is_integer())?;
    match number.as_f64() {
        // Its digits say which number it is; they are written without an exponent.
        Some(float) if float.abs() > EXACT => Value::from_numeric_string(&float.to_string()).ok(),
        Some(_) => number.as_i64().map(Value::from),
        None => Some(value.clone()),
    }
}

/// What two integers come to.
type Exact = fn(&Value, &Value) -> anyhow::Result<Value>;

const ADD: Exact = |a, b| Ok(Value::Number(a.as_number()?.add(b.as_number()?)?));
const SUB: Exact = |a, b| Ok(Value::Number(a.as_number()?.sub(b.as_number()?)?));
const MUL: Exact = |a, b| Ok(Value::Number(a.as_number()?.mul(b.as_number()?)?));
const DIV: Exact = |a, b| Ok(Value::Number(a.as_number()?.clone().divide(b.as_number()?)?));
const REM: Exact = |a, b| Ok(Value::Number(a.as_number()?.clone().modulo(b.as_number()?)?));

/// What is computed exactly on integers, and with 64 bits on other numbers.
fn arithmetic(
    name: &'static str,
    values: &[Value],
    exact: Exact,
    wide: fn(Wide, Wide) -> Option<Wide>,
) -> Result<Computed, Failure> {
    let (a, b) = pair(values)?;
    if let Some((a, b)) = integer(a).zip(integer(b))
        && let Ok(value) = exact(&a, &b)
    {
        return Ok(Computed::Value(value));
    }
    let (a, b) = numbers(name, values)?;
    wide(a, b).map(Computed::Wide).ok_or(Failure::Unkept(name, Unkept::Beyond))
}

/// The sum of numbers; nothing for what is none.
pub(in crate::rego::rewrite) fn sum<'v>(values: impl Iterator<Item = &'v Value> + Clone) -> anyhow::Result<Option<Value>> {
    if let Some(integers) = values.clone().map(integer).collect::<Option<Vec<_>>>() {
        return Ok(integers.iter().try_fold(Value::from(0), |sum, value| ADD(&sum, value)).ok());
    }
    let Some(numbers) = values.map(Wide::of).collect::<Option<Vec<_>>>() else { return Ok(None) };
    let zero = Wide::of(&Value::from(0)).ok_or(Unkept::Beyond)?;
    numbers.into_iter().try_fold(zero, Wide::add).ok_or(Unkept::Beyond)?.value().map(Some).map_err(Into::into)
}

/// The product of numbers, that of others than integers computed with 53 bits (opa `v1/topdown/aggregates.go`).
pub(in crate::rego::rewrite) fn product<'v>(values: impl Iterator<Item = &'v Value> + Clone) -> anyhow::Result<Option<Value>> {
    if let Some(integers) = values.clone().map(integer).collect::<Option<Vec<_>>>() {
        return Ok(integers.iter().try_fold(Value::from(1), |product, value| MUL(&product, value)).ok());
    }
    let Some(numbers) = values.map(Wide::of).collect::<Option<Vec<_>>>() else { return Ok(None) };
    let one = Wide::of(&Value::from(1)).ok_or(Unkept::Beyond)?;
    numbers.into_iter().try_fold(one, Wide::mul_double).ok_or(Unkept::Beyond)?.double().map(Some).map_err(Into::into)
}

fn plus(values: &[Value]) -> Result<Computed, Failure> {
    arithmetic("plus", values, ADD, Wide::add)
}

fn minus(values: &[Value]) -> Result<Computed, Failure> {
    if let (Value::Set(a), Value::Set(b)) = pair(values)? {
        return Ok(Computed::Value(a.difference(b).into()));
    }
    arithmetic("minus", values, SUB, Wide::sub)
}

fn mul(values: &[Value]) -> Result<Computed, Failure> {
    arithmetic("mul", values, MUL, Wide::mul)
}

/// Exact only if both are small and nothing is left (opa `v1/topdown/arithmetic.go`).
fn div(values: &[Value]) -> Result<Computed, Failure> {
    let (a, b) = numbers("div", values)?;
    if b.is_zero() {
        return Err(opas("eval_builtin_error: div: divide by zero"));
    }
    let (above, below) = pair(values)?;
    let small = |value: &Value| integer(value).filter(|value| value.as_i64().is_ok_and(|value| i32::try_from(value).is_ok()));
    let even = |a: &Value, b: &Value| REM(a, b).is_ok_and(|rest| rest == Value::from(0));
    if let Some((above, below)) = small(above).zip(small(below)).filter(|(above, below)| even(above, below))
        && let Ok(quotient) = DIV(&above, &below)
    {
        return Ok(Computed::Value(quotient));
    }
    a.div(b).map(Computed::Wide).ok_or(Failure::Unkept("div", Unkept::Beyond))
}

fn rem(values: &[Value]) -> Answer {
    let (dividend, divisor) = numbers("rem", values)?;
    let (a, b) = pair(values)?;
    let Some((a, b)) = integer(a).zip(integer(b)) else {
        return Err(match dividend.is_whole() && divisor.is_whole() {
            true => Failure::Unkept("rem", Unkept::Digits),
            false => opas("eval_builtin_error: rem: modulo on floating-point number"),
        });
    };
    if divisor.is_zero() {
        return Err(opas("eval_builtin_error: rem: modulo by zero"));
    }
    REM(&a, &b).map_err(|error| opas(format!("eval_builtin_error: rem: {error}")))
}

fn and(values: &[Value]) -> Answer {
    match pair(values)? {
        (Value::Set(a), Value::Set(b)) => Ok(a.intersection(b).into()),
        _ => Err(opas("eval_type_error: and: operands must be sets")),
    }
}

fn or(values: &[Value]) -> Answer {
    match pair(values)? {
        (Value::Set(a), Value::Set(b)) => shared(a.union(b).into()),
        _ => Err(opas("eval_type_error: or: operands must be sets")),
    }
}

/// What has members of two sets, which may have parts in common.
fn shared(union: Value) -> Answer {
    builtins::sized([&union]).map_err(|error| Failure::Large("or", error.to_string()))?;
    Ok(union)
}

fn member(values: &[Value]) -> Answer {
    let (value, collection) = pair(values)?;
    let found = match collection {
        Value::Array(items) => one_of(value, items.iter())?,
        Value::Set(items) => items.contains(value),
        Value::Object(members) => one_of(value, members.iter().map(|(_, item)| item))?,
        _ => false,
    };
    Ok(Value::Bool(found))
}

fn one_of<'v>(value: &Value, items: impl Iterator<Item = &'v Value>) -> Result<bool, Failure> {
    for item in items {
        if builtins::equal(item, value).map_err(|error| Failure::Large("in", error.to_string()))? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn member_with_key(values: &[Value]) -> Answer {
    let [key, value, collection] = values else {
        return Err(opas("eval_internal_error: three operands"));
    };
    let found = match collection {
        Value::Array(_) | Value::Object(_) => collection[key] == *value,
        // Elements of a set are their own keys.
        Value::Set(items) => key == value && items.contains(value),
        _ => false,
    };
    Ok(Value::Bool(found))
}
