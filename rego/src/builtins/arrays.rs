//! Arrays.

use super::operand::{array, at, integer};
use super::signature::Type;
use super::table::{Builtin, row};
use super::{BuiltinError, Context};
use crate::value::Value;

/// One row each, in the order of their names.
pub(super) const ROWS: &[Builtin] = &[
    row("array.concat", &[Type::Array(&Type::Any), Type::Array(&Type::Any)], Some(Type::Array(&Type::Any))).by(concat),
    row("array.flatten", &[Type::Array(&Type::Any)], Some(Type::Array(&Type::Any))).by(flatten),
    row("array.reverse", &[Type::Array(&Type::Any)], Some(Type::Array(&Type::Any))).by(reverse),
    row("array.slice", &[Type::Array(&Type::Any), Type::Number, Type::Number], Some(Type::Array(&Type::Any))).by(slice),
];

type Answer = Result<Option<Value>, BuiltinError>;

fn concat(context: &mut Context, operands: &[&Value]) -> Answer {
    let (a, b) = (array(operands, 0)?, array(operands, 1)?);
    match (a, b) {
        ([], _) => at(operands, 1).cloned().map(Some),
        (_, []) => at(operands, 0).cloned().map(Some),
        _ => {
            context.account.charge(size_of_val(a).saturating_add(size_of_val(b)))?;
            Ok(Some(Value::array([a, b].concat())))
        }
    }
}

/// One level of it.
fn flatten(context: &mut Context, operands: &[&Value]) -> Answer {
    let items = array(operands, 0)?;
    let parts = || items.iter().map(|item| item.as_array().unwrap_or(std::slice::from_ref(item)));
    let count = parts().fold(0_usize, |count, part| count.saturating_add(part.len()));
    context.account.charge(count.max(items.len()).saturating_mul(size_of::<Value>()))?;
    Ok(Some(Value::array(parts().flatten().cloned())))
}

/// What lies outside is cut off.
fn slice(context: &mut Context, operands: &[&Value]) -> Answer {
    let items = array(operands, 0)?;
    let (start, stop) = (integer(operands, 1)?, integer(operands, 2)?);
    let within = |index: i64| usize::try_from(index.max(0)).unwrap_or(usize::MAX).min(items.len());
    let part = items.get(within(start)..within(stop)).unwrap_or_default();
    if part.len() == items.len() {
        return at(operands, 0).cloned().map(Some);
    }
    context.account.charge(size_of_val(part))?;
    Ok(Some(Value::array(part.iter().cloned())))
}

fn reverse(context: &mut Context, operands: &[&Value]) -> Answer {
    let items = array(operands, 0)?;
    context.account.charge(size_of_val(items))?;
    Ok(Some(Value::array(items.iter().rev().cloned())))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{answer, context};

    /// As OPA 1.22 answers with `--strict-builtin-errors`.
    #[test]
    fn arrays_are_those_of_opa() {
        let mut context = context();
        for (name, operands, expected) in [
            ("array.concat", "[[1], [2, 3]]", "[1, 2, 3]"),
            ("array.concat", "[[], [2]]", "[2]"),
            ("array.concat", "[[1], {}]", "eval_type_error: array.concat: operand 2 must be array but got object"),
            ("array.flatten", "[[1, [2, [3]], [], {\"a\": 1}]]", "[1, 2, [3], {\"a\": 1}]"),
            ("array.slice", "[[1, 2, 3], 1, 2]", "[2]"),
            ("array.slice", "[[1, 2, 3], -5, 99]", "[1, 2, 3]"),
            ("array.slice", "[[1, 2, 3], 2, 1]", "[]"),
            ("array.slice", "[[1, 2, 3], 1.0, -1]", "[]"),
            (
                "array.slice",
                "[[1], 0.5, 1]",
                "eval_type_error: array.slice: operand 2 must be integer number but got floating-point number",
            ),
            ("array.reverse", "[[1, 2, 3]]", "[3, 2, 1]"),
            ("array.reverse", "[null]", "eval_type_error: array.reverse: operand 1 must be array but got null"),
        ] {
            assert_eq!(answer(&mut context, name, operands), expected, "{name} {operands}");
        }
    }
}
