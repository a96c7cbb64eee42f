//! What an index asks for.

use super::Flow;
use crate::depend::path::Part;
use crate::depend::shape::ShapeId;
use crate::ir::{Group, IndexRoot, Level, RuleIndex};

/// How much an index looks at of a reference.
#[derive(Clone, Copy, Debug)]
struct Asked {
    /// Of its value. Whether it is there is asked in any case.
    part: Part,
    /// Which scalars are in it, too.
    items: bool,
}

impl<'p> Flow<'p> {
    /// Whether bodies may say another thing than the index: it knows of no `with startswith as …`.
    pub(super) fn asks_index(&self) -> bool {
        !self.current().mocks.is_empty()
    }

    /// Reads what the index of a group looks at. The index leaves out rules before their bodies are evaluated, so it decides which errors in
    /// them are met; and it may look at more than the bodies that are gone through here.
    pub(super) fn index(&mut self, group: &'p Group, operands: &[ShapeId]) {
        let index = &group.index;
        if index.trivial {
            return;
        }
        for (reference, asked) in index.references.iter().zip(asked(index)) {
            let root = match reference.root {
                IndexRoot::Input => Some(self.current().input),
                IndexRoot::Data => Some(self.current().data),
                IndexRoot::Operand(operand) => operands.get(operand).copied(),
            };
            let found = reference.path.iter().fold(root.unwrap_or(ShapeId::NEVER), |at, key| self.below(at, Some(key)));
            self.look(found, asked.part);
            if asked.items {
                let items = self.below(found, None);
                self.look(items, Part::Scalar);
            }
        }
    }
}

/// Returns how much an index looks at of each of its references, in their order.
fn asked(index: &RuleIndex) -> Vec<Asked> {
    let mut all = vec![Asked { part: Part::Kind, items: false }; index.references.len()];
    let mut ask = |reference: usize, part: Part, items: bool| {
        if let Some(known) = all.get_mut(reference) {
            *known = Asked { part: part.max(known.part), items: items || known.items };
        }
    };
    for level in index.nodes.iter().flat_map(|node| &node.levels) {
        let items = has_items(level);
        let part = if items { Part::Keys } else { Part::Scalar };
        if items || !level.scalars.is_empty() {
            ask(level.reference, part, items);
        }
    }
    for (key, collection) in index.entries.iter().flat_map(|entry| &entry.memberships) {
        ask(*key, Part::Whole, false);
        ask(*collection, Part::Keys, false);
    }
    all
}

/// Whether arrays are wanted, or collections with some member, or with text that begins or ends so.
fn has_items(level: &Level) -> bool {
    level.array.is_some() || !level.members.is_empty() || !level.prefixes.is_empty() || !level.suffixes.is_empty()
}
