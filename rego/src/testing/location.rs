//! Places as reports show them.

use serde::Serialize;

use crate::syntax::source::Sources;
use crate::syntax::span::Span;

/// A place in a text.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Location {
    /// The text's name; empty for a query.
    pub file: String,
    /// The line, from 1.
    pub row: u32,
    /// The character in the line, from 1.
    pub col: u32,
}

impl Location {
    /// Where a span begins.
    pub fn of(sources: &Sources, span: Span) -> Self {
        let Some(source) = sources.get(span.source) else { return Self::default() };
        let position = source.position(span.start);
        Self { file: source.name.to_string(), row: position.row, col: position.col }
    }
}
