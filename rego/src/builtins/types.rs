//! What type a value is of.

use super::operand::{at, items, wrong};
use super::signature::Type;
use super::table::{Builtin, row};
use super::{BuiltinError, Context};
use crate::value::Value;

/// One row each, in the order of their names.
pub(super) const ROWS: &[Builtin] = &[
    row("cast_array", &[Type::Any], Some(Type::Array(&Type::Any))).by(cast_array).deprecated(),
    row("cast_boolean", &[Type::Any], Some(Type::Boolean)).by(cast_boolean).deprecated(),
    row("cast_null", &[Type::Any], Some(Type::Null)).by(cast_null).deprecated(),
    row("cast_object", &[Type::Any], Some(Type::Object(&Type::Any, &Type::Any))).by(cast_object).deprecated(),
    row("cast_set", &[Type::Any], Some(Type::Set(&Type::Any))).by(cast_set).deprecated(),
    row("cast_string", &[Type::Any], Some(Type::String)).by(cast_string).deprecated(),
    row("is_array", &[Type::Any], Some(Type::Boolean)).by(|_, operands| is(operands, "array")),
    row("is_boolean", &[Type::Any], Some(Type::Boolean)).by(|_, operands| is(operands, "boolean")),
    row("is_null", &[Type::Any], Some(Type::Boolean)).by(|_, operands| is(operands, "null")),
    row("is_number", &[Type::Any], Some(Type::Boolean)).by(|_, operands| is(operands, "number")),
    row("is_object", &[Type::Any], Some(Type::Boolean)).by(|_, operands| is(operands, "object")),
    row("is_set", &[Type::Any], Some(Type::Boolean)).by(|_, operands| is(operands, "set")),
    row("is_string", &[Type::Any], Some(Type::Boolean)).by(|_, operands| is(operands, "string")),
    row("type_name", &[Type::Any], Some(Type::String)).by(type_name),
];

type Answer = Result<Option<Value>, BuiltinError>;

fn is(operands: &[&Value], name: &str) -> Answer {
    Ok(Some(Value::from(at(operands, 0)?.type_name() == name)))
}

fn type_name(_: &mut Context, operands: &[&Value]) -> Answer {
    Ok(Some(Value::from(at(operands, 0)?.type_name())))
}

fn cast_array(context: &mut Context, operands: &[&Value]) -> Answer {
    if let array @ Value::Array(_) = at(operands, 0)? {
        return Ok(Some(array.clone()));
    }
    let members = items(operands, 0, &["array", "set"])?;
    context.account.charge(size_of_val(members))?;
    Ok(Some(Value::array(members.iter().cloned())))
}

fn cast_set(context: &mut Context, operands: &[&Value]) -> Answer {
    if let set @ Value::Set(_) = at(operands, 0)? {
        return Ok(Some(set.clone()));
    }
    let members = items(operands, 0, &["array", "set"])?;
    context.account.charge(size_of_val(members))?;
    let set = crate::value::Set::new_within(members.to_vec(), &mut context.account)?;
    Ok(Some(Value::Set(std::sync::Arc::new(set))))
}

fn cast_string(_: &mut Context, operands: &[&Value]) -> Answer {
    cast(operands, "string")
}

fn cast_boolean(_: &mut Context, operands: &[&Value]) -> Answer {
    cast(operands, "boolean")
}

fn cast_null(_: &mut Context, operands: &[&Value]) -> Answer {
    cast(operands, "null")
}

fn cast_object(_: &mut Context, operands: &[&Value]) -> Answer {
    cast(operands, "object")
}

fn cast(operands: &[&Value], name: &str) -> Answer {
    let value = at(operands, 0)?;
    if value.type_name() == name { Ok(Some(value.clone())) } else { Err(wrong(0, value, &[name])) }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{answer, context};

    /// As OPA 1.22 answers with `--strict-builtin-errors`.
    #[test]
    fn types_are_those_of_opa() {
        let mut context = context();
        for (name, operands, expected) in [
            ("is_array", "[[]]", "true"),
            ("is_set", "[[]]", "false"),
            ("is_number", "[1e400]", "true"),
            ("is_null", "[null]", "true"),
            ("type_name", "[{\"set\": []}]", "\"set\""),
            ("type_name", "[true]", "\"boolean\""),
            ("cast_array", "[{\"set\": [2, 1]}]", "[1, 2]"),
            ("cast_set", "[[2, 1, 2.0]]", "{1, 2}"),
            ("cast_set", "[1]", "eval_type_error: cast_set: operand 1 must be one of {array, set} but got number"),
            ("cast_string", "[1]", "eval_type_error: cast_string: operand 1 must be string but got number"),
            ("cast_object", "[{}]", "{}"),
        ] {
            assert_eq!(answer(&mut context, name, operands), expected, "{name} {operands}");
        }
    }
}
