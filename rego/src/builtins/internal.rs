//! What the compiler writes itself.

use super::comparison::same;
use super::operand::{array, at};
use super::signature::Type;
use super::table::{Builtin, row};
use super::{BuiltinError, Context};
use crate::value::Value;
use crate::value::print::TextError;

/// One row each, in the order of their names.
pub(super) const ROWS: &[Builtin] = &[
    row("internal.member_2", &[Type::Any, Type::Any], Some(Type::Boolean)).by(member).infix("in"),
    row("internal.member_3", &[Type::Any, Type::Any, Type::Any], Some(Type::Boolean)).by(member_with_key).infix("in"),
    row("internal.print", &[Type::Array(&Type::Set(&Type::Any))], None),
    row("internal.template_string", &[Type::Array(&Type::Any)], Some(Type::String)).by(template),
    row("internal.test_case", &[Type::Array(&Type::Any)], None),
];

type Answer = Result<Option<Value>, BuiltinError>;

/// `value in collection` (`v1/topdown/aggregates.go`, `builtinMember`).
fn member(context: &mut Context, operands: &[&Value]) -> Answer {
    let (value, collection) = (at(operands, 0)?, at(operands, 1)?);
    let items = match collection {
        Value::Set(set) => {
            return Ok(Some(Value::from(set.get_within(value, &mut context.account)?.is_some())));
        }
        Value::Array(array) => array.items(),
        Value::Object(object) => object.values(),
        _ => &[],
    };
    for item in items {
        if same(context, value, item)? {
            return Ok(Some(Value::True));
        }
    }
    Ok(Some(Value::False))
}

/// `key, value in collection` (`v1/topdown/aggregates.go`, `builtinMemberWithKey`).
fn member_with_key(context: &mut Context, operands: &[&Value]) -> Answer {
    let (key, value, collection) = (at(operands, 0)?, at(operands, 1)?, at(operands, 2)?);
    let found = match collection {
        Value::Set(set) => set.get_within(key, &mut context.account)?.is_some() && same(context, key, value)?,
        Value::Array(_) | Value::Object(_) => match collection.get_within(key, &mut context.account)? {
            Some(item) => same(context, value, item)?,
            None => false,
        },
        _ => false,
    };
    Ok(Some(Value::from(found)))
}

/// The parts of a template string: text stands for itself, other scalars are printed, and a set holds what an expression came
/// to (`v1/topdown/template_string.go`).
fn template(context: &mut Context, operands: &[&Value]) -> Answer {
    let mut text = String::new();
    for part in array(operands, 0)? {
        let value = match part {
            Value::Set(set) => match set.members() {
                [] => {
                    text.push_str("<undefined>");
                    continue;
                }
                [one] => one,
                _ => return Err(BuiltinError::failed("template-strings must not produce multiple outputs")),
            },
            Value::Array(_) | Value::Object(_) => {
                return Err(BuiltinError::failed(format!("illegal argument type: {}", part.type_name())));
            }
            scalar => scalar,
        };
        match value {
            Value::String(value) => {
                context.account.charge(value.len())?;
                text.push_str(value);
            }
            other => text.push_str(&printed(context, other)?),
        }
    }
    Ok(Some(Value::from(text)))
}

fn printed(context: &mut Context, value: &Value) -> Result<String, BuiltinError> {
    value.print_within(usize::MAX, &mut context.account).map_err(|error| match error {
        TextError::Halt(halt) => halt.into(),
        other => BuiltinError::failed(other.to_string()),
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{answer, context};

    /// As OPA 1.22 answers.
    #[test]
    fn members_are_found_as_in_opa() {
        let mut context = context();
        for (name, operands, expected) in [
            ("internal.member_2", "[1, [2, 1.0]]", "true"),
            ("internal.member_2", "[1, {\"a\": 1}]", "true"),
            ("internal.member_2", "[\"a\", {\"a\": 1}]", "false"),
            ("internal.member_2", "[1, {\"set\": [1]}]", "true"),
            ("internal.member_2", "[\"a\", \"abc\"]", "false"),
            ("internal.member_3", "[0, 5, [5]]", "true"),
            ("internal.member_3", "[\"a\", 1, {\"a\": 1.0}]", "true"),
            ("internal.member_3", "[\"b\", 1, {\"a\": 1}]", "false"),
            ("internal.member_3", "[1, 1, {\"set\": [1]}]", "true"),
            ("internal.member_3", "[1, 2, {\"set\": [1, 2]}]", "false"),
            (
                "internal.template_string",
                "[[\"a \", 1.0, {\"set\": [[\"x\"]]}, {\"set\": []}, {\"set\": [\"t\"]}]]",
                "\"a 1.0[\\\"x\\\"]<undefined>t\"",
            ),
        ] {
            assert_eq!(answer(&mut context, name, operands), expected, "{name} {operands}");
        }
    }
}
