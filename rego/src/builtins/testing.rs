//! What tests of builtins have in common.

use super::{BuiltinError, Context, Fault, find};
use crate::limits::{Account, Limits};
use crate::value::{Value, json};

/// An evaluation without much of a bound.
pub(super) fn context() -> Context {
    limited(Limits::default())
}

/// An evaluation with bounds.
pub(super) fn limited(limits: Limits) -> Context {
    Context { account: Account::new(limits), now_ns: 0, runtime: Value::Null, seed: Some(1), kept: Default::default() }
}

/// What a builtin answers to a JSON array of operands, printed: `{"set": […]}` stands for a set. `undefined`, or what OPA says.
pub(super) fn answer(context: &mut Context, name: &str, operands: &str) -> String {
    let operands = json::read(operands.as_bytes(), 1_000).unwrap_or_else(|error| panic!("{operands}: {error}"));
    let operands: Vec<_> = operands.as_array().unwrap().iter().map(with_sets).collect();
    match call(context, name, &operands) {
        Ok(Some(value)) => value.to_string(),
        Ok(None) => "undefined".to_owned(),
        Err(error) => match error.into_fault() {
            Fault::Operand(message) => format!("eval_type_error: {name}: {message}"),
            Fault::Failed(message) => format!("eval_builtin_error: {name}: {message}"),
            Fault::Halt(halt) => format!("halt: {halt}"),
        },
    }
}

/// What a builtin answers.
pub(super) fn call(context: &mut Context, name: &str, operands: &[Value]) -> Result<Option<Value>, BuiltinError> {
    let operands: Vec<_> = operands.iter().collect();
    find(name).and_then(|builtin| builtin.function).unwrap_or_else(|| panic!("nothing computes {name}"))(context, &operands)
}

/// The value that a JSON document with sets stands for.
pub(super) fn with_sets(value: &Value) -> Value {
    match value {
        Value::Array(array) => Value::array(array.items().iter().map(with_sets)),
        Value::Object(object) => match (object.member("set"), object.len()) {
            (Some(Value::Array(members)), 1) => Value::set(members.items().iter().map(with_sets)),
            _ => Value::object(object.iter().map(|(key, value)| (key.clone(), with_sets(value)))),
        },
        other => other.clone(),
    }
}
