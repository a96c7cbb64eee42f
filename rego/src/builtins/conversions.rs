//! From text to numbers.

use super::operand::{at, wrong};
use super::signature::Type;
use super::table::{Builtin, row};
use super::{BuiltinError, Context};
use crate::value::Value;
use crate::value::print::quoted;

/// One row each, in the order of their names.
pub(super) const ROWS: &[Builtin] =
    &[row("to_number", &[Type::Or(&[Type::Null, Type::Boolean, Type::Number, Type::String])], Some(Type::Number)).by(to_number)];

/// Text is what Go's `strconv.ParseFloat` reads, but for hexadecimal digits, and is kept as it is written
/// (`v1/topdown/casts.go`).
fn to_number(context: &mut Context, operands: &[&Value]) -> Result<Option<Value>, BuiltinError> {
    let operand = at(operands, 0)?;
    Ok(Some(match operand {
        Value::Null | Value::False => Value::Int(0),
        Value::True => Value::Int(1),
        number if number.is_number() => number.clone(),
        Value::String(text) => {
            context.account.charge(text.len())?;
            if is_name(text) {
                return Err(wrong(0, operand, &["valid number string"]));
            }
            parsed(text)?
        }
        other => return Err(wrong(0, other, &["null", "boolean", "number", "string"])),
    }))
}

fn is_name(text: &str) -> bool {
    let name = text.trim_start_matches(['+', '-']);
    ["inf", "infinity", "nan"].iter().any(|known| name.eq_ignore_ascii_case(known))
}

fn parsed(text: &str) -> Result<Value, BuiltinError> {
    let failed = |why: &str| BuiltinError::failed(format!("strconv.ParseFloat: parsing {}: {why}", quoted(text)));
    let plain = if separates_digits(text) { text.replace('_', "") } else { text.to_owned() };
    let number = Value::number(&plain).ok_or_else(|| failed("invalid syntax"))?;
    if number.as_f64().is_some_and(f64::is_infinite) {
        return Err(failed("value out of range"));
    }
    Value::number_checked(&plain).map_err(|error| BuiltinError::failed(error.to_string()))
}

/// Whether each `_` stands between two digits.
fn separates_digits(text: &str) -> bool {
    let digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
    let bytes = text.as_bytes();
    let between =
        |at: usize| digit(at.checked_sub(1).and_then(|before| bytes.get(before))) && digit(bytes.get(at.saturating_add(1)));
    bytes.iter().enumerate().all(|(at, byte)| *byte != b'_' || between(at))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{answer, context};

    /// As OPA 1.22 answers with `--strict-builtin-errors`.
    #[test]
    fn numbers_are_read_as_opa_does() {
        let mut context = context();
        let parsing =
            |text: &str, why: &str| format!("eval_builtin_error: to_number: strconv.ParseFloat: parsing \"{text}\": {why}");
        for (operand, expected) in [
            ("null", "0".to_owned()),
            ("true", "1".to_owned()),
            ("1.50", "1.50".to_owned()),
            ("\"1.50\"", "1.50".to_owned()),
            ("\"+5\"", "+5".to_owned()),
            ("\".5\"", ".5".to_owned()),
            ("\"007\"", "007".to_owned()),
            ("\"abc\"", parsing("abc", "invalid syntax")),
            ("\"\"", parsing("", "invalid syntax")),
            ("\"1e5 \"", parsing("1e5 ", "invalid syntax")),
            ("\"1e400\"", parsing("1e400", "value out of range")),
            ("\"1__0\"", parsing("1__0", "invalid syntax")),
            ("\"1e-99999\"", "eval_builtin_error: to_number: invalid number: number too big".to_owned()),
            ("\"+Inf\"", "eval_type_error: to_number: operand 1 must be valid number string but got string".to_owned()),
            (
                "[]",
                "eval_type_error: to_number: operand 1 must be one of {null, boolean, number, string} but got array".to_owned(),
            ),
        ] {
            assert_eq!(answer(&mut context, "to_number", &format!("[{operand}]")), expected, "{operand}");
        }
    }
}
