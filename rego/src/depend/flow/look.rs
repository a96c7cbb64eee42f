//! Looking at values: what is then read of documents.

use foldhash::HashSet;

use super::Flow;
use crate::depend::path::{Part, Step};
use crate::depend::reads::Root;
use crate::depend::shape::{PlaceId, ShapeId};

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
        let (mut waiting, mut met) = (vec![shape], HashSet::default());
        while let Some(id) = waiting.pop() {
            let shape = self.shapes.get(id);
            let is_known = match part {
                Part::Whole => !self.looked.insert(id),
                _ if shape.is_combined() => !met.insert(id),
                _ => false,
            };
            if is_known {
                continue;
            }
            self.spend(shape.places.len());
            for place in &shape.places {
                self.read(*place, part);
            }
            if part > Part::Kind {
                waiting.extend(
                    shape.merges.iter().filter_map(|merge| self.shapes.merge(*merge)).flat_map(|objects| objects.to_vec()),
                );
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
}
