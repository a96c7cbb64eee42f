//! Rules of directives.

use std::collections::HashSet;

use super::super::ast::{Directive, DirectiveDefinition};
use super::super::lookup;
use super::{Checked, Validator};

impl<'a> Validator<'_, 'a> {
    pub(super) fn on_directive(
        &mut self,
        of: &'a Directive<'a>,
        definition: Option<&'a DirectiveDefinition<'a>>,
        location: &'static str,
    ) -> Checked {
        if let Some(definition) = definition {
            self.known_arguments(of.arguments, definition.arguments, of.at, || format!("directive \"@{}\"", of.name))?;
        }
        self.known_directive(of, definition, location)?;
        if let Some(definition) = definition {
            self.required_arguments(of.arguments, definition.arguments, of.at, || format!("Directive \"@{}\"", definition.name))?;
        }
        self.unique_arguments(of.arguments)
    }

    /// KnownDirectives: once for each place.
    fn known_directive(
        &mut self,
        of: &'a Directive<'a>,
        definition: Option<&'a DirectiveDefinition<'a>>,
        location: &'static str,
    ) -> Checked {
        let Some(definition) = definition else { return self.find(of.at, format!("Unknown directive \"@{}\".", of.name)) };
        if lookup::contains(self.account, definition.locations, location)? || !self.seen.misplaced.insert((of.name, of.at)) {
            return Ok(());
        }
        self.find(of.at, format!("Directive \"@{}\" may not be used on {location}.", of.name))
    }

    /// UniqueDirectivesPerLocation
    pub(super) fn on_directives(&mut self, of: &'a [Directive<'a>]) -> Checked {
        let mut seen = HashSet::new();
        for directive in of {
            self.account.step(1)?;
            let repeatable = self.schema.directive(directive.name).is_some_and(|definition| definition.repeatable);
            if !seen.insert(directive.name) && !repeatable {
                let message = format!("The directive \"@{}\" can only be used once at this location.", directive.name);
                self.find(directive.at, message)?;
            }
        }
        Ok(())
    }
}
