//! Rules of fields.

use std::collections::HashMap;

use super::super::ast::{Field, Member, kind};
use super::super::lookup;
use super::super::schema::TypeDefinition;
use super::{Checked, Validator, suggest};
use crate::limits::Halt;

impl<'v, 'a> Validator<'v, 'a> {
    pub(super) fn on_field(&mut self, of: &'a Field<'a>) -> Checked {
        let note = self.notes.field(of);
        match (note.parent, note.definition) {
            (Some(parent), None) => self.unknown_field(of, parent)?,
            (Some(parent), Some(definition)) => {
                let name = || format!("field \"{}.{}\"", parent.name, of.name);
                self.known_arguments(of.arguments, definition.arguments, of.at, name)?;
            }
            _ => {}
        }
        self.introspection_depth(of)?;
        // Fragments are compared where they are used.
        if self.operation.is_some() {
            self.mergeable(of.selections)?;
        }
        if let Some(definition) = note.definition {
            self.required_arguments(of.arguments, definition.arguments, of.at, || format!("Field \"{}\"", of.name))?;
            self.leaf(of, definition)?;
        }
        self.unique_arguments(of.arguments)
    }

    /// FieldsOnCorrectType
    fn unknown_field(&mut self, of: &Field<'a>, parent: &'v TypeDefinition<'a>) -> Checked {
        let types = self.types_with(parent, of.name)?;
        let hint = if !types.is_empty() {
            format!(" Did you mean to use an inline fragment on {}?", suggest::alternatives(&types))
        } else if [kind::OBJECT, kind::INTERFACE].contains(&parent.kind) {
            suggest::quoted(self.account, " Did you mean", of.name, parent.fields.iter().map(|field| field.name))?
        } else {
            String::new()
        };
        self.find(of.at, format!("Cannot query field \"{}\" on type \"{}\".{hint}", of.name, parent.name))
    }

    /// Types that a value may be of and that have a field: interfaces first, by how many of the others implement them.
    fn types_with(&mut self, parent: &'v TypeDefinition<'a>, name: &str) -> Result<Vec<&'a str>, Halt> {
        let (mut found, mut counts) = (Vec::new(), HashMap::<&str, usize>::new());
        let schema = self.schema;
        for possible in schema.possible(parent.name).filter(|_| parent.is_abstract()) {
            if lookup::find(self.account, &possible.fields, name)?.is_none() {
                continue;
            }
            self.account.charge(2 * size_of::<&str>())?;
            found.push(possible.name);
            for interface in &possible.interfaces {
                let fields = schema.find(interface).map_or(&[][..], |interface| &interface.fields);
                if lookup::find(self.account, fields, name)?.is_some() {
                    let count = counts.entry(interface).or_default();
                    if *count == 0 {
                        found.push(interface);
                    }
                    *count = count.saturating_add(1);
                }
            }
        }
        let count = |name: &&str| counts.get(name).copied().unwrap_or_default();
        found.sort_by(|a, b| count(b).cmp(&count(a)).then_with(|| a.cmp(b)));
        Ok(found)
    }

    /// ScalarLeafs
    fn leaf(&mut self, of: &Field<'a>, definition: &Member<'a>) -> Checked {
        let Some(found) = self.schema.of(&definition.kind) else { return Ok(()) };
        let name = of.name;
        match (found.is_leaf(), of.selections.is_empty()) {
            (true, false) => {
                let message =
                    format!("Field \"{name}\" must not have a selection since type \"{}\" has no subfields.", found.name);
                self.find(of.at, message)
            }
            (false, true) => {
                let kind = definition.kind;
                let hint = format!("Did you mean \"{name} {{ ... }}\"?");
                self.find(of.at, format!("Field \"{name}\" of type \"{kind}\" must have a selection of subfields. {hint}"))
            }
            _ => Ok(()),
        }
    }
}
