//! Counting, sums, the smallest and the largest.

use std::cmp::Ordering;

use num_bigint::BigInt;

use super::numbers::{failed, pay, pay_digits};
use super::operand::{at, items, wrong, wrong_member};
use super::signature::Type;
use super::table::{Builtin, row};
use super::{BuiltinError, Context};
use crate::value::number::arithmetic::{self, Computed};
use crate::value::{Value, sort_within};

/// One row each, in the order of their names.
pub(super) const ROWS: &[Builtin] = &[
    row("all", &[Type::Or(&[Type::Array(&Type::Any), Type::Set(&Type::Any)])], Some(Type::Boolean)).by(all).deprecated(),
    row("any", &[Type::Or(&[Type::Array(&Type::Any), Type::Set(&Type::Any)])], Some(Type::Boolean)).by(any).deprecated(),
    row(
        "count",
        &[Type::Or(&[Type::String, Type::Array(&Type::Any), Type::Object(&Type::Any, &Type::Any), Type::Set(&Type::Any)])],
        Some(Type::Number),
    )
    .by(count),
    row("max", &[Type::Or(&[Type::Array(&Type::Any), Type::Set(&Type::Any)])], Some(Type::Any)).by(max),
    row("min", &[Type::Or(&[Type::Array(&Type::Any), Type::Set(&Type::Any)])], Some(Type::Any)).by(min),
    row("product", &[Type::Or(&[Type::Array(&Type::Number), Type::Set(&Type::Number)])], Some(Type::Number)).by(product),
    row("sort", &[Type::Or(&[Type::Array(&Type::Any), Type::Set(&Type::Any)])], Some(Type::Array(&Type::Any))).by(sort),
    row("sum", &[Type::Or(&[Type::Array(&Type::Number), Type::Set(&Type::Number)])], Some(Type::Number)).by(sum),
];

type Answer = Result<Option<Value>, BuiltinError>;

fn count(context: &mut Context, operands: &[&Value]) -> Answer {
    let count = match at(operands, 0)? {
        Value::Array(array) => array.len(),
        Value::Object(object) => object.len(),
        Value::Set(set) => set.len(),
        Value::String(text) => {
            context.account.step(u64::try_from(text.len() / 64).unwrap_or(u64::MAX))?;
            text.chars().count()
        }
        other => return Err(wrong(0, other, &["array", "object", "set", "string"])),
    };
    Ok(Some(Value::from(count)))
}

fn sum(context: &mut Context, operands: &[&Value]) -> Answer {
    accumulated(context, operands, |items| arithmetic::sum(items.iter()))
}

fn product(context: &mut Context, operands: &[&Value]) -> Answer {
    match whole_product(context, items(operands, 0, &["set", "array"])?)? {
        Some(product) => Ok(Some(Value::from(product))),
        None => accumulated(context, operands, |items| arithmetic::product(items.iter())),
    }
}

/// The product of whole numbers, each multiplication paid by what has come together; `None` if others are among them.
fn whole_product(context: &mut Context, items: &[Value]) -> Result<Option<BigInt>, BuiltinError> {
    let mut product = BigInt::from(1);
    for item in items {
        pay(context, [item])?;
        let Some(factor) = item.as_integer() else { return Ok(None) };
        let (bits, more) = (product.bits(), factor.bits());
        context.account.step((bits / 64).saturating_mul(more / 64 + 1) / 64)?;
        context.account.charge(usize::try_from(more / 8).unwrap_or(usize::MAX))?;
        product *= factor;
    }
    // Every digit takes more than three bits.
    pay_digits(context, product.bits().saturating_mul(3) / 10)?;
    Ok(Some(product))
}

fn accumulated(context: &mut Context, operands: &[&Value], compute: fn(&[Value]) -> Computed) -> Answer {
    let items = items(operands, 0, &["set", "array"])?;
    // Each is read for itself.
    for item in items {
        pay(context, [item])?;
    }
    match compute(items) {
        Some(result) => result.map(Some).map_err(failed),
        None => {
            let collection = at(operands, 0)?;
            let got = items.iter().find(|item| !item.is_number()).unwrap_or(&Value::Null);
            Err(wrong_member(0, collection, got, "number"))
        }
    }
}

/// Of equal ones the last.
fn max(context: &mut Context, operands: &[&Value]) -> Answer {
    extreme(context, operands, Ordering::is_le)
}

