//! Functions that public policies bring themselves: Trivy's and Regal's.

use std::collections::HashMap;
use std::sync::LazyLock;

use plimsoll_rego::builtins::error::Answer;
use plimsoll_rego::builtins::{Builtin, BuiltinError, Context, Type, operand, row};
use plimsoll_rego::value::{Str, Value, json};

use crate::roast;

/// One row each.
pub(crate) const ROWS: &[Builtin] = &[
    row("cidr.count_addresses", &[Type::String], Some(Type::Number)).by(|_, all| recorded("cidr.count_addresses", all)),
    row("cidr.is_public", &[Type::String], Some(Type::Boolean)).by(|_, all| recorded("cidr.is_public", all)),
    row("isManaged", &[Type::Any], Some(Type::Boolean)).by(is_managed),
    row("regal.is_formatted", &[Type::String, Type::Object(&Type::String, &Type::Any)], Some(Type::Boolean))
        .by(|_, all| recorded("regal.is_formatted", all)),
    row("regal.last", &[Type::Array(&Type::Any)], Some(Type::Any)).by(last),
    row("regal.parse_module", &[Type::String, Type::String], Some(Type::Object(&Type::String, &Type::Any))).by(parse_module),
    row("result.new", &[Type::String, Type::Any], Some(Type::Any)).by(new_result),
    row("sh.parse_commands", &[Type::String], Some(Type::Array(&Type::Array(&Type::String))))
        .by(|_, all| recorded("sh.parse_commands", all)),
    row(
        "squealer.scan_string",
        &[Type::String],
        Some(Type::Record(&[("description", Type::String), ("transgressionFound", Type::Boolean)], None)),
    )
    .by(|_, all| recorded("squealer.scan_string", all)),
];

/// What they answered in OPA: a name and operands, and the answer, a line each (`tests/tools/public/record`).
const ANSWERS: &str = include_str!("answers.jsonl");

/// A parser of shell scripts, a scanner of secrets and a formatter are not written again: their answers are known.
fn recorded(name: &str, operands: &[&Value]) -> Answer {
    static KNOWN: LazyLock<HashMap<Value, Value>> = LazyLock::new(|| {
        let lines = ANSWERS.lines().filter_map(|line| json::read(line.as_bytes(), 1_000).ok());
        lines
            .filter_map(|line| {
                line.as_array()?.split_last().map(|(answer, call)| (Value::array(call.iter().cloned()), answer.clone()))
            })
            .collect()
    });
    let call = Value::array(std::iter::once(Value::from(name)).chain(operands.iter().copied().cloned()));
    match KNOWN.get(&call) {
        Some(Value::Null) => Err(BuiltinError::failed("failed in OPA, too")),
        Some(answer) => Ok(Some(answer.clone())),
        None => Err(BuiltinError::failed(format!("no answer is recorded for {call}"))),
    }
}

/// The last item of an array, if there is one.
fn last(_: &mut Context, operands: &[&Value]) -> Answer {
    Ok(operand::array(operands, 0)?.last().cloned())
}

/// A module as Regal shows its tree.
fn parse_module(context: &mut Context, operands: &[&Value]) -> Answer {
    let (name, text) = (operand::string(operands, 0)?, operand::string(operands, 1)?);
    context.account.charge(text.len().saturating_mul(64))?;
    roast::parsed(name, text).map(Some).map_err(BuiltinError::failed)
}

/// What a result says where its cause does not, and the names under which the cause may say it (Trivy's `pkg/iac/rego/custom.go`).
const MEMBERS: &[(&str, Value, &[&str])] = &[
    ("startline", Value::Int(0), &["StartLine", "startline"]),
    ("endline", Value::Int(0), &["EndLine", "endline"]),
    ("filepath", Value::String(Str::EMPTY), &["Path", "filepath"]),
    ("sourceprefix", Value::String(Str::EMPTY), &["sourceprefix"]),
    ("explicit", Value::False, &["explicit"]),
    ("managed", Value::True, &["managed"]),
    ("fskey", Value::String(Str::EMPTY), &["fskey"]),
    ("resource", Value::String(Str::EMPTY), &["resource"]),
];

fn new_result(_: &mut Context, operands: &[&Value]) -> Answer {
    let (message, cause) = (operand::at(operands, 0)?, operand::at(operands, 1)?);
    Ok(Some(result(Some(message), cause)))
}

fn is_managed(_: &mut Context, operands: &[&Value]) -> Answer {
    Ok(result(None, operand::at(operands, 0)?).get(&"managed".into()).cloned())
}

/// The metadata of a cause.
fn result(message: Option<&Value>, cause: &Value) -> Value {
    let cause = cause.get(&"__defsec_metadata".into()).unwrap_or(cause);
    let said = |names: &[&str]| names.iter().find_map(|name| cause.get(&Value::from(*name))).cloned();
    let members =
        MEMBERS.iter().map(|(name, missing, names)| (Value::from(*name), said(names).unwrap_or_else(|| missing.clone())));
    let parent = cause.get(&"parent".into()).map_or(Value::Null, |parent| result(None, parent));
    let message = message.map(|message| ("msg".into(), message.clone()));
    Value::object(members.chain([("parent".into(), parent)]).chain(message))
}
