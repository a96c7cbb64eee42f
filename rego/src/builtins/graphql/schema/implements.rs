//! Interfaces: what implements one has its fields, with their arguments, and implements what it implements.

use super::super::ast::{Member, kind};
use super::super::error::Stop;
use super::super::lookup;
use super::TypeDefinition;
use super::check::{Check, Checked};
use super::kinds::{are_compatible, is_covariant};
use crate::builtins::quote::quote;

impl<'a> Check<'_, 'a> {
    pub(super) fn implements(&mut self, of: &TypeDefinition<'a>, name: &str) -> Checked {
        let Some(interface) = self.schema.find(name) else {
            return Err(Stop::at(of.at, format!("Undefined type {}.", quote(name))));
        };
        if interface.kind != kind::INTERFACE {
            return Err(Stop::at(of.at, format!("{} is a non interface type {}.", quote(name), interface.kind)));
        }
        let what = format!("For {} to implement {}", of.name, interface.name);
        for required in &interface.fields {
            let Some(found) = lookup::find(self.account, &of.fields, required.name)? else {
                return Err(Stop::at(of.at, format!("{what} it must have a field called {}.", required.name)));
            };
            if !is_covariant(self.schema, self.account, &required.kind, &found.kind)? {
                let message = format!("{what} the field {} must have type {}.", required.name, required.kind);
                return Err(Stop::at(found.at, message));
            }
            self.same_arguments(&what, required, found)?;
        }
        self.ancestors(of, interface)
    }

    fn same_arguments(&mut self, what: &str, required: &Member<'a>, found: &Member<'a>) -> Checked {
        let must = || format!("{what} the field {} must have the same arguments but", required.name);
        for argument in required.arguments {
            let Some(given) = lookup::find(self.account, found.arguments, argument.name)? else {
                return Err(Stop::at(found.at, format!("{} it is missing {}.", must(), argument.name)));
            };
            if !are_compatible(&argument.kind, &given.kind) {
                return Err(Stop::at(given.at, format!("{} {} has the wrong type.", must(), argument.name)));
            }
        }
        for given in found.arguments.iter().filter(|given| given.is_required()) {
            if lookup::find(self.account, required.arguments, given.name)?.is_none() {
                let message = format!(
                    "{what} any additional arguments on {} must be optional or have a default value but {} is required.",
                    found.name, given.name
                );
                return Err(Stop::at(given.at, message));
            }
        }
        Ok(())
    }

    fn ancestors(&mut self, of: &TypeDefinition<'a>, interface: &TypeDefinition<'a>) -> Checked {
        let via = interface.name;
        for ancestor in &interface.interfaces {
            if lookup::contains(self.account, &of.interfaces, ancestor)? {
                continue;
            }
            let message = if *ancestor == of.name {
                format!("Type {} cannot implement {via} because it would create a circular reference.", of.name)
            } else {
                format!("Type {} must implement {ancestor} because it is implemented by {via}.", of.name)
            };
            return Err(Stop::at(of.at, message));
        }
        Ok(())
    }
}
