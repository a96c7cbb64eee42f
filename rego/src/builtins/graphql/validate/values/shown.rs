//! Values in messages.

use super::super::super::ast::{Value, ValueKind, kind};
use super::super::notes::ValueNote;
use super::super::{Checked, Validator};
use crate::builtins::quote::quote;
use crate::limits::Halt;

impl<'v, 'a> Validator<'v, 'a> {
    /// A value as it would be written.
    pub(super) fn shown(&mut self, of: &'a Value<'a>) -> Result<String, Halt> {
        let mut text = String::new();
        self.show(of, &mut text)?;
        Ok(text)
    }

    fn show(&mut self, of: &'a Value<'a>, out: &mut String) -> Result<(), Halt> {
        self.account.charge(of.raw.len().saturating_add(2))?;
        match of.kind {
            ValueKind::Variable => out.extend(["$", of.raw]),
            ValueKind::String | ValueKind::Block => out.push_str(&quote(of.raw)),
            ValueKind::List => self.show_children(of, ["[", "]"], out)?,
            ValueKind::Object => self.show_children(of, ["{", "}"], out)?,
            ValueKind::Int | ValueKind::Float | ValueKind::Enum | ValueKind::Boolean | ValueKind::Null => out.push_str(of.raw),
        }
        Ok(())
    }

    fn show_children(&mut self, of: &'a Value<'a>, [open, close]: [&str; 2], out: &mut String) -> Result<(), Halt> {
        out.push_str(open);
        for (index, child) in of.children.iter().enumerate() {
            self.account.charge(child.name.len().saturating_add(2))?;
            out.push_str(if index == 0 { "" } else { "," });
            if of.kind == ValueKind::Object {
                out.extend([child.name, ":"]);
            }
            self.down(|validator| validator.show(&child.value, out))?;
        }
        out.push_str(close);
        Ok(())
    }

    /// A value that is of another type than is expected.
    pub(super) fn unexpected(&mut self, of: &'a Value<'a>, note: ValueNote<'v, 'a>) -> Checked {
        let (Some(expected), shown) = (note.expected, self.shown(of)?) else { return Ok(()) };
        let expected = expected.to_string();
        let message = match expected.as_str() {
            "Int" | "Int!" if is_too_large(of.raw) => format!("Int cannot represent non 32-bit signed integer value: {shown}"),
            "Int" | "Int!" => format!("Int cannot represent non-integer value: {shown}"),
            "String" | "String!" | "[String]" => format!("String cannot represent a non string value: {shown}"),
            "Boolean" | "Boolean!" => format!("Boolean cannot represent a non boolean value: {shown}"),
            "Float" | "Float!" => format!("Float cannot represent non numeric value: {shown}"),
            "ID" | "ID!" => format!("ID cannot represent a non-string and non-integer value: {shown}"),
            _ if note.definition.is_some_and(|definition| definition.kind == kind::ENUM) => {
                format!("Enum \"{expected}\" cannot represent non-enum value: {shown}.")
            }
            _ => format!("Expected value of type \"{expected}\", found {shown}."),
        };
        self.find(of.at, message)
    }
}

/// Whether it is a whole number beyond 32 bits.
fn is_too_large(raw: &str) -> bool {
    let digits = raw.strip_prefix(['-', '+']).unwrap_or(raw);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) && raw.parse::<i32>().is_err()
}
