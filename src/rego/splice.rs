//! Replacements in a text, and the way back to the columns before.

use std::iter::Peekable;
use std::ops::Range;
use std::slice::Iter;

/// Replacements, in any order; a later one that covers an earlier one takes its place.
#[derive(Debug, Default)]
pub(in crate::rego) struct Splices {
    splices: Vec<Splice>,
}

#[derive(Clone, Debug)]
struct Splice {
    start: usize,
    end: usize,
    text: String,
}

/// A text with its replacements made.
#[derive(Debug, Default)]
pub(in crate::rego) struct Spliced {
    pub(in crate::rego) text: String,
    before: String,
    /// In the order of the text.
    splices: Vec<Splice>,
}

impl Splices {
    pub(in crate::rego) fn replace(&mut self, start: u32, end: u32, text: String) {
        let (start, end) = (place(start), place(end));
        self.splices.retain(|other| other.end <= start || end <= other.start);
        self.splices.push(Splice { start, end, text });
    }

    /// Replaces a range that meets no other.
    pub(in crate::rego) fn insert(&mut self, start: usize, end: usize, text: String) {
        self.splices.push(Splice { start, end, text });
    }

    pub(in crate::rego) fn is_empty(&self) -> bool {
        self.splices.is_empty()
    }

    /// Where the first replacement begins, of replacements that were made in the order of the text.
    pub(in crate::rego) fn first(&self) -> Option<usize> {
        self.splices.first().map(|splice| splice.start)
    }

    /// Whether a place is inside a range that is replaced; of replacements that were made in the order of the text.
    pub(in crate::rego) fn cover(&self, at: usize) -> bool {
        let behind = self.splices.partition_point(|splice| splice.start <= at);
        behind.checked_sub(1).and_then(|last| self.splices.get(last)).is_some_and(|splice| at < splice.end)
    }

    /// Adds replacements of other ranges.
    pub(in crate::rego) fn append(&mut self, mut others: Self) {
        self.splices.append(&mut others.splices);
    }

    /// Replaces by spaces; line breaks stay.
    pub(in crate::rego) fn blank(&mut self, start: u32, end: u32, text: &str) {
        let old = text.get(place(start)..place(end)).unwrap_or_default();
        let blank = old.chars().map(|c| if c == '\n' || c == '\r' { c } else { ' ' }).collect();
        self.replace(start, end, blank);
    }

    pub(in crate::rego) fn apply(mut self, before: &str) -> Spliced {
        self.splices.sort_by_key(|splice| (splice.start, splice.end));
        let (mut text, mut at) = (String::with_capacity(before.len()), 0);
        for splice in &self.splices {
            text.push_str(before.get(at..splice.start).unwrap_or_default());
            text.push_str(&splice.text);
            at = splice.end;
        }
        text.push_str(before.get(at..).unwrap_or_default());
        Spliced { text, before: before.to_owned(), splices: self.splices }
    }
}

impl Spliced {
    /// The place before, of a place after; columns as the interpreter counts them. Inside a replacement: where it begins.
    pub(in crate::rego) fn original(&self, row: u32, col: u32) -> (u32, u32) {
        let Some(after) = offset(&self.text, row, col) else { return (row, col) };
        (row, column(&self.before, self.original_offset(after)))
    }

    /// The same, with the column in characters.
    pub(in crate::rego) fn shown(&self, row: u32, col: u32) -> (u32, u32) {
        let Some(after) = offset(&self.text, row, col) else { return (row, col) };
        let before = self.before.get(..self.original_offset(after)).unwrap_or_default();
        let characters = before.rsplit('\n').next().unwrap_or_default().chars().count();
        (row, u32::try_from(characters).unwrap_or(u32::MAX).saturating_add(1))
    }

    /// The same for an offset into the text.
    pub(in crate::rego) fn original_offset(&self, after: usize) -> usize {
        self.way_back().original(after)
    }

