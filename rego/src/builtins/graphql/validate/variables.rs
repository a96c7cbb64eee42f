//! Rules of variables.

use std::collections::HashMap;

use super::super::ast::{Operation, Type, Value, ValueKind, Variable};
use super::super::lookup;
use super::super::schema::are_compatible;
use super::{Checked, Validator};

impl<'a> Validator<'_, 'a> {
    /// KnownTypeNames
    pub(super) fn known_variable_type(&mut self, of: &Variable<'a>) -> Checked {
        self.account.step(1)?;
        let name = of.kind.name();
        if self.schema.find(name).is_some() { Ok(()) } else { self.find(of.at, format!("Unknown type \"{name}\".")) }
    }

    /// NoUndefinedVariables
    pub(super) fn no_undefined_variable(&mut self, of: &Value<'a>) -> Checked {
        let Some(operation) = self.operation else { return Ok(()) };
        if of.kind != ValueKind::Variable || self.notes.value(of).variable.is_some() {
            return Ok(());
        }
        let by = if operation.name.is_empty() { String::new() } else { format!(" by operation \"{}\"", operation.name) };
        self.find(of.at, format!("Variable \"${}\" is not defined{by}.", of.raw))
    }

    /// NoUnusedVariables
    pub(super) fn no_unused_variables(&mut self, of: &Operation<'a>) -> Checked {
        for variable in of.variables {
            if self.notes.is_used(variable) {
                continue;
            }
            let within = if of.name.is_empty() { String::new() } else { format!(" in operation \"{}\"", of.name) };
            self.find(variable.at, format!("Variable \"${}\" is never used{within}.", variable.name))?;
        }
        Ok(())
    }

    /// UniqueVariableNames: once for each name.
    pub(super) fn unique_variables(&mut self, of: &Operation<'a>) -> Checked {
        let mut seen: HashMap<&str, usize> = HashMap::new();
        for variable in of.variables {
            self.account.step(1)?;
            let count = seen.entry(variable.name).or_default();
            if *count == 1 {
                self.find(variable.at, format!("There can be only one variable named \"${}\".", variable.name))?;
            }
            *count = count.saturating_add(1);
        }
        Ok(())
    }

    /// VariablesAreInputTypes
    pub(super) fn variables_are_input(&mut self, of: &Operation<'a>) -> Checked {
        for variable in of.variables {
            if self.schema.of(&variable.kind).is_some_and(|definition| !definition.is_input()) {
                let message = format!("Variable \"${}\" cannot be non-input type \"{}\".", variable.name, variable.kind);
                self.find(variable.at, message)?;
            }
        }
        Ok(())
    }

    /// VariablesInAllowedPosition
    pub(super) fn variable_in_position(&mut self, of: &Value<'a>) -> Checked {
        let note = self.notes.value(of);
        let (Some(expected), Some(variable), Some(_)) = (note.expected, note.variable, self.operation) else { return Ok(()) };
        if of.kind != ValueKind::Variable {
            return Ok(());
        }
        // What has a default, here or there, may be left out.
        let defaults = variable.default.as_ref().is_some_and(|default| default.kind != ValueKind::Null);
        let nullable = defaults || note.has_default.unwrap_or(of.expected_has_default);
        let allowed = Type { non_null: expected.non_null && !nullable, ..*expected };
        if are_compatible(&variable.kind, &allowed) {
            return Ok(());
        }
        let (raw, given) = (of.raw, &variable.kind);
        self.find(of.at, format!("Variable \"${raw}\" of type \"{given}\" used in position expecting type \"{expected}\"."))
    }

    /// The same for objects of which one field is given.
    pub(super) fn variables_in_one_of(&mut self, of: &'a Value<'a>) -> Checked {
        let Some(definition) = self.notes.value(of).definition.filter(|_| of.kind == ValueKind::Object) else { return Ok(()) };
        if lookup::find(self.account, &definition.directives, "oneOf")?.is_none() {
            return Ok(());
        }
        for child in of.children.iter().filter(|child| child.value.kind == ValueKind::Variable) {
            let Some(variable) = self.notes.value(&child.value).variable else { continue };
            if !variable.kind.non_null {
                let message = format!(
                    "Variable \"${}\" is of type \"{}\" but must be non-nullable to be used for OneOf Input Object \"{}\".",
                    child.value.raw, variable.kind, definition.name
                );
                self.find(variable.at.or(child.value.at), message)?;
            }
        }
        Ok(())
    }
}
