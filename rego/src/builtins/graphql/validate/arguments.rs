//! Rules of arguments, those of fields and those of directives.

use std::collections::HashMap;

use super::super::ast::{Argument, At, Member};
use super::super::lookup;
use super::{Checked, Validator, suggest};

impl<'a> Validator<'_, 'a> {
    /// KnownArgumentNames
    pub(super) fn known_arguments(
        &mut self,
        given: &'a [Argument<'a>],
        definitions: &'a [Member<'a>],
        at: At,
        of: impl Fn() -> String,
    ) -> Checked {
        for argument in given {
            if lookup::find(self.account, definitions, argument.name)?.is_some() {
                continue;
            }
            let names = definitions.iter().map(|definition| definition.name);
            let similar = suggest::quoted(self.account, " Did you mean", argument.name, names)?;
            self.find(at, format!("Unknown argument \"{}\" on {}.{similar}", argument.name, of()))?;
        }
        Ok(())
    }

    /// ProvidedRequiredArguments
    pub(super) fn required_arguments(
        &mut self,
        given: &'a [Argument<'a>],
        definitions: &'a [Member<'a>],
        at: At,
        of: impl Fn() -> String,
    ) -> Checked {
        for required in definitions.iter().filter(|definition| definition.is_required()) {
            if lookup::find(self.account, given, required.name)?.is_none() {
                let (of, name, kind) = (of(), required.name, required.kind);
                let message = format!("{of} argument \"{name}\" of type \"{kind}\" is required, but it was not provided.");
                self.find(at, message)?;
            }
        }
        Ok(())
    }

    /// UniqueArgumentNames: once for each name.
    pub(super) fn unique_arguments(&mut self, given: &'a [Argument<'a>]) -> Checked {
        let mut seen: HashMap<&str, usize> = HashMap::new();
        for argument in given {
            self.account.step(1)?;
            let count = seen.entry(argument.name).or_default();
            if *count == 1 {
                self.find(argument.at, format!("There can be only one argument named \"{}\".", argument.name))?;
            }
            *count = count.saturating_add(1);
        }
        Ok(())
    }
}
