//! All matches in a text, as Go finds them (`regexp.go`: `allMatches`).

use regex::{CaptureLocations, Regex};

/// Where a match or a group of it begins and ends.
pub(super) type Place = (usize, usize);

/// The matches of an expression in a text.
pub(super) struct Matches<'r, 't> {
    regex: &'r Regex,
    text: &'t str,
    /// Where to look next; nowhere after the end.
    at: Option<usize>,
    /// Where the match before ended.
    before: Option<usize>,
    /// The groups of the match, where they are asked for.
    groups: Option<CaptureLocations>,
}

impl<'r, 't> Matches<'r, 't> {
    pub(super) fn new(regex: &'r Regex, text: &'t str) -> Self {
        Self { regex, text, at: Some(0), before: None, groups: None }
    }

    /// The same with groups.
    pub(super) fn with_groups(regex: &'r Regex, text: &'t str) -> Self {
        Self { groups: Some(regex.capture_locations()), ..Self::new(regex, text) }
    }

    /// The text of a group of the last match, if the group is part of it.
    pub(super) fn group(&self, number: usize) -> Option<&'t str> {
        let (from, to) = self.groups.as_ref()?.get(number)?;
        self.text.get(from..to)
    }

    fn find(&mut self, at: usize) -> Option<Place> {
        let found = match &mut self.groups {
            Some(groups) => self.regex.captures_read_at(groups, self.text, at),
            None => self.regex.find_at(self.text, at),
        }?;
        Some((found.start(), found.end()))
    }
}

impl Iterator for Matches<'_, '_> {
    type Item = Place;

    fn next(&mut self) -> Option<Place> {
        while let Some(at) = self.at {
            let Some((start, end)) = self.find(at) else {
                self.at = None;
                break;
            };
            let empty = end == at;
            // One that is empty right after another is none.
            let accepted = !(empty && self.before == Some(start));
            self.at = if empty { after(self.text, at) } else { Some(end) };
            self.before = Some(end);
            if accepted {
                return Some((start, end));
            }
        }
        None
    }
}

/// The place after the character at a place.
fn after(text: &str, at: usize) -> Option<usize> {
    let next = text.get(at..)?.chars().next()?;
    Some(at + next.len_utf8())
}
