//! Whether values can be read (`ast/value.go`).

use super::super::super::ast::{Value, ValueKind};
use super::super::Validator;
use crate::limits::Halt;

/// Go's `strconv.ParseBool`.
const BOOLEANS: &[&str] = &["1", "t", "T", "TRUE", "true", "True", "0", "f", "F", "FALSE", "false", "False"];

impl<'a> Validator<'_, 'a> {
    /// Whether numbers are in range, those inside and those of variables' defaults included.
    pub(super) fn is_readable(&mut self, of: &'a Value<'a>) -> Result<bool, Halt> {
        match of.kind {
            ValueKind::Int => Ok(of.raw.parse::<i64>().is_ok()),
            ValueKind::Float => Ok(of.raw.parse::<f64>().is_ok_and(f64::is_finite)),
            ValueKind::Boolean => Ok(BOOLEANS.contains(&of.raw)),
            ValueKind::Variable => {
                let default = self.notes.value(of).variable.and_then(|variable| variable.default.as_ref());
                default.map_or(Ok(true), |default| self.down(|validator| validator.is_readable(default)))
            }
            ValueKind::List | ValueKind::Object => {
                for child in of.children {
                    self.account.step(1)?;
                    if !self.down(|validator| validator.is_readable(&child.value))? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            ValueKind::String | ValueKind::Block | ValueKind::Enum | ValueKind::Null => Ok(true),
        }
    }
}
