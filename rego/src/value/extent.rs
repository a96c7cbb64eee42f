//! How deep and how large a collection is, and whether its numbers are written as they have to be; found when it is made.

use super::Value;

/// Depth and size saturate.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Extent {
    /// Levels of collections, this one included; and, in the highest bit, whether some number is unusual.
    levels: u32,
    /// Values inside, this one included, what is shared counted each time; 64 bytes of text count like a value.
    pub(super) nodes: u32,
}

/// Some number may be written in another way.
const UNUSUAL: u32 = 1 << 31;

impl Extent {
    /// Of a collection of these.
    pub(super) fn around<'v>(items: impl IntoIterator<Item = &'v Value>) -> Self {
        let inside = items.into_iter().fold(Self { levels: 0, nodes: 1 }, |so_far, item| match item {
            Value::Null | Value::False | Value::True | Value::Int(_) => so_far.with(Self { levels: 0, nodes: 1 }),
            Value::String(text) => so_far.with(Self { levels: 0, nodes: text_nodes(text.len()) }),
            Value::Number(number) => {
                // One is enough: to ask a fraction costs more than to count it.
                let levels = if so_far.is_plain() && !number.is_shortest() { UNUSUAL } else { 0 };
                so_far.with(Self { levels, nodes: text_nodes(number.text().len()) })
            }
            Value::Array(array) => so_far.with(array.extent()),
            Value::Object(object) => so_far.with(object.extent()),
            Value::Set(set) => so_far.with(set.extent()),
        });
        let levels = inside.depth().saturating_add(1).min(!UNUSUAL);
        Self { levels: levels | (inside.levels & UNUSUAL), ..inside }
    }

    /// Of a collection of both.
    pub(super) fn with(self, other: Self) -> Self {
        let levels = self.depth().max(other.depth()) | ((self.levels | other.levels) & UNUSUAL);
        Self { levels, nodes: self.nodes.saturating_add(other.nodes) }
    }

    /// How many levels of collections there are.
    pub(super) fn depth(self) -> u32 {
        self.levels & !UNUSUAL
    }

    /// Whether collections of these may be equal: those are as deep, and as large where their numbers cannot be written otherwise.
    pub(super) fn may_equal(self, other: Self) -> bool {
        let is_as_large = self.nodes == other.nodes || !(self.is_plain() && other.is_plain());
        self.depth() == other.depth() && is_as_large
    }

    /// Whether no number inside could be written in another way.
    pub(super) fn is_plain(self) -> bool {
        self.levels & UNUSUAL == 0
    }
}

/// What text counts.
pub(super) fn text_nodes(bytes: usize) -> u32 {
    u32::try_from(bytes / 64).unwrap_or(u32::MAX).saturating_add(1)
}
