//! The texts of a set.

use std::sync::{Arc, OnceLock};

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
pub struct Sources {
    /// Those that have the first numbers.
    before: Option<Arc<Sources>>,
    texts: Vec<Source>,
}

/// A row and a column, from 1, as OPA counts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line.
    pub row: u32,
    /// The character in the line; 0 for the end of a line, which OPA counts to the next one.
    pub col: u32,
}

impl Source {
    /// A text with a name.
    pub fn new(name: &str, text: &str) -> Self {
        Self { name: name.into(), text: text.into(), lines: OnceLock::new() }
    }

    /// What is written at a place of this text.
    pub fn slice(&self, span: Span) -> &str {
        let range = usize::try_from(span.start).unwrap_or(0)..usize::try_from(span.end).unwrap_or(0);
        self.text.get(range).unwrap_or_default()
    }

    /// The row and column of an offset in bytes, as OPA counts them (`v1/ast/internal/scanner/scanner.go`, `next`): columns are
    /// characters; the end of a line is column 0 of the next one; the end of the text is where its last character is.
    pub fn position(&self, offset: u32) -> Position {
        let lines = self.lines.get_or_init(|| beginnings(&self.text));
        let offset = self.last_before_end(offset);
        let ends_line = self.text.as_bytes().get(offset) == Some(&b'\n');
        let row = lines.partition_point(|begin| usize::try_from(*begin).is_ok_and(|begin| begin <= offset));
        if ends_line {
            return Position { row: word(row).saturating_add(1), col: 0 };
        }
        let begin = row.checked_sub(1).and_then(|line| lines.get(line)).copied().unwrap_or(0);
        let before = self.text.get(usize::try_from(begin).unwrap_or(0)..offset).unwrap_or_default();
        let characters = if before.is_ascii() { before.len() } else { before.chars().count() };
        Position { row: word(row), col: word(characters).saturating_add(u32::from(!self.text.is_empty())) }
    }

    /// A line, from 1, without its end; empty when there is none.
    pub fn line(&self, row: u32) -> &str {
        let lines = self.lines.get_or_init(|| beginnings(&self.text));
        let begin = usize::try_from(row).ok().and_then(|row| lines.get(row.checked_sub(1)?)).copied();
        let rest = begin.and_then(|begin| self.text.get(usize::try_from(begin).ok()?..)).unwrap_or_default();
        rest.split('\n').next().unwrap_or_default().trim_end_matches('\r')
    }

    /// The offset, or that of the last character when it is behind it.
    fn last_before_end(&self, offset: u32) -> usize {
        let offset = usize::try_from(offset).unwrap_or(usize::MAX);
        if offset < self.text.len() {
            return offset;
        }
        self.text.char_indices().next_back().map_or(0, |(at, _)| at)
    }
}

impl Sources {
    /// Texts that are counted on from others: those have their numbers here, too.
    pub fn after(before: Arc<Self>) -> Self {
        Self { before: Some(before), texts: Vec::new() }
    }

    /// The number that the next text gets.
    pub fn next(&self) -> SourceId {
        SourceId(word(self.before().saturating_add(self.texts.len())))
    }

    /// Adds a text.
    pub fn add(&mut self, source: Source) -> SourceId {
        let id = self.next();
        self.texts.push(source);
        id
    }

    /// The text of a number.
    pub fn get(&self, id: SourceId) -> Option<&Source> {
        let index = usize::try_from(id.0).ok()?;
        match index.checked_sub(self.before()) {
            Some(index) => self.texts.get(index),
            None => self.before.as_ref()?.get(id),
        }
    }

    /// What is written at a place.
    pub fn text(&self, span: Span) -> &str {
        self.get(span.source).map(|source| source.slice(span)).unwrap_or_default()
    }

    /// How many texts others have.
    fn before(&self) -> usize {
        self.before.as_ref().map_or(0, |sources| sources.before().saturating_add(sources.texts.len()))
    }
}

fn beginnings(text: &str) -> Vec<u32> {
    let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
    std::iter::once(0).chain(ends.map(|(at, _)| word(at).saturating_add(1))).collect()
}

fn word(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
