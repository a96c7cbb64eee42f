//! References, step by step.

use super::tree::TreePlace;
use super::{Flow, Frame};
use crate::depend::path::Part;
use crate::depend::shape::ShapeId;
use crate::ir::{Element, GroupId, GroupKind, Head, Pattern, Reference};
use crate::value::Value;

/// Where a reference has come to: one of several.
pub(super) enum Position {
    /// At a value.
    Shape(ShapeId),
    /// Among packages and rules.
    Tree(TreePlace),
    /// At rules, with keys that are known before they are evaluated.
    Group(GroupId, Vec<ShapeId>),
}

impl<'p> Flow<'p> {
    /// The value of a reference whose keys are all known.
    pub(super) fn reference(&mut self, reference: &'p Reference, frame: &mut Frame) -> ShapeId {
        let mut at = self.start(&reference.head, frame);
        for key in &reference.keys {
            let key = self.term(key, frame);
            if key == ShapeId::NEVER {
                return ShapeId::NEVER;
            }
            at = self.step_key(at, key);
        }
        self.arrive(at)
    }

    /// What a reference finds that goes through something; `None` if that is nothing.
    pub(super) fn elements(&mut self, head: &'p Head, elements: &'p [Element], frame: &mut Frame) -> Option<ShapeId> {
        let mut at = self.start(head, frame);
        for element in elements {
            match element {
                Element::Key(key) => {
                    let key = self.term(key, frame);
                    if key == ShapeId::NEVER {
                        return None;
                    }
                    at = self.step_key(at, key);
                }
                Element::Each(pattern) => at = self.step_each(at, pattern, frame)?,
            }
        }
        let value = self.arrive(at);
        (value != ShapeId::NEVER).then_some(value)
    }

    fn start(&mut self, head: &'p Head, frame: &mut Frame) -> Vec<Position> {
        let scope = self.current();
        let (input, data, replaced) = (scope.input, scope.data, !scope.replaced.is_empty());
        match head {
            Head::Input => vec![Position::Shape(input)],
            Head::Base => vec![Position::Shape(data)],
            Head::Term(term) => vec![Position::Shape(self.term(term, frame))],
            Head::Data => vec![Position::Tree(TreePlace::root(data))],
            Head::Group(id) if replaced => {
                let path = self.policy.group(*id).map(|group| &*group.path).unwrap_or_default();
                self.walk(path.get(1..).unwrap_or_default())
            }
            Head::Group(id) => vec![Position::Group(*id, Vec::new())],
        }
    }

    /// From `data` down a path.
    pub(super) fn walk(&mut self, path: &[Value]) -> Vec<Position> {
        let data = self.current().data;
        let mut at = vec![Position::Tree(TreePlace::root(data))];
        for key in path {
            let key = self.shapes.constant(key);
            at = self.step_key(at, key);
        }
        at
    }

    fn step_key(&mut self, at: Vec<Position>, key: ShapeId) -> Vec<Position> {
        self.whole(key);
        let mut next = Vec::with_capacity(at.len());
        for position in at {
            match position {
                Position::Tree(place) => self.tree_key(&place, key, &mut next),
                Position::Group(id, mut keys) if keys.len() < self.longest(id) => {
                    keys.push(key);
                    next.push(Position::Group(id, keys));
                }
                position => {
                    let value = self.resolve(position);
                    next.push(Position::Shape(self.at(value, key)));
                }
            }
        }
        next
    }

    fn step_each(&mut self, at: Vec<Position>, pattern: &'p Pattern, frame: &mut Frame) -> Option<Vec<Position>> {
        let (mut keys, mut next) = (ShapeId::NEVER, Vec::with_capacity(at.len()));
        for position in at {
            let found = match position {
                Position::Tree(place) => self.tree_each(&place, &mut next),
                position => {
                    let value = self.resolve(position);
                    self.look(value, Part::Keys);
                    next.push(Position::Shape(self.below(value, None)));
                    self.shapes.keys(value)
                }
            };
            keys = self.shapes.join(keys, found);
        }
        self.matches(pattern, keys, frame).then_some(next)
    }

    /// How many keys make a difference to which definitions of a group are evaluated.
    fn longest(&self, id: GroupId) -> usize {
        match self.policy.group(id) {
            Some(group) if matches!(group.kind, GroupKind::Set | GroupKind::Object) => {
                group.rules.iter().map(|rule| rule.definitions.len().saturating_sub(1)).max().unwrap_or(0)
            }
            _ => 0,
        }
    }

    /// The value at the end; whether it is there is read.
    pub(super) fn arrive(&mut self, at: Vec<Position>) -> ShapeId {
        let values: Vec<_> = at.into_iter().map(|position| self.resolve(position)).collect();
        let value = self.shapes.join_all(values);
        self.kind(value);
        value
    }

    fn resolve(&mut self, position: Position) -> ShapeId {
        match position {
            Position::Shape(shape) => shape,
            Position::Tree(place) => self.extent(&place),
            Position::Group(id, keys) => {
                let document = self.document(id, &keys);
                keys.into_iter().fold(document, |value, key| self.at(value, key))
            }
        }
    }
}
