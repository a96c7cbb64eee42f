//! Rules of values.

mod read;
mod shown;

use std::collections::HashSet;

use super::super::ast::{Value, ValueKind, kind};
use super::super::lookup;
use super::super::schema::TypeDefinition;
use super::notes::ValueNote;
use super::{Checked, Validator, suggest};
use crate::limits::Halt;

/// Scalars that everybody has: others may be written as anything.
const SCALARS: &[&str] = &["Int", "Float", "String", "Boolean", "ID"];

impl<'v, 'a> Validator<'v, 'a> {
    pub(super) fn on_value(&mut self, of: &'a Value<'a>) -> Checked {
        self.account.step(1)?;
        self.no_undefined_variable(of)?;
        self.unique_fields(of)?;
        let note = self.notes.value(of);
        if let (Some(definition), Some(_)) = (note.definition, note.expected) {
            self.of_type(of, note, definition)?;
        }
        self.variable_in_position(of)?;
        self.variables_in_one_of(of)
    }

    /// UniqueInputFieldNames
    fn unique_fields(&mut self, of: &'a Value<'a>) -> Checked {
        if of.kind != ValueKind::Object {
            return Ok(());
        }
        let mut seen = HashSet::new();
        for child in of.children {
            self.account.step(1)?;
            if !seen.insert(child.name) {
                self.find(child.at, format!("There can be only one input field named \"{}\".", child.name))?;
            }
        }
        Ok(())
    }

    /// ValuesOfCorrectType
    fn of_type(&mut self, of: &'a Value<'a>, note: ValueNote<'v, 'a>, definition: &'v TypeDefinition<'a>) -> Checked {
        let Some(expected) = note.expected else { return Ok(()) };
        if of.kind == ValueKind::Null && expected.non_null {
            let shown = self.shown(of)?;
            self.find(of.at, format!("Expected value of type \"{expected}\", found {shown}."))?;
        }
        if definition.kind == kind::SCALAR && !SCALARS.contains(&definition.name) {
            return Ok(());
        }
        if !self.is_readable(of)? {
            self.unexpected(of, note)?;
        }
        let is = |names: &[&str]| names.contains(&definition.name);
        let fits = match of.kind {
            ValueKind::Null | ValueKind::Variable => return Ok(()),
            ValueKind::List => expected.element.is_some(),
            ValueKind::Int => is(&["Int", "Float", "ID"]),
            ValueKind::Float => is(&["Float"]),
            ValueKind::Boolean => is(&["Boolean"]),
            ValueKind::String | ValueKind::Block if definition.kind == kind::ENUM => return self.no_enum(of, note, definition),
            ValueKind::String | ValueKind::Block => is(&["String", "ID"]),
            ValueKind::Enum => return self.enum_value(of, note, definition),
            ValueKind::Object => return self.object(of, definition),
        };
        if fits { Ok(()) } else { self.unexpected(of, note) }
    }

    fn similar(&mut self, of: &Value<'a>, definition: &TypeDefinition<'a>) -> Result<Vec<&'a str>, Halt> {
        let names = definition.values.iter().filter(|_| definition.kind == kind::ENUM).map(|value| value.name);
        suggest::similar(self.account, of.raw, names)
    }

    fn meant(&mut self, of: &Value<'a>, definition: &TypeDefinition<'a>) -> Result<String, Halt> {
        let similar = self.similar(of, definition)?;
        let said = || format!(" Did you mean the enum value {}?", suggest::alternatives(&similar));
        Ok(if similar.is_empty() { String::new() } else { said() })
    }

    fn no_enum(&mut self, of: &'a Value<'a>, note: ValueNote<'v, 'a>, definition: &TypeDefinition<'a>) -> Checked {
        let (Some(expected), shown, meant) = (note.expected, self.shown(of)?, self.meant(of, definition)?) else { return Ok(()) };
        self.find(of.at, format!("Enum \"{expected}\" cannot represent non-enum value: {shown}.{meant}"))
    }

    fn enum_value(&mut self, of: &'a Value<'a>, note: ValueNote<'v, 'a>, definition: &'v TypeDefinition<'a>) -> Checked {
        if definition.kind != kind::ENUM {
            return self.unexpected(of, note);
        }
        if lookup::find(self.account, &definition.values, of.raw)?.is_some() {
            return Ok(());
        }
        let (Some(expected), shown, meant) = (note.expected, self.shown(of)?, self.meant(of, definition)?) else { return Ok(()) };
        self.find(of.at, format!("Value \"{shown}\" does not exist in \"{expected}\" enum.{meant}"))
    }

    fn object(&mut self, of: &'a Value<'a>, definition: &'v TypeDefinition<'a>) -> Checked {
        for required in definition.fields.iter().filter(|field| field.is_required()) {
            if lookup::find(self.account, of.children, required.name)?.is_none() {
                let (name, field, kind) = (definition.name, required.name, required.kind);
                self.find(of.at, format!("Field \"{name}.{field}\" of required type \"{kind}\" was not provided."))?;
            }
        }
        for _ in definition.directives.iter().filter(|directive| directive.name == "oneOf") {
            self.one_of(of, definition)?;
        }
        for child in of.children {
            if lookup::find(self.account, &definition.fields, child.name)?.is_some() {
                continue;
            }
            let names = definition.fields.iter().map(|field| field.name);
            let similar = suggest::quoted(self.account, " Did you mean", child.name, names)?;
            let message = format!("Field \"{}\" is not defined by type \"{}\".{similar}", child.name, definition.name);
            self.find(child.at, message)?;
        }
        Ok(())
    }

    fn one_of(&mut self, of: &'a Value<'a>, definition: &'v TypeDefinition<'a>) -> Checked {
        let name = definition.name;
        match of.children {
            [only] if only.value.kind == ValueKind::Null => {
                let first = definition.fields.first().map_or("", |field| field.name);
                self.find(only.value.at, format!("Field \"{name}.{first}\" must be non-null."))
            }
            [_] => Ok(()),
            _ => self.find(of.at, format!("OneOf Input Object \"{name}\" must specify exactly one key.")),
        }
    }
}
