//! `object.subset` (`v1/topdown/subset.go`): objects inside objects, sets in sets, arrays in arrays, sets in arrays.

use super::super::comparison::same;
use super::super::operand::at;
use super::super::{BuiltinError, Context};
use crate::value::{Value, deep};

pub(super) fn subset(context: &mut Context, operands: &[&Value]) -> Result<Option<Value>, BuiltinError> {
    let found = match (at(operands, 0)?, at(operands, 1)?) {
        // OPA counts items of the array, equal ones too, and looks at the count when there is one.
        (Value::Array(whole), Value::Set(part)) => {
            let mut found = 0_usize;
            for item in whole.items() {
                context.account.step(1)?;
                found = found.saturating_add(usize::from(part.get_within(item, &mut context.account)?.is_some()));
            }
            found >= part.len() && !whole.is_empty()
        }
        (whole @ Value::Object(_), part @ Value::Object(_))
        | (whole @ Value::Set(_), part @ Value::Set(_))
        | (whole @ Value::Array(_), part @ Value::Array(_)) => within(context, whole, part)?,
        _ => {
            let message = "both arguments object.subset must be of the same type or array and set";
            return Err(BuiltinError::operand(message.to_owned()));
        }
    };
    Ok(Some(Value::from(found)))
}

fn within(context: &mut Context, whole: &Value, part: &Value) -> Result<bool, BuiltinError> {
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => deep::level(part.depth(), || {
            for (key, part) in part.iter() {
                let Some(whole) = whole.get_within(key, &mut context.account)? else { return Ok(false) };
                if !same(context, part, whole)? && !within(context, whole, part)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }),
        (Value::Set(whole), Value::Set(part)) => {
            for member in part.members() {
                context.account.step(1)?;
                if whole.get_within(member, &mut context.account)?.is_none() {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        (Value::Array(whole), Value::Array(part)) => run(context, whole.items(), part.items()),
        _ => Ok(false),
    }
}

/// Whether the part stands in the whole, in one piece.
fn run(context: &mut Context, whole: &[Value], part: &[Value]) -> Result<bool, BuiltinError> {
    if part.is_empty() {
        return Ok(true);
    }
    for piece in whole.windows(part.len()) {
        let mut equal = true;
        for (whole, part) in piece.iter().zip(part) {
            equal = same(context, whole, part)?;
            if !equal {
                break;
            }
        }
        if equal {
            return Ok(true);
        }
        context.account.step(1)?;
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{answer, context};

    /// As OPA 1.22 answers with `--strict-builtin-errors`.
    #[test]
    fn subsets_are_those_of_opa() {
        let mut context = context();
        for (name, operands, expected) in [
            ("object.subset", r#"[{"a": {"b": 1, "c": 2}, "d": 3}, {"a": {"c": 2.0}}]"#, "true"),
            ("object.subset", r#"[{"a": 1}, {"b": 1}]"#, "false"),
            ("object.subset", r#"[{"a": [1, 2, 3]}, {"a": [2, 3]}]"#, "true"),
            ("object.subset", r#"[{"a": {"set": [1, 2]}}, {"a": {"set": [2]}}]"#, "true"),
            ("object.subset", r#"[{"a": {"b": 1}}, {"a": 1}]"#, "false"),
            ("object.subset", "[[1, 2, 3], [1, 3]]", "false"),
            ("object.subset", "[[1, 1, 2], [1, 2]]", "true"),
            ("object.subset", "[[1], []]", "true"),
            ("object.subset", r#"[{"set": [1, 2]}, {"set": [1.0]}]"#, "true"),
            ("object.subset", r#"[[1, 2, 3], {"set": [3, 1]}]"#, "true"),
            ("object.subset", r#"[[1, 1], {"set": [1, 2]}]"#, "true"),
            ("object.subset", r#"[[], {"set": []}]"#, "false"),
            (
                "object.subset",
                "[{}, []]",
                "eval_type_error: object.subset: both arguments object.subset must be of the same type or array and set",
            ),
        ] {
            assert_eq!(answer(&mut context, name, operands), expected, "{name} {operands}");
        }
    }
}
