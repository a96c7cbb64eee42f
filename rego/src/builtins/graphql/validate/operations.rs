//! Rules of operations.

use std::collections::HashSet;

use super::super::ast::{At, Operation, Selection};
use super::{Checked, Validator};
use crate::builtins::quote::quote;
use crate::limits::Halt;

/// What is selected at the top, by name.
type Top<'a> = Vec<(&'a str, At)>;

impl<'a> Validator<'_, 'a> {
    pub(super) fn on_operation(&mut self, of: &'a Operation<'a>) -> Checked {
        // KnownRootType
        if self.schema.root(of.operation).is_none() {
            self.find(of.at, format!("Schema does not support operation type \"{}\"", of.operation))?;
        }
        // LoneAnonymousOperation
        if of.name.is_empty() && self.document.operations.len() > 1 {
            self.find(of.at, "This anonymous operation must be the only defined operation.".to_owned())?;
        }
        self.no_unused_variables(of)?;
        self.mergeable(of.selections)?;
        self.single_field_subscription(of)?;
        // UniqueOperationNames
        if !self.seen.operations.insert(of.name) {
            self.find(of.at, format!("There can be only one operation named \"{}\".", of.name))?;
        }
        self.unique_variables(of)?;
        self.variables_are_input(of)
    }

    fn single_field_subscription(&mut self, of: &'a Operation<'a>) -> Checked {
        if of.operation != "subscription" || self.schema.root(of.operation).is_none() {
            return Ok(());
        }
        let (mut fields, mut seen) = (Top::new(), HashSet::new());
        self.top_fields(of.selections, &mut HashSet::new(), &mut fields)?;
        fields.retain(|(name, _)| seen.insert(*name));
        let name =
            if of.name.is_empty() { "Anonymous Subscription".to_owned() } else { format!("Subscription {}", quote(of.name)) };
        if let Some((_, at)) = fields.get(1) {
            self.find(*at, format!("{name} must select only one top level field."))?;
        }
        for (_, at) in fields.iter().filter(|(name, _)| name.starts_with("__")) {
            self.find(*at, format!("{name} must not select an introspection top level field."))?;
        }
        Ok(())
    }

    /// Nothing behind a fragment that is not there is looked at.
    fn top_fields(
        &mut self,
        selections: &'a [Selection<'a>],
        fragments: &mut HashSet<&'a str>,
        out: &mut Top<'a>,
    ) -> Result<(), Halt> {
        for selection in selections {
            self.account.charge(size_of::<(&str, At)>().saturating_mul(2))?;
            match selection {
                Selection::Field(field) => out.push((field.name, field.at)),
                Selection::Inline(inline) => self.down(|validator| validator.top_fields(inline.selections, fragments, out))?,
                Selection::Spread(spread) => {
                    let Some(fragment) = self.fragment_of(spread) else { return Ok(()) };
                    if fragments.insert(fragment.name) {
                        self.down(|validator| validator.top_fields(fragment.selections, fragments, out))?;
                    }
                }
            }
        }
        Ok(())
    }
}
