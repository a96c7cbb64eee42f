//! What `$name` stands for in a replacement (Go: `Expand`).

use std::sync::LazyLock;

use regex::Regex;

use super::matches::Matches;
use crate::builtins::output::Output;
use crate::limits::Halt;

/// A piece of a replacement.
#[derive(Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    /// A group by its number.
    Number(usize),
    /// Groups by their name: the first that is part of the match.
    Name(String),
}

/// A replacement, read once for all matches.
pub(super) struct Replacement<'n> {
    pieces: Vec<Piece>,
    names: &'n [String],
}

// Letters and digits of all alphabets, as in Go. Without a pattern no `$` is a reference.
static NAME: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\A[[\p{L}\p{Nd}_]&&\p{Age=15.0}]+").ok());

impl<'n> Replacement<'n> {
    pub(super) fn new(mut template: &str, names: &'n [String]) -> Self {
        let (mut pieces, mut text) = (Vec::new(), String::new());
        while let Some((before, after)) = template.split_once('$') {
            text.push_str(before);
            template = after;
            if let Some(rest) = after.strip_prefix('$') {
                text.push('$');
                template = rest;
            } else if let Some((piece, rest)) = reference(after) {
                pieces.extend([Piece::Text(std::mem::take(&mut text)), piece]);
                template = rest;
            } else {
                text.push('$');
            }
        }
        text.push_str(template);
        pieces.push(Piece::Text(text));
        Self { pieces, names }
    }

    /// Appends the replacement of the match that was found last.
    pub(super) fn append(&self, found: &Matches<'_, '_>, out: &mut Output<'_>) -> Result<(), Halt> {
        for piece in &self.pieces {
            out.push(match piece {
                Piece::Text(text) => text,
                Piece::Number(number) => found.group(*number).unwrap_or_default(),
                Piece::Name(name) => {
                    let numbers = self.names.iter().enumerate().filter(|(_, known)| *known == name);
                    numbers.filter_map(|(number, _)| found.group(number)).next().unwrap_or_default()
                }
            })?;
        }
        Ok(())
    }
}

/// `name` or `{name}`, and what follows.
fn reference(text: &str) -> Option<(Piece, &str)> {
    let (brace, text) = text.strip_prefix('{').map_or((false, text), |text| (true, text));
    let (name, rest) = text.split_at_checked(NAME.as_ref()?.find(text)?.end())?;
    let rest = if brace { rest.strip_prefix('}')? } else { rest };
    Some((number(name).map_or_else(|| Piece::Name(name.to_owned()), Piece::Number), rest))
}

/// Digits without a zero before them are a number; too large ones are a name that no group has.
fn number(name: &str) -> Option<usize> {
    let digits = name.bytes().all(|b| b.is_ascii_digit()) && name.len() <= 9 && (name == "0" || !name.starts_with('0'));
    digits.then(|| name.parse().ok()).flatten()
}
