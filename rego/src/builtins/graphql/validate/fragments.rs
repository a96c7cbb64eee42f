//! Rules of fragments.

use std::collections::{HashMap, HashSet};

use super::super::ast::{Fragment, Inline, Selection, Spread, kind};
use super::super::schema::TypeDefinition;
use super::{Checked, Validator, suggest};
use crate::limits::Halt;

/// A way through fragments, and where each one's first spread stands on it.
#[derive(Default)]
struct Path<'a> {
    spreads: Vec<&'a Spread<'a>>,
    places: HashMap<&'a str, usize>,
}

impl<'v, 'a> Validator<'v, 'a> {
    pub(super) fn on_fragment(&mut self, of: &'a Fragment<'a>) -> Checked {
        let (name, condition) = (of.name, of.condition);
        let definition = self.schema.find(condition);
        // FragmentsOnCompositeTypes
        if !condition.is_empty() && definition.is_some_and(|definition| !definition.is_composite()) {
            self.find(of.at, format!("Fragment \"{name}\" cannot condition on non composite type \"{condition}\"."))?;
        }
        // KnownTypeNames
        if definition.is_none() {
            let similar = suggest::quoted(self.account, " Did you mean", condition, self.schema.names())?;
            self.find(of.at, format!("Unknown type \"{condition}\".{similar}"))?;
        }
        self.no_circle(of, &mut Path::default())?;
        // NoUnusedFragments. What stands in the first fragment counts as a use: so gqlparser has it.
        self.seen.in_fragments = true;
        if !self.seen.used_fragments.contains(name) {
            self.find(of.at, format!("Fragment \"{name}\" is never used."))?;
        }
        self.mergeable(of.selections)?;
        // UniqueFragmentNames
        if !self.seen.fragments.insert(name) {
            self.find(of.at, format!("There can be only one fragment named \"{name}\"."))?;
        }
        Ok(())
    }

    pub(super) fn on_inline(&mut self, parent: Option<&'v TypeDefinition<'a>>, of: &'a Inline<'a>) -> Checked {
        let condition = of.condition;
        let definition = self.schema.find(condition);
        // FragmentsOnCompositeTypes
        if definition.is_some_and(|definition| !definition.is_composite()) {
            self.find(of.at, format!("Fragment cannot condition on non composite type \"{condition}\"."))?;
        }
        // KnownTypeNames
        if !condition.is_empty() && definition.is_none() {
            self.find(of.at, format!("Unknown type \"{condition}\"."))?;
        }
        self.mergeable(of.selections)?;
        let Some(parent) = parent else { return Ok(()) };
        if self.is_possible(parent, condition)? {
            return Ok(());
        }
        let (object, words) = (parent.name, "Fragment cannot be spread here as objects of type");
        self.find(of.at, format!("{words} \"{object}\" can never be of type \"{condition}\"."))
    }

    pub(super) fn on_spread(
        &mut self,
        parent: Option<&'v TypeDefinition<'a>>,
        of: &'a Spread<'a>,
        fragment: Option<&'a Fragment<'a>>,
    ) -> Checked {
        let name = of.name;
        // KnownFragmentNames
        if fragment.is_none() {
            self.find(of.at, format!("Unknown fragment \"{name}\"."))?;
        }
        // NoUnusedFragments
        if !self.seen.in_fragments {
            self.seen.used_fragments.insert(name);
        }
        let (Some(fragment), Some(parent)) = (fragment, parent) else { return Ok(()) };
        if self.is_possible(parent, fragment.condition)? {
            return Ok(());
        }
        let (object, condition) = (parent.name, fragment.condition);
        let words = format!("Fragment \"{name}\" cannot be spread here as objects of type \"{object}\"");
        self.find(of.at, format!("{words} can never be of type \"{condition}\"."))
    }

    /// PossibleFragmentSpreads: whether an object of a type may be of another one.
    fn is_possible(&mut self, parent: &'v TypeDefinition<'a>, condition: &str) -> Result<bool, Halt> {
        let Some(definition) = self.schema.find(condition).filter(|definition| definition.is_composite()) else {
            return Ok(true);
        };
        let mut names = HashSet::new();
        match parent.kind {
            kind::OBJECT => {
                names.insert(parent.name);
            }
            kind::INTERFACE | kind::UNION => {
                for possible in self.schema.possible(parent.name) {
                    self.account.step(1)?;
                    names.insert(possible.name);
                }
            }
            _ => return Ok(true),
        }
        for possible in self.schema.possible(definition.name) {
            self.account.step(1)?;
            if names.contains(possible.name) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// NoFragmentCycles
    fn no_circle(&mut self, of: &'a Fragment<'a>, path: &mut Path<'a>) -> Checked {
        if !self.seen.in_circles.insert(of.name) {
            return Ok(());
        }
        let spreads = self.spreads_of(of)?;
        if spreads.is_empty() {
            return Ok(());
        }
        path.places.insert(of.name, path.spreads.len());
        for spread in spreads {
            let place = path.places.get(spread.name).copied();
            path.spreads.push(spread);
            match (place, self.fragments.get(spread.name).copied()) {
                (Some(place), _) => self.circle(spread, path, place)?,
                (None, Some(fragment)) => self.down(|validator| validator.no_circle(fragment, path))?,
                (None, None) => {}
            }
            path.spreads.pop();
        }
        path.places.remove(of.name);
        Ok(())
    }

    fn circle(&mut self, last: &Spread<'a>, path: &Path<'a>, begin: usize) -> Checked {
        let between = path.spreads.get(begin..path.spreads.len().saturating_sub(1)).unwrap_or_default();
        self.account.charge(between.iter().map(|spread| spread.name.len().saturating_add(32)).sum())?;
        let names: Vec<_> = between.iter().map(|spread| format!("\"{}\"", spread.name)).collect();
        let via = if names.is_empty() { String::new() } else { format!(" via {}", names.join(", ")) };
        self.find(last.at, format!("Cannot spread fragment \"{}\" within itself{via}.", last.name))
    }

    /// All spreads in a fragment: those of the last selections that are gone into come first.
    fn spreads_of(&mut self, of: &'a Fragment<'a>) -> Result<Vec<&'a Spread<'a>>, Halt> {
        let (mut spreads, mut sets) = (Vec::new(), vec![of.selections]);
        while let Some(set) = sets.pop() {
            for selection in set {
                self.account.charge(2 * size_of::<&[Selection<'_>]>())?;
                match selection {
                    Selection::Spread(spread) => spreads.push(spread),
                    Selection::Field(field) => sets.push(field.selections),
                    Selection::Inline(inline) => sets.push(inline.selections),
                }
            }
        }
        Ok(spreads)
    }
}
