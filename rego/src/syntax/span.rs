//! Where something stands.

/// Which text, by its number in [`super::source::Sources`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceId(pub u32);

/// A part of a text: offsets in bytes, `end` excluded. Rows and columns are computed when somebody asks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// Of which text.
    pub source: SourceId,
    /// The first byte.
    pub start: u32,
    /// Behind the last byte.
    pub end: u32,
}
