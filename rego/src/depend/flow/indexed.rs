//! What an index asks for.

use crate::depend::path::Part;
use crate::ir::{Level, RuleIndex};

/// How much an index looks at of a reference.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    /// Of its value. Whether it is there is asked in any case.
    pub(super) part: Part,
    /// Which scalars are in it, too.
    pub(super) items: bool,
}

/// How much an index looks at of each of its references.
pub(super) fn asked(index: &RuleIndex) -> Vec<Asked> {
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
