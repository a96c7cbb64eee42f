//! Rules that make sets and objects.

use std::collections::BTreeMap;

use super::Flow;
use crate::depend::shape::{Made, ShapeId};
use crate::ir::{Group, GroupKind, Rule};

/// What a rule may add.
struct Addition {
    path: Vec<ShapeId>,
    value: ShapeId,
    /// The value is a member of the set at the path.
    multi: bool,
    /// No two solutions have one path.
    unique: bool,
}

impl<'p> Flow<'p> {
    /// What a group makes, as far as it lies at these keys, which are read.
    pub(super) fn partial(&mut self, group: &'p Group, keys: &[ShapeId]) -> ShapeId {
        let branches = group.rules.iter().flat_map(|rule| std::iter::once(rule).chain(&rule.otherwise));
        let additions: Vec<_> = branches.filter_map(|rule| self.addition(rule, keys)).collect();
        // Whether an `else` counts is up to the index alone: as in OPA, it does where the rule is none of those that may hold.
        let chooses = group.rules.iter().any(|rule| !rule.otherwise.is_empty());
        if chooses || self.may_fail || self.asks_index() {
            self.index(group, &[]);
        }
        if group.kind == GroupKind::Set {
            let each = self.shapes.join_all(additions.into_iter().map(|addition| addition.value));
            return self.set_of(each);
        }
        let alone = additions.len() <= 1;
        let mut made = self.shapes.members(BTreeMap::new());
        for addition in additions {
            if !(alone && addition.unique) {
                self.whole(addition.value);
                self.may_fail = true;
            }
            let added = self.added(&addition);
            made = self.shapes.join(made, added);
        }
        made
    }

    fn addition(&mut self, rule: &'p Rule, keys: &[ShapeId]) -> Option<Addition> {
        let definition = rule.definitions.get(keys.len().min(rule.definitions.len().saturating_sub(1)))?;
        let mut frame = self.held(rule, definition, (&definition.known, keys))?;
        let path = self.terms(&definition.path, &mut frame)?;
        path.iter().for_each(|key| self.whole(*key));
        let value = self.term(&definition.value, &mut frame);
        let unique = self.is_unique(&definition.body, &definition.path);
        (value != ShapeId::NEVER).then_some(Addition { path, value, multi: rule.multi, unique })
    }

    fn added(&mut self, addition: &Addition) -> ShapeId {
        let leaf = if addition.multi { self.set_of(addition.value) } else { addition.value };
        addition.path.iter().rev().fold(leaf, |value, key| {
            let mut made = Made { members: BTreeMap::new(), keys: ShapeId::NEVER, each: ShapeId::NEVER };
            self.member(&mut made, *key, value);
            self.shapes.made(made)
        })
    }
}
