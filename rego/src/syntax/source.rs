//! The texts of a set.

use std::sync::OnceLock;

use arcstr::ArcStr;

use super::span::{SourceId, Span};

/// One text.
#[derive(Debug)]
pub struct Source {
    /// Shown in places: a path, or whatever the caller calls it.
    pub name: ArcStr,
    /// What is written there.
    pub text: ArcStr,
    /// Offsets at which lines begin.
    lines: OnceLock<Vec<u32>>,
}

/// Texts by number.
#[derive(Debug, Default)]
pub struct Sources(Vec<Source>);

/// A row and a column, from 1, as OPA counts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line.
    pub row: u32,
    /// The byte in the line.
    pub col: u32,
}

impl Source {
    /// A text with a name.
    pub fn new(name: &str, text: &str) -> Self {
        Self { name: name.into(), text: text.into(), lines: OnceLock::new() }
    }

    /// The row and column of an offset in bytes.
    pub fn position(&self, offset: u32) -> Position {
        let lines = self.lines.get_or_init(|| beginnings(&self.text));
        let row = lines.partition_point(|begin| *begin <= offset);
        let begin = row.checked_sub(1).and_then(|line| lines.get(line)).copied().unwrap_or(0);
        Position { row: u32::try_from(row).unwrap_or(u32::MAX), col: offset.saturating_sub(begin).saturating_add(1) }
    }
}

impl Sources {
    /// The number that the next text gets.
    pub fn next(&self) -> SourceId {
        SourceId(u32::try_from(self.0.len()).unwrap_or(u32::MAX))
    }

    /// Adds a text.
    pub fn add(&mut self, source: Source) -> SourceId {
        let id = self.next();
        self.0.push(source);
        id
    }

    /// The text of a number.
    pub fn get(&self, id: SourceId) -> Option<&Source> {
        self.0.get(usize::try_from(id.0).ok()?)
    }

    /// What is written at a place.
    pub fn text(&self, span: Span) -> &str {
        let range = usize::try_from(span.start).unwrap_or(0)..usize::try_from(span.end).unwrap_or(0);
        self.get(span.source).and_then(|source| source.text.get(range)).unwrap_or_default()
    }
}

fn beginnings(text: &str) -> Vec<u32> {
    let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
    std::iter::once(0).chain(ends.map(|(at, _)| u32::try_from(at).unwrap_or(u32::MAX).saturating_add(1))).collect()
}
