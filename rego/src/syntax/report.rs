//! What messages show beside their words (`v1/ast/parser_ext.go`, `newParserErrorDetail`).

use std::fmt::Write as _;

use super::source::Source;
use crate::error::{Error, Errors};

/// An error with the line of its place.
pub(super) fn with_details(text: &str, error: Error) -> Error {
    let details = details(text, error.span().start);
    error.with_details(details)
}

/// The line, without the tabs in front, and a mark below the place.
fn details(text: &str, offset: u32) -> Vec<String> {
    let (line, at) = pointed(text, offset);
    let shown = line.trim_start_matches('\t');
    let tabs = line.len().saturating_sub(shown.len());
    vec![shown.to_owned(), format!("{}^", " ".repeat(at.saturating_sub(tabs)))]
}

/// The line of the last character up to a place that is no space, and where in it that is, in bytes.
pub(crate) fn pointed(text: &str, offset: u32) -> (&str, usize) {
    let bytes = text.as_bytes();
    let byte = |at: usize| bytes.get(at).copied().unwrap_or(b'\n');
    let mut at = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len().saturating_sub(1));
    while at > 0 && matches!(byte(at), b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c | 0x85 | 0xa0) {
        at = at.saturating_sub(1);
    }
    let newline = |byte: &u8| matches!(byte, b'\n' | b'\r');
    let before = bytes.get(..=at).unwrap_or_default();
    let begin = before.iter().rposition(newline).map_or(0, |at| at.saturating_add(1));
    let rest = bytes.get(at..).unwrap_or_default();
    let end = rest.iter().position(newline).map_or(bytes.len(), |length| at.saturating_add(length));
    let begin = begin.min(end);
    (text.get(begin..end).unwrap_or_default(), at.saturating_sub(begin))
}

/// Errors as OPA lists them (`v1/ast/errors.go`).
pub(crate) fn listed(source: &Source, errors: &Errors) -> String {
    let count = errors.iter().count();
    // Of nothing there is no place, and OPA does not count it.
    if let Some(empty) = errors.iter().next().filter(|error| error.message() == "empty module") {
        return format!("{}:0: {empty}", source.name);
    }
    let mut text = if count == 1 { "1 error occurred: ".to_owned() } else { format!("{count} errors occurred:\n") };
    for (index, error) in errors.iter().enumerate() {
        let place = source.position(error.span().start);
        let place = if source.name.is_empty() {
            format!("{}:{}", place.row, place.col)
        } else {
            format!("{}:{}", source.name, place.row)
        };
        let separator = if index > 0 { "\n" } else { "" };
        let written = write!(text, "{separator}{place}: {error}");
        for line in error.details() {
            text.push_str("\n\t");
            text.push_str(line);
        }
        if written.is_err() {
            break;
        }
    }
    text
}
