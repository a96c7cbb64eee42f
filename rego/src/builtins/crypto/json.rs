//! JSON of tokens and keys, on the account.

use crate::builtins::{BuiltinError, Context};
use crate::value::Value;
use crate::value::json::{JsonError, ReadError, Reader, TextError, write_within};

/// A text that is no JSON. It is said in Go's words alone, without the place.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[error("{}", .0.message)]
pub(in crate::builtins) struct NotJson(JsonError);

/// Returns the value of a JSON text, or what is wrong with it. Fails where the account is spent.
pub(in crate::builtins) fn read(context: &mut Context, text: &str) -> Result<Result<Value, NotJson>, BuiltinError> {
    let depth = context.account.limits().depth;
    match Reader::new().read_within(text.as_bytes(), depth, &mut context.account) {
        Ok(value) => Ok(Ok(value)),
        Err(ReadError::Json(error)) => Ok(Err(NotJson(error))),
        Err(ReadError::Halt(halt)) => Err(halt.into()),
    }
}

/// A value as JSON without spaces.
pub(in crate::builtins) fn write(context: &mut Context, value: &Value) -> Result<String, BuiltinError> {
    write_within(value, None, usize::MAX, &mut context.account).map_err(|error| match error {
        TextError::Halt(halt) => halt.into(),
        other => BuiltinError::failed(other.to_string()),
    })
}
