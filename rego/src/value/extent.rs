//! How deep and how large a collection is; computed when it is made.

use super::Value;

/// Both saturate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Extent {
    /// Levels of collections, this one included.
    pub(super) depth: u32,
    /// Values inside, this one included, what is shared counted each time; 64 bytes of text count like a value.
    pub(super) nodes: u32,
}

impl Extent {
    /// Of a collection of these.
    pub(super) fn around<'v>(items: impl IntoIterator<Item = &'v Value>) -> Self {
        let inside = items.into_iter().fold(Self { depth: 0, nodes: 1 }, |so_far, item| Self {
            depth: so_far.depth.max(item.depth()),
            nodes: so_far.nodes.saturating_add(item.nodes()),
        });
        Self { depth: inside.depth.saturating_add(1), ..inside }
    }

    /// Of a collection of both.
    pub(super) fn with(self, other: Self) -> Self {
        Self { depth: self.depth.max(other.depth), nodes: self.nodes.saturating_add(other.nodes) }
    }
}

/// What text counts.
pub(super) fn text_nodes(bytes: usize) -> u32 {
    u32::try_from(bytes / 64).unwrap_or(u32::MAX).saturating_add(1)
}
