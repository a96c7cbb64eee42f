//! `with`: what it replaces is not read from outside.

use std::collections::BTreeMap;

use super::scope::{Mock, Scope};
use super::{Flow, Frame};
use crate::depend::shape::ShapeId;
use crate::ir::{Replacement, Term, With};
use crate::value::Value;

impl<'p> Flow<'p> {
    /// Whether an expression may hold under its replacements.
    pub(super) fn with(&mut self, with: &'p With, frame: &mut Frame) -> bool {
        let Some(scope) = self.replaced(with, frame) else { return false };
        let outer = self.scope;
        self.scope = self.scopes.add(scope);
        let holds = self.block(&with.body, frame);
        self.scope = outer;
        holds
    }

    /// The scope inside; `None` if a replacement is undefined.
    fn replaced(&mut self, with: &'p With, frame: &mut Frame) -> Option<Scope<'p>> {
        self.may_fail |= with.bad_path.is_some();
        let mut scope = self.current().anew();
        for (name, replacement) in &with.functions {
            let mock = match replacement {
                Replacement::Target(target) => self.scopes.target(target),
                Replacement::Document(term) => self.scopes.document(term),
                Replacement::Value(term) => Mock::Value(self.defined(term, frame)?),
            };
            scope.mocks.insert(name, mock);
        }
        for (path, term) in &with.input {
            let value = self.defined(term, frame)?;
            scope.input = self.put(scope.input, path, value);
        }
        let stored: Vec<_> = with.data.iter().map(|(path, _)| self.seen_above(scope.data, path)).collect();
        for ((path, term), stored) in with.data.iter().zip(stored) {
            // A function cannot be read: what is made reads nothing.
            let value = term.as_ref().map_or(Some(ShapeId::COMPUTED), |term| self.defined(term, frame))?;
            let value = self.merged(&[stored, value]);
            scope.data = self.put(scope.data, path, value);
        }
        scope.replaced.extend(with.data.iter().map(|(path, _)| &**path));
        scope.replaced.sort_unstable();
        scope.replaced.dedup();
        if !self.spend(1) {
            self.give_up();
            return Some(Scope::of(ShapeId::COMPUTED, ShapeId::COMPUTED));
        }
        Some(scope)
    }

    fn defined(&mut self, term: &'p Term, frame: &mut Frame) -> Option<ShapeId> {
        let shape = self.term(term, frame);
        (shape != ShapeId::NEVER).then_some(shape)
    }

    /// What is replaced is seen from above, merged with what replaces it, as long as both are objects.
    fn seen_above(&mut self, document: ShapeId, path: &[Value]) -> ShapeId {
        let old = path.iter().fold(document, |shape, key| self.below(shape, Some(key)));
        self.whole(old);
        old
    }

    /// A document with a value at a path: what is no object on the way is replaced by one.
    fn put(&mut self, document: ShapeId, path: &[Value], value: ShapeId) -> ShapeId {
        let Some((key, rest)) = path.split_first() else { return value };
        self.kind(document);
        let below = if rest.is_empty() { value } else { self.below(document, Some(key)) };
        let below = self.put(below, rest, value);
        self.shapes.put(document, BTreeMap::from([(key.clone(), below)]))
    }
}
