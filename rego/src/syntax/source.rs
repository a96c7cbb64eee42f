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
    /// Made when somebody asks for a place.
    index: OnceLock<Index>,
}

/// Where lines begin, and how many characters there are before each block: a line may be as long as the text.
#[derive(Debug)]
struct Index {
    /// Offsets in bytes.
    lines: Vec<u32>,
    /// Characters that begin before each block.
    characters: Vec<u32>,
}

/// Bytes of a block.
const BLOCK: usize = 1024;

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
        Self { name: name.into(), text: text.into(), index: OnceLock::new() }
    }

    /// What is written at a place of this text.
    pub fn slice(&self, span: Span) -> &str {
        let range = usize::try_from(span.start).unwrap_or(0)..usize::try_from(span.end).unwrap_or(0);
        self.text.get(range).unwrap_or_default()
    }

    /// The row and column of an offset in bytes, as OPA counts them (`v1/ast/internal/scanner/scanner.go`, `next`): columns are
    /// characters; the end of a line is column 0 of the next one; the end of the text is where its last character is.
    pub fn position(&self, offset: u32) -> Position {
        let index = self.index();
        let offset = self.last_before_end(offset);
        let ends_line = self.text.as_bytes().get(offset) == Some(&b'\n');
        let row = index.line(offset);
        if ends_line {
            return Position { row: word(row).saturating_add(1), col: 0 };
        }
        let begin = row.checked_sub(1).and_then(|line| index.lines.get(line)).copied().unwrap_or(0);
        let begin = index.characters_before(&self.text, usize::try_from(begin).unwrap_or(0));
        let characters = index.characters_before(&self.text, offset).saturating_sub(begin);
        Position { row: word(row), col: characters.saturating_add(u32::from(!self.text.is_empty())) }
    }

    /// The row of an offset, as [`Self::position`].
    pub fn row(&self, offset: u32) -> u32 {
        let offset = self.last_before_end(offset);
        let ends_line = self.text.as_bytes().get(offset) == Some(&b'\n');
        word(self.index().line(offset)).saturating_add(u32::from(ends_line))
    }

    /// Whether a line begins at an offset.
    pub fn begins_line(&self, offset: u32) -> bool {
        let before = usize::try_from(offset).ok().and_then(|offset| offset.checked_sub(1));
        before.is_none_or(|before| self.text.as_bytes().get(before) == Some(&b'\n'))
    }

    /// A line, from 1, without its end; empty when there is none.
    pub fn line(&self, row: u32) -> &str {
        let lines = &self.index().lines;
        let begin = usize::try_from(row).ok().and_then(|row| lines.get(row.checked_sub(1)?)).copied();
        let rest = begin.and_then(|begin| self.text.get(usize::try_from(begin).ok()?..)).unwrap_or_default();
        rest.split('\n').next().unwrap_or_default().trim_end_matches('\r')
    }

    fn index(&self) -> &Index {
        self.index.get_or_init(|| Index::of(&self.text))
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

impl Index {
    fn of(text: &str) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let lines = std::iter::once(0).chain(ends.map(|(at, _)| word(at).saturating_add(1))).collect();
        let mut before = 0_u32;
        let characters = text.as_bytes().chunks(BLOCK).map(|block| {
            let here = before;
            before = before.saturating_add(begun(block));
            here
        });
        Self { lines, characters: characters.collect() }
    }

    /// The number of the line of an offset, from 1.
    fn line(&self, offset: usize) -> usize {
        self.lines.partition_point(|begin| usize::try_from(*begin).is_ok_and(|begin| begin <= offset))
    }

    fn characters_before(&self, text: &str, offset: usize) -> u32 {
        let block = offset / BLOCK;
        let rest = text.as_bytes().get(block.saturating_mul(BLOCK)..offset).unwrap_or_default();
        self.characters.get(block).copied().unwrap_or_default().saturating_add(begun(rest))
    }
}

/// How many characters begin in bytes of UTF-8.
fn begun(bytes: &[u8]) -> u32 {
    word(bytes.iter().filter(|byte| **byte & 0xc0 != 0x80).count())
}

fn word(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