    fn way_back(&self) -> WayBack<'_> {
        WayBack { splices: self.splices.iter().peekable(), shift: 0 }
    }

    /// Whether anything was replaced.
    pub(in crate::rego) fn is_changed(&self) -> bool {
        !self.splices.is_empty()
    }

    /// The same without some ranges of the text, which are given in its order; line breaks stay. An error is a range inside a replacement.
    pub(in crate::rego) fn without(&self, ranges: &[Range<usize>]) -> Result<Self, usize> {
        let (mut cuts, mut back) = (Vec::new(), self.way_back());
        for range in ranges {
            let cut = back.original(range.start)..back.original(range.end);
            let breaks = self.before.get(cut.clone()).map_or(0, |old| old.matches('\n').count());
            if cut.is_empty() {
                return Err(range.start);
            }
            cuts.push(Splice { start: cut.start, end: cut.end, text: "\n".repeat(breaks) });
        }
        let covered = |splice: &&Splice| {
            let behind = cuts.partition_point(|cut| cut.start <= splice.start);
            behind.checked_sub(1).and_then(|at| cuts.get(at)).is_some_and(|cut| splice.start < cut.end)
        };
        let kept: Vec<_> = self.splices.iter().filter(|splice| !covered(splice)).cloned().collect();
        cuts.extend(kept);
        Ok(Splices { splices: cuts }.apply(&self.before))
    }

    /// The text without the replacements.
    pub(in crate::rego) fn before(&self) -> &str {
        &self.before
    }
}

/// Leads offsets back that do not fall.
struct WayBack<'s> {
    /// Those that are not wholly before the last offset.
    splices: Peekable<Iter<'s, Splice>>,
    shift: isize,
}

impl WayBack<'_> {
    fn original(&mut self, after: usize) -> usize {
        while let Some(splice) = self.splices.peek() {
            let start = splice.start.saturating_add_signed(self.shift);
            if after < start {
                break;
            }
            if after < start.saturating_add(splice.text.len()) {
                return splice.start;
            }
            let taken = splice.end.saturating_sub(splice.start);
            self.shift = self.shift.saturating_add_unsigned(splice.text.len()).saturating_sub_unsigned(taken);
            self.splices.next();
        }
        after.saturating_add_signed(self.shift.saturating_neg())
    }
}

/// An offset of a span as an index.
pub(in crate::rego) fn place(offset: u32) -> usize {
    usize::try_from(offset).unwrap_or(usize::MAX)
}

/// The interpreter counts a tab as four columns, other characters by their bytes.
fn width(c: char) -> u32 {
    if c == '\t' { 4 } else { u32::try_from(c.len_utf8()).unwrap_or(1) }
}

fn offset(text: &str, row: u32, col: u32) -> Option<usize> {
    let lines = usize::try_from(row.checked_sub(1)?).ok()?;
    let start = if lines == 0 { 0 } else { text.match_indices('\n').nth(lines - 1)?.0 + 1 };
    let mut at = 1;
    for (i, c) in text.get(start..)?.char_indices() {
        if at >= col || c == '\n' {
            return Some(start + i);
        }
        at += width(c);
    }
    Some(text.len())
}

fn column(text: &str, offset: usize) -> u32 {
    let before = text.get(..offset.min(text.len())).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    line.chars().map(width).fold(1, u32::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_lead_back() {
        let before = "abc\n\tdef ghi é jkl\nmno";
        let mut splices = Splices::default();
        splices.replace(9, 12, "longer text".into());
        splices.replace(5, 8, "x".into());
        let spliced = splices.apply(before);
        assert_eq!(spliced.text, "abc\n\tx longer text é jkl\nmno");
        let cases = [
            ((1, 2), (1, 2)),
            ((2, 5), (2, 5)),
            ((2, 7), (2, 9)),
            ((2, 12), (2, 9)),
            ((2, 19), (2, 13)),
            ((2, 22), (2, 16)),
            ((3, 3), (3, 3)),
        ];
        for ((row, col), expected) in cases {
            assert_eq!(spliced.original(row, col), expected, "{row}:{col}");
        }
    }

    #[test]
    fn what_covers_an_earlier_replacement_takes_its_place() {
        let mut splices = Splices::default();
        splices.replace(0, 1, "one".into());
        splices.replace(0, 5, "both".into());
        splices.blank(6, 9, "a b c d\nef");
        assert_eq!(splices.apply("a b c d\nef").text, "both  \n f");
    }
}
