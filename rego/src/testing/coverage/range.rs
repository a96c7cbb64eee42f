//! Ranges of a text (opa `v1/cover/range.go`).

use std::collections::BTreeSet;

use serde::Serialize;

use super::report::Kind;
use crate::syntax::source::Source;
use crate::syntax::span::Span;

/// A place in a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Position {
    /// The line, from 1.
    pub row: u32,
    /// The character in the line, from 1.
    pub col: u32,
}

/// From a place to behind the last character.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Range {
    /// The first character.
    pub start: Position,
    /// Behind the last one.
    pub end: Position,
    /// Why it is not covered, if that is known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<Kind>,
}

impl Range {
    /// Where a span stands in its text.
    pub(super) fn of(source: &Source, span: Span) -> Self {
        let begin = source.position(span.start);
        let start = Position { row: begin.row, col: begin.col };
        Self { start, end: end_of(start, source.slice(span)), kinds: Vec::new() }
    }

    pub(super) fn rows(&self) -> std::ops::RangeInclusive<u32> {
        self.start.row..=self.end.row
    }
}

/// Where a text ends that begins at a place (opa `v1/ast/location/location.go`, `EndOf`).
fn end_of(start: Position, text: &str) -> Position {
    let breaks = text.bytes().filter(|byte| *byte == b'\n').count();
    let last = text.rsplit('\n').next().unwrap_or_default();
    let characters = u32::try_from(last.chars().count()).unwrap_or(u32::MAX);
    let col = if breaks == 0 { start.col } else { 1 };
    let row = start.row.saturating_add(u32::try_from(breaks).unwrap_or(u32::MAX));
    Position { row, col: col.saturating_add(characters) }
}

/// Sorted ranges, to ask which others are inside one of them.
pub(super) struct Contained<'r> {
    ranges: &'r [Range],
    /// The furthest end of all up to each of them.
    ends: Vec<Position>,
}

impl<'r> Contained<'r> {
    pub(super) fn new(ranges: &'r [Range]) -> Self {
        let furthest = |end: &mut Position, range: &Range| {
            *end = range.end.max(*end);
            Some(*end)
        };
        Self { ranges, ends: ranges.iter().scan(Position::default(), furthest).collect() }
    }

    /// Whether one of them has all of a range: one that begins no later, and ends no earlier.
    pub(super) fn has(&self, range: &Range) -> bool {
        let before = self.ranges.partition_point(|candidate| candidate.start <= range.start);
        let furthest = before.checked_sub(1).and_then(|last| self.ends.get(last));
        furthest.is_some_and(|end| *end >= range.end)
    }
}

/// How many lines some ranges touch.
pub(super) fn lines(ranges: &[Range]) -> usize {
    ranges.iter().flat_map(Range::rows).collect::<BTreeSet<_>>().len()
}

/// First and last rows of the lines that some ranges touch; what follows one another is one.
pub(super) fn row_spans(ranges: &[Range]) -> Vec<(u32, u32)> {
    let mut spans: Vec<(u32, u32)> = Vec::new();
    for row in ranges.iter().flat_map(Range::rows).collect::<BTreeSet<_>>() {
        match spans.last_mut().filter(|(_, last)| last.saturating_add(1) == row) {
            Some((_, last)) => *last = row,
            None => spans.push((row, row)),
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(start: (u32, u32), end: (u32, u32)) -> Range {
        let position = |(row, col)| Position { row, col };
        Range { start: position(start), end: position(end), kinds: Vec::new() }
    }

    #[test]
    fn ends_are_counted_in_characters_behind_the_last_line_break() {
        let start = Position { row: 3, col: 10 };
        for (text, row, col) in [("false", 3, 15), ("", 3, 10), ("aé", 3, 12), ("{\n\tx\n}", 5, 2), ("a\n", 4, 1)] {
            assert_eq!(end_of(start, text), Position { row, col }, "{text:?}");
        }
    }

    #[test]
    fn what_is_contained_is_found_wherever_it_is() {
        let ranges = [range((1, 1), (9, 1)), range((2, 1), (2, 5)), range((9, 5), (9, 7))];
        let contained = Contained::new(&ranges);
        assert!(contained.has(&range((3, 1), (3, 9))));
        assert!(contained.has(&range((9, 5), (9, 7))));
        assert!(!contained.has(&range((9, 4), (9, 7))));
        assert!(!contained.has(&range((8, 1), (9, 2))));
    }

    #[test]
    fn lines_are_counted_once() {
        let ranges = [range((2, 1), (4, 2)), range((3, 1), (3, 9)), range((7, 1), (7, 2))];
        assert_eq!((lines(&ranges), row_spans(&ranges)), (4, vec![(2, 4), (7, 7)]));
    }
}
