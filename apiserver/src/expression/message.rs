//! Why an expression has no value, in the words of cel-go (`common/types`, `interpreter`).

use cel::{ExecutionError, Value};

/// The text of an error.
pub(super) fn of(error: &ExecutionError) -> String {
    match error {
        ExecutionError::NoSuchOverload(_) | ExecutionError::UnsupportedBinaryOperator(..) => "no such overload".to_owned(),
        ExecutionError::DivisionByZero(_) => "division by zero".to_owned(),
        ExecutionError::RemainderByZero(_) => "modulus by zero".to_owned(),
        ExecutionError::Overflow("add", Value::Timestamp(_), _) => "timestamp overflow".to_owned(),
        ExecutionError::Overflow(_, Value::UInt(_), _) => "unsigned integer overflow".to_owned(),
        ExecutionError::Overflow(..) => "integer overflow".to_owned(),
        ExecutionError::IndexOutOfBounds(Value::Int(index)) => format!("index out of bounds: {index}"),
        ExecutionError::FunctionError { function, message } if message.starts_with("string parse error") => {
            format!("type conversion error from 'string' to '{function}'")
        }
        ExecutionError::FunctionError { message, .. } if message.starts_with("Type conversion error") => lowered(message),
        ExecutionError::FunctionError { message, .. } => message.clone(),
        error => lowered(&error.to_string()),
    }
}

fn lowered(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map(|first| first.to_lowercase().chain(characters).collect()).unwrap_or_default()
}
