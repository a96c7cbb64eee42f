//! Directives where a schema uses them.

use std::collections::HashSet;

use super::super::ast::{Directive, DirectiveDefinition, ValueKind};
use super::super::error::Stop;
use super::super::lookup;
use super::check::{Check, Checked, name};

/// Where directives are used.
#[derive(Clone, Copy)]
pub(super) struct Site<'s> {
    pub(super) location: &'s str,
    /// The directive whose arguments they are used on.
    pub(super) directive: Option<&'s str>,
    /// It is one place, and not a type with all that extends it.
    pub(super) single: bool,
}

impl<'a> Check<'_, 'a> {
    pub(super) fn directives(&mut self, used: impl Iterator<Item = &'a Directive<'a>>, site: Site<'_>) -> Checked {
        let mut seen = HashSet::new();
        for directive in used {
            name(directive.at, directive.name)?;
            if site.directive == Some(directive.name) {
                return Err(Stop::at(directive.at, format!("Directive {} cannot refer to itself.", directive.name)));
            }
            let Some(definition) = self.schema.directive(directive.name) else {
                return Err(Stop::at(directive.at, format!("Undefined directive {}.", directive.name)));
            };
            if site.single && !seen.insert(directive.name) && !definition.repeatable {
                let message = format!("The directive {} can only be used once at this location.", directive.name);
                return Err(Stop::at(directive.at, message));
            }
            if !lookup::contains(self.account, definition.locations, site.location)? {
                let message = format!("Directive {} is not applicable on {}.", directive.name, site.location);
                return Err(Stop::at(directive.at, message));
            }
            self.directive_arguments(directive, definition)?;
        }
        Ok(())
    }

    fn directive_arguments(&mut self, directive: &'a Directive<'a>, definition: &'a DirectiveDefinition<'a>) -> Checked {
        for argument in directive.arguments {
            if lookup::find(self.account, definition.arguments, argument.name)?.is_none() {
                let message = format!("Undefined argument {} for directive {}.", argument.name, directive.name);
                return Err(Stop::at(argument.at, message));
            }
        }
        for required in definition.arguments.iter().filter(|argument| argument.is_required()) {
            let given = lookup::find(self.account, directive.arguments, required.name)?;
            if given.is_none_or(|given| given.value.kind == ValueKind::Null) {
                let message = format!("Argument {} for directive {} cannot be null.", required.name, directive.name);
                return Err(Stop::at(directive.at, message));
            }
        }
        Ok(())
    }
}
