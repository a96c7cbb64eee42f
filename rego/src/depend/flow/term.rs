//! Terms.

use std::collections::BTreeMap;

use super::{Flow, Frame, grown};
use crate::depend::shape::{Made, ShapeId};
use crate::ir::{Block, Comprehension, IndexedComprehension, Term};
use crate::value::Value;

impl<'p> Flow<'p> {
    /// The shape of a term's value.
    pub(super) fn term(&mut self, term: &'p Term, frame: &mut Frame) -> ShapeId {
        match term {
            Term::Constant(value) => self.shapes.constant(value),
            Term::Slot(slot) => frame.get(*slot),
            Term::Input => {
                let input = self.current().input;
                self.kind(input);
                input
            }
            Term::Reference(reference) => grown(|| self.reference(reference, frame)),
            Term::Array(items) => self.array(items, frame),
            Term::Set(items) => self.set(items, frame),
            Term::Object(members) => self.object(members, frame),
            Term::Comprehension(comprehension) => grown(|| self.comprehension(comprehension, frame)),
        }
    }

    /// The shapes of all of them; `None` if one is undefined.
    pub(super) fn terms(&mut self, terms: &'p [Term], frame: &mut Frame) -> Option<Vec<ShapeId>> {
        let shapes: Vec<_> = grown(|| terms.iter().map(|term| self.term(term, frame)).collect());
        self.spend(terms.len());
        (!shapes.contains(&ShapeId::NEVER)).then_some(shapes)
    }

    /// The value that a shape stands for, if it is only one.
    pub(super) fn known(&self, shape: ShapeId) -> Option<Value> {
        let shape = self.shapes.get(shape);
        let constants = shape.as_constants()?;
        if constants.len() == 1 { constants.first().cloned() } else { None }
    }

    fn all_known(&self, shapes: &[ShapeId]) -> Option<Vec<Value>> {
        shapes.iter().map(|shape| self.known(*shape)).collect()
    }

    fn array(&mut self, items: &'p [Term], frame: &mut Frame) -> ShapeId {
        let Some(items) = self.terms(items, frame) else { return ShapeId::NEVER };
        match self.all_known(&items) {
            Some(values) => self.shapes.constant(&Value::array(values)),
            None => {
                let members = items.into_iter().enumerate().map(|(index, item)| (Value::from(index), item));
                self.shapes.members(members.collect())
            }
        }
    }

    fn set(&mut self, items: &'p [Term], frame: &mut Frame) -> ShapeId {
        let Some(items) = self.terms(items, frame) else { return ShapeId::NEVER };
        if let Some(values) = self.all_known(&items) {
            return self.shapes.constant(&Value::set(values));
        }
        let each = self.shapes.join_all(items);
        self.set_of(each)
    }

    /// A set of these: members are compared with each other.
    pub(super) fn set_of(&mut self, each: ShapeId) -> ShapeId {
        self.whole(each);
        self.shapes.collection(each, each)
    }

    fn object(&mut self, members: &'p [(Term, Term)], frame: &mut Frame) -> ShapeId {
        let mut made = Made { members: BTreeMap::new(), keys: ShapeId::NEVER, each: ShapeId::NEVER };
        for (key, value) in members {
            let (key, value) = grown(|| (self.term(key, frame), self.term(value, frame)));
            if key == ShapeId::NEVER || value == ShapeId::NEVER {
                return ShapeId::NEVER;
            }
            self.spend(1);
            self.member(&mut made, key, value);
        }
        self.shapes.made(made)
    }

    /// Adds what may be a member.
    pub(super) fn member(&mut self, made: &mut Made, key: ShapeId, value: ShapeId) {
        self.whole(key);
        match self.shapes.get(key).as_constants() {
            Some(keys) => {
                for key in keys {
                    let present = made.members.get(key).copied().unwrap_or(ShapeId::NEVER);
                    made.members.insert(key.clone(), self.shapes.join(present, value));
                }
            }
            None => {
                made.keys = self.shapes.join(made.keys, key);
                made.each = self.shapes.join(made.each, value);
            }
        }
    }

    fn comprehension(&mut self, comprehension: &'p Comprehension, frame: &mut Frame) -> ShapeId {
        match comprehension {
            Comprehension::Array(body, value) => {
                let each = self.collected(body, value, frame);
                self.shapes.collection(ShapeId::SCALAR, each)
            }
            Comprehension::Set(body, value) => {
                let each = self.collected(body, value, frame);
                self.set_of(each)
            }
            Comprehension::Indexed(indexed) => self.indexed(indexed, frame),
            Comprehension::Object(body, key, value, _) => self.collected_object(body, (key, value), frame),
        }
    }

    /// A comprehension with an index is evaluated for all values of its outer variables at once: one that nobody looks up may fail, too.
    fn indexed(&mut self, indexed: &'p IndexedComprehension, frame: &mut Frame) -> ShapeId {
        let value = self.comprehension(&indexed.plain, frame);
        match &indexed.whole {
            Some(_) if self.left == 0 => self.give_up(),
            Some(whole) => {
                grown(|| self.comprehension(whole, &mut Frame::new(indexed.slots)));
                value
            }
            None => value,
        }
    }

    fn collected(&mut self, body: &'p Block, value: &'p Term, frame: &mut Frame) -> ShapeId {
        if self.block(body, frame) { self.term(value, frame) } else { ShapeId::NEVER }
    }

    /// Where a key may come twice, its values are compared.
    fn collected_object(&mut self, body: &'p Block, (key, value): (&'p Term, &'p Term), frame: &mut Frame) -> ShapeId {
        let mut made = Made { members: BTreeMap::new(), keys: ShapeId::NEVER, each: ShapeId::NEVER };
        if self.block(body, frame) {
            let (name, part) = (self.term(key, frame), self.term(value, frame));
            if name != ShapeId::NEVER && part != ShapeId::NEVER {
                self.member(&mut made, name, part);
                if !self.is_unique(body, std::slice::from_ref(key)) {
                    self.whole(part);
                    self.may_fail = true;
                }
            }
        }
        self.shapes.made(made)
    }
}