/// Of equal ones the last.
fn min(context: &mut Context, operands: &[&Value]) -> Answer {
    extreme(context, operands, Ordering::is_ge)
}

fn extreme(context: &mut Context, operands: &[&Value], replaced: fn(Ordering) -> bool) -> Answer {
    let items = items(operands, 0, &["set", "array"])?;
    let Some((mut best, rest)) = items.split_first() else { return Ok(None) };
    for item in rest {
        if replaced(best.compare_within(item, &mut context.account)?) {
            best = item;
        }
    }
    Ok(Some(best.clone()))
}

fn sort(context: &mut Context, operands: &[&Value]) -> Answer {
    let items = items(operands, 0, &["set", "array"])?;
    context.account.charge(size_of_val(items))?;
    let mut sorted = items.to_vec();
    if !matches!(at(operands, 0)?, Value::Set(_)) {
        sort_within(&mut sorted, &mut context.account)?;
    }
    Ok(Some(Value::array(sorted)))
}

fn all(context: &mut Context, operands: &[&Value]) -> Answer {
    let items = items(operands, 0, &["array", "set"])?;
    context.account.step(u64::try_from(items.len()).unwrap_or(u64::MAX))?;
    Ok(Some(Value::from(items.iter().all(|item| matches!(item, Value::True)))))
}

fn any(context: &mut Context, operands: &[&Value]) -> Answer {
    let items = items(operands, 0, &["array", "set"])?;
    context.account.step(u64::try_from(items.len()).unwrap_or(u64::MAX))?;
    Ok(Some(Value::from(items.iter().any(|item| matches!(item, Value::True)))))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{answer, call, context, limited};
    use super::*;
    use crate::limits::{Halt, Limits};

    #[test]
    fn a_product_that_grows_is_paid_for() {
        let factors = Value::array((0..20_000).map(|at| Value::Int(i64::MAX - at)));
        let mut context = limited(Limits { steps: 100_000, ..Limits::default() });
        assert_eq!(call(&mut context, "product", &[factors]), Err(Halt::Steps(100_000).into()));
    }

    /// As OPA 1.22 answers with `--strict-builtin-errors`.
    #[test]
    fn aggregates_are_those_of_opa() {
        let mut context = context();
        for (name, operands, expected) in [
            ("count", "[\"grün\"]", "4"),
            ("count", "[{\"a\": 1}]", "1"),
            ("count", "[1]", "eval_type_error: count: operand 1 must be one of {array, object, set, string} but got number"),
            ("sum", "[[1, 2.0, 3]]", "6"),
            ("sum", "[[9223372036854775807, 1]]", "9223372036854775808"),
            ("sum", "[[0.1, 0.2, 1e2]]", "100.3"),
            ("sum", "[[]]", "0"),
            ("sum", "[[1, \"2\"]]", "eval_type_error: sum: operand 1 must be array of numbers but got array containing string"),
            ("sum", "[{\"set\": [null]}]", "eval_type_error: sum: operand 1 must be set of numbers but got set containing null"),
            ("sum", "[1]", "eval_type_error: sum: operand 1 must be one of {set, array} but got number"),
            ("product", "[[0.1, 0.3]]", "0.030000000000000002"),
            ("product", "[[]]", "1"),
            ("max", "[[1, 1.0, 0]]", "1.0"),
            ("max", "[[null]]", "null"),
            ("max", "[[]]", "undefined"),
            ("min", "[[1, 1.0, 2, \"a\"]]", "1.0"),
            ("min", "[{\"set\": [3, 2]}]", "2"),
            ("min", "[{}]", "eval_type_error: min: operand 1 must be one of {set, array} but got object"),
            ("sort", "[[2, \"a\", null, 1.0, 1, [0], {\"set\": [1]}, {}]]", "[null, 1.0, 1, 2, \"a\", [0], {}, {1}]"),
            ("sort", "[{\"set\": [2, 1]}]", "[1, 2]"),
            ("all", "[[true, 1]]", "false"),
            ("all", "[[]]", "true"),
            ("any", "[{\"set\": [false, true]}]", "true"),
            ("any", "[1]", "eval_type_error: any: operand 1 must be one of {array, set} but got number"),
        ] {
            assert_eq!(answer(&mut context, name, operands), expected, "{name} {operands}");
        }
    }
}
