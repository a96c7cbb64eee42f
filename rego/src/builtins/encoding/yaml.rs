//! `yaml.*` as OPA does it, on `go.yaml.in/yaml/v3` (opa `internal/yaml`, `v1/topdown/encoding.go`).

mod emit;
mod keys;
mod load;
mod node;
mod resolve;
mod style;
mod time;

use crate::builtins::error::Answer;
use crate::builtins::{BuiltinError, Context, operand};
use crate::limits::{Account, Limits};
use crate::value::Value;

/// Charged for each byte of a text that is read.
const READING: usize = 4;

/// Returns the document that a text of YAML holds, as `yaml.unmarshal` reads it: what OPA makes of files of data and of inputs. Fails
/// where OPA fails, and with a halt where the limits end.
pub fn yaml_document(text: &str, limits: Limits) -> Result<Value, BuiltinError> {
    load::load(&mut Account::new(limits), text)
}

pub(super) fn is_valid(context: &mut Context, operands: &[&Value]) -> Answer {
    let Ok(text) = operand::string(operands, 0) else { return Ok(Some(false.into())) };
    context.account.charge(text.len().saturating_mul(READING))?;
    match load::load(&mut context.account, text) {
        Ok(_) => Ok(Some(true.into())),
        Err(halt) if halt.is_halt() => Err(halt),
        Err(_) => Ok(Some(false.into())),
    }
}

pub(super) fn marshal(context: &mut Context, operands: &[&Value]) -> Answer {
    emit::emit(&mut context.account, operand::at(operands, 0)?).map(|text| Some(text.into()))
}

pub(super) fn unmarshal(context: &mut Context, operands: &[&Value]) -> Answer {
    let text = operand::string(operands, 0)?;
    context.account.charge(text.len().saturating_mul(READING))?;
    load::load(&mut context.account, text).map(Some)
}
