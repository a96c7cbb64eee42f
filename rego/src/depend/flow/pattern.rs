//! Patterns.

use super::{Flow, Frame};
use crate::depend::path::Part;
use crate::depend::shape::ShapeId;
use crate::ir::{Pattern, Term};
use crate::value::Value;

impl<'p> Flow<'p> {
    /// Whether a value may fit; what the pattern binds is bound to its parts.
    pub(super) fn matches(&mut self, pattern: &'p Pattern, value: ShapeId, frame: &mut Frame) -> bool {
        if value == ShapeId::NEVER {
            return false;
        }
        match pattern {
            Pattern::Any => true,
            Pattern::Never => false,
            Pattern::Bind(slot) => {
                frame.bind(*slot, value);
                true
            }
            Pattern::Equal(term) => {
                let wanted = self.term(term, frame);
                self.compare(wanted, value)
            }
            Pattern::Array(items) => self.items(items, value, frame),
            Pattern::Object(members) => self.members(members, value, frame),
        }
    }

    fn items(&mut self, items: &'p [Pattern], value: ShapeId, frame: &mut Frame) -> bool {
        self.look(value, Part::Keys);
        items.iter().enumerate().all(|(index, item)| {
            let part = self.below(value, Some(&Value::from(index)));
            self.kind(part);
            self.matches(item, part, frame)
        })
    }

    fn members(&mut self, members: &'p [(Term, Pattern)], value: ShapeId, frame: &mut Frame) -> bool {
        self.look(value, Part::Keys);
        members.iter().all(|(key, member)| {
            let key = self.term(key, frame);
            self.whole(key);
            let part = self.at(value, key);
            self.kind(part);
            self.matches(member, part, frame)
        })
    }
}
