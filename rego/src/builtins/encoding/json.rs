//! `json.marshal` and its kin (`v1/topdown/encoding.go`).

use serde::de::IgnoredAny;

use crate::builtins::error::{Answer, BuiltinError};
use crate::builtins::{Context, operand, quote};
use crate::limits::Halt;
use crate::value::Value;
use crate::value::json::{Layout, ReadError, Reader, TextError, write_within};

pub(super) fn marshal(context: &mut Context, operands: &[&Value]) -> Answer {
    written(context, operand::at(operands, 0)?, None)
}

pub(super) fn unmarshal(context: &mut Context, operands: &[&Value]) -> Answer {
    read(context, operand::string(operands, 0)?).map(Some)
}

pub(super) fn is_valid(context: &mut Context, operands: &[&Value]) -> Answer {
    let Ok(text) = operand::string(operands, 0) else { return Ok(Some(false.into())) };
    context.account.charge(text.len())?;
    Ok(Some(is_json(text).into()))
}

/// Whether a text is one JSON value: Go's `json.Valid`.
pub(in crate::builtins) fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// Reads a JSON text, with Go's words for what is wrong.
pub(in crate::builtins) fn read(context: &mut Context, text: &str) -> Result<Value, BuiltinError> {
    let depth = context.account.limits().depth;
    Reader::new().read_within(text.as_bytes(), depth, &mut context.account).map_err(|error| match error {
        ReadError::Json(error) => BuiltinError::failed(error.message),
        ReadError::Halt(halt) => halt.into(),
    })
}

/// The JSON of a value.
pub(in crate::builtins) fn write(
    context: &mut Context,
    value: &Value,
    layout: Option<Layout<'_>>,
) -> Result<String, BuiltinError> {
    write_within(value, layout, usize::MAX, &mut context.account).map_err(|error| match error {
        TextError::Halt(halt) => halt.into(),
        TextError::Limit(bytes) => Halt::Memory(u64::try_from(bytes).unwrap_or(u64::MAX)).into(),
        error @ TextError::Number(_) => BuiltinError::failed(error.to_string()),
    })
}

fn written(context: &mut Context, value: &Value, layout: Option<Layout<'_>>) -> Answer {
    let text = write(context, value, layout)?;
    Ok(Some(match layout {
        // Go begins no first line.
        Some(Layout { prefix, .. }) if !prefix.is_empty() => format!("{prefix}{text}").into(),
        _ => text.into(),
    }))
}

/// What the options say.
struct Options {
    prefix: String,
    indent: String,
    pretty: Option<bool>,
    implied: bool,
}

/// With a prefix or an indent it is written over several lines, unless `pretty` says otherwise.
pub(super) fn marshal_with_options(context: &mut Context, operands: &[&Value]) -> Answer {
    let value = operand::at(operands, 0)?;
    let mut options = Options { prefix: String::new(), indent: "\t".into(), pretty: None, implied: false };
    for (index, (key, setting)) in operand::object(operands, 1)?.iter().enumerate() {
        options.set(index, key, setting)?;
    }
    let layout = Layout { prefix: &options.prefix, indent: &options.indent };
    written(context, value, options.pretty.unwrap_or(options.implied).then_some(layout))
}

impl Options {
    fn set(&mut self, index: usize, key: &Value, setting: &Value) -> Result<(), BuiltinError> {
        let no_string = |value: &Value| format!("operand {index} must be string but got {}", value.type_name());
        let Some(name) = key.as_str() else {
            return Err(operand::invalid(1, format!("failed to stringify key {key} at index {index}: {}", no_string(key))));
        };
        let shown = || quote::quote(name);
        let text = || {
            setting
                .as_str()
                .ok_or_else(|| operand::invalid(1, format!("key {} failed cast to string: {}", shown(), no_string(setting))))
        };
        match name.as_str() {
            "prefix" => self.prefix = text()?.to_string(),
            "indent" => self.indent = text()?.to_string(),
            "pretty" => match setting {
                Value::False => self.pretty = Some(false),
                Value::True => self.pretty = Some(true),
                _ => return Err(operand::invalid(1, format!("key {} failed cast to bool", shown()))),
            },
            _ => return Err(operand::invalid(1, format!("object contained unknown key {}", shown()))),
        }
        self.implied |= name != "pretty";
        Ok(())
    }
}
