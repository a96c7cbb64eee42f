//! What the operators compute; errors begin with OPA's code.

use regorus::Value;

use super::decimal::Wide;

type Answer = Result<Value, String>;

/// Name, number of operands, function.
type Operator = (&'static str, u8, fn(&[Value]) -> Answer);

pub(super) const OPERATORS: [Operator; 9] = [
    ("plimsoll__.plus", 2, plus),
    ("plimsoll__.minus", 2, minus),
    ("plimsoll__.mul", 2, mul),
    ("plimsoll__.div", 2, div),
    ("plimsoll__.rem", 2, rem),
    ("plimsoll__.and", 2, and),
    ("plimsoll__.or", 2, or),
    ("plimsoll__.member_2", 2, member),
    ("plimsoll__.member_3", 3, member_with_key),
];

fn pair(values: &[Value]) -> Result<(&Value, &Value), String> {
    match values {
        [a, b] => Ok((a, b)),
        _ => Err("eval_internal_error: operators have two operands".to_owned()),
    }
}

macro_rules! numbers {
    ($name:literal, $values:expr) => {{
        let (a, b) = pair($values)?;
        let number = |place: u8, value: &'_ Value| match value {
            Value::Number(n) => Ok(n.clone()),
            _ => Err(format!("eval_type_error: {}: operand {place} must be number", $name)),
        };
        (number(1, a)?, number(2, b)?)
    }};
}

fn result<T: Into<Value>>(name: &str, computed: anyhow::Result<T>) -> Answer {
    computed.map(Into::into).map_err(|error| format!("eval_builtin_error: {name}: {error}"))
}

/// What OPA computes with more digits than the interpreter: what is not of integers alone, and large integers, for one of two may
/// be written as a fraction.
fn exact(values: &[Value], operation: fn(Wide, Wide) -> Option<Wide>) -> Option<Value> {
    let (a, b) = pair(values).ok()?;
    if suits([a, b].into_iter()) {
        return None;
    }
    operation(Wide::of(a)?, Wide::of(b)?)?.value()
}

/// Whether the interpreter computes with these as OPA does, however they are written: integers so small that their products are exact,
/// or some so large that they have one form only.
fn suits<'v>(values: impl Iterator<Item = &'v Value> + Clone) -> bool {
    const SMALL: f64 = 67_108_864.0;
    let small = |value: &Value| value.as_f64().is_ok_and(|n| n.fract() == 0.0 && n.abs() < SMALL);
    let huge = |value: &Value| value.as_i64().is_err() && value.as_u64().is_err();
    let integer = |value: &Value| value.as_number().is_ok_and(|number| number.is_integer());
    values.clone().all(small) || values.clone().all(integer) && values.clone().any(huge)
}

fn quotient(values: &[Value]) -> Option<Value> {
    let (a, b) = pair(values).ok()?;
    Wide::of(a)?.div(Wide::of(b)?)?.value()
}

/// The sum of numbers that are not all integers; nothing for what the interpreter sums as OPA does.
pub(in crate::rego::rewrite) fn sum<'v>(values: impl Iterator<Item = &'v Value> + Clone) -> Option<Value> {
    if suits(values.clone()) {
        return None;
    }
    let mut values = values;
    let first = Wide::of(values.next()?)?;
    values.try_fold(first, |sum, value| sum.add(Wide::of(value)?))?.value()
}

/// The product of numbers that are not all integers, computed with 53 bits (opa `v1/topdown/aggregates.go`).
pub(in crate::rego::rewrite) fn product<'v>(values: impl Iterator<Item = &'v Value> + Clone) -> Option<Value> {
    if values.clone().all(|value| value.as_number().is_ok_and(|number| number.is_integer())) {
        return None;
    }
    let mut values = values;
    values.try_fold(Wide::of(&Value::from(1))?, |product, value| product.mul_double(Wide::of(value)?))?.double()
}

fn plus(values: &[Value]) -> Answer {
    let (a, b) = numbers!("plus", values);
    exact(values, Wide::add).map_or_else(|| result("plus", a.add(&b)), Ok)
}

fn minus(values: &[Value]) -> Answer {
    if let (Value::Set(a), Value::Set(b)) = pair(values)? {
        return Ok(a.difference(b).into());
    }
    let (a, b) = numbers!("minus", values);
    exact(values, Wide::sub).map_or_else(|| result("minus", a.sub(&b)), Ok)
}

fn mul(values: &[Value]) -> Answer {
    let (a, b) = numbers!("mul", values);
    exact(values, Wide::mul).map_or_else(|| result("mul", a.mul(&b)), Ok)
}

fn div(values: &[Value]) -> Answer {
    let (a, b) = numbers!("div", values);
    if Value::Number(b.clone()) == Value::from(0) {
        return Err("eval_builtin_error: div: divide by zero".to_owned());
    }
    let even = suits(values.iter()) && a.clone().modulo(&b).is_ok_and(|rest| Value::Number(rest) == Value::from(0));
    let quotient = if even { None } else { quotient(values) };
    quotient.map_or_else(|| result("div", a.divide(&b)), Ok)
}

fn rem(values: &[Value]) -> Answer {
    let (a, b) = numbers!("rem", values);
    if !a.is_integer() || !b.is_integer() {
        return Err("eval_builtin_error: rem: modulo on floating-point number".to_owned());
    }
    if Value::Number(b.clone()) == Value::from(0) {
        return Err("eval_builtin_error: rem: modulo by zero".to_owned());
    }
    result("rem", a.modulo(&b))
}

fn and(values: &[Value]) -> Answer {
    match pair(values)? {
        (Value::Set(a), Value::Set(b)) => Ok(a.intersection(b).into()),
        _ => Err("eval_type_error: and: operands must be sets".to_owned()),
    }
}

fn or(values: &[Value]) -> Answer {
    match pair(values)? {
        (Value::Set(a), Value::Set(b)) => Ok(a.union(b).into()),
        _ => Err("eval_type_error: or: operands must be sets".to_owned()),
    }
}

fn member(values: &[Value]) -> Answer {
    let (value, collection) = pair(values)?;
    let found = match collection {
        Value::Array(items) => items.iter().any(|item| item == value),
        Value::Set(items) => items.contains(value),
        Value::Object(members) => members.iter().any(|(_, item)| item == value),
        _ => false,
    };
    Ok(Value::Bool(found))
}

fn member_with_key(values: &[Value]) -> Answer {
    let [key, value, collection] = values else {
        return Err("eval_internal_error: three operands".to_owned());
    };
    let found = match collection {
        Value::Array(_) | Value::Object(_) => collection[key] == *value,
        // Elements of a set are their own keys.
        Value::Set(items) => key == value && items.contains(value),
        _ => false,
    };
    Ok(Value::Bool(found))
}
