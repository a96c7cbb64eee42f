//! Looking at values: what is then read of documents.

use super::Flow;
use crate::depend::path::{Part, Step};
use crate::depend::reads::Root;
use crate::depend::shape::{PlaceId, ShapeId};
use crate::value::Value;

/// How many steps deep places are told apart: what lies deeper is read with all that is beside it.
const DEEPEST: usize = 48;

/// How many places a value may come from, before keys are not told apart any more.
const WIDEST: usize = 256;

impl Flow<'_> {
    /// Whether it is there, and of which type.
    pub(super) fn kind(&mut self, shape: ShapeId) {
        self.look(shape, Part::Kind);
    }

    /// All of it.
    pub(super) fn whole(&mut self, shape: ShapeId) {
        self.look(shape, Part::Whole);
    }

    /// So much of it.
    pub(super) fn look(&mut self, shape: ShapeId, part: Part) {
        let mut waiting = vec![shape];
        while let Some(id) = waiting.pop() {
            if part == Part::Whole && !self.looked.insert(id) {
                continue;
            }
            let shape = self.shapes.get(id);
            self.spend(shape.places.len());
            for place in &shape.places {
                self.read(*place, part);
            }
            let overs = shape.overs.iter().filter_map(|over| self.shapes.over(*over));
            match part {
                Part::Kind | Part::Scalar => {}
                Part::Keys => waiting.extend(overs.map(|over| over.base)),
                Part::Whole => {
                    let made = shape.made.iter().flat_map(|made| made.members.values().copied().chain([made.keys, made.each]));
                    waiting.extend(made);
                    for over in overs {
                        waiting.push(over.base);
                        waiting.extend(over.members.values().copied());
                    }
                }
            }
        }
    }

    fn read(&mut self, place: PlaceId, part: Part) {
        let present = self.read.entry(place).or_insert(part);
        *present = part.max(*present);
        if part == Part::Whole {
            let (root, path) = self.shapes.places.path(place);
            if path.iter().all(|step| *step == Step::Any) {
                self.whole.insert((root, self.span));
            }
        }
    }

    /// Nothing is known of what is evaluated here: all documents are read, and whatever else the policy uses.
    pub(super) fn give_up(&mut self) -> ShapeId {
        let outermost = self.scopes.get(super::ScopeId::OUTERMOST);
        let (input, data) = (outermost.input, outermost.data);
        for (root, shape) in [(Root::Input, input), (Root::Data, data)] {
            self.look(shape, Part::Whole);
            self.whole.insert((root, self.span));
        }
        self.mark = self.mark.or(self.marks.all());
        self.may_fail = true;
        ShapeId::COMPUTED
    }

    /// The value at a key. The key is read already.
    pub(super) fn at(&mut self, shape: ShapeId, key: ShapeId) -> ShapeId {
        let constants = self.shapes.get(key).as_constants().cloned();
        let places = self.shapes.get(shape).places.len();
        match constants {
            Some(keys) if keys.len().saturating_mul(places) <= WIDEST => {
                let parts: Vec<_> = keys.iter().map(|key| self.below(shape, Some(key))).collect();
                self.shapes.join_all(parts)
            }
            _ => self.below(shape, None),
        }
    }

    /// The value at a known key; without one, at any key. Which of the values that it may be of it is, depends on what is there.
    pub(super) fn below(&mut self, id: ShapeId, key: Option<&Value>) -> ShapeId {
        let shape = self.shapes.get(id);
        if shape.is_choice() {
            self.kind(id);
        }
        let deepest = shape.places.iter().any(|place| self.shapes.places.depth(*place) >= DEEPEST);
        let enough = self.spend(shape.places.len().saturating_add(1));
        if !shape.places.is_empty() && (deepest || !enough) {
            self.whole(id);
            return ShapeId::COMPUTED;
        }
        self.shapes.below(id, key)
    }
}
