//! What is written where people and their tools read lines: nothing in it ends a line, moves a cursor or turns text around.

use std::borrow::Cow;
use std::fmt::{self, Write};

/// Controls (C0, DEL, C1), ends of lines that only some tools know, and what changes the direction of text.
fn hidden(c: char) -> bool {
    c.is_control() || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Passes text on, with what would not be seen as Rust writes it: `\n`, `\u{1b}`.
#[derive(Debug)]
pub struct Escaping<W>(pub W);

impl<W: Write> Write for Escaping<W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut rest = text;
        while let Some((at, c)) = rest.char_indices().find(|(_, c)| hidden(*c)) {
            let (before, after) = rest.split_at(at);
            self.0.write_str(before)?;
            write!(self.0, "{}", c.escape_default())?;
            rest = after.strip_prefix(c).unwrap_or_default();
        }
        self.0.write_str(rest)
    }
}

/// JSON on one line, with what would not be seen as `\u001b`. Inside JSON these occur in strings only.
pub fn json(line: &str) -> Cow<'_, str> {
    if !line.contains(hidden) {
        return Cow::Borrowed(line);
    }
    // Both are in the first plane: one unit of UTF-16 each.
    Cow::Owned(line.chars().map(|c| if hidden(c) { format!("\\u{:04x}", u32::from(c)) } else { c.to_string() }).collect())
}

/// A text of several lines, for people: its lines and tabs stay.
pub fn lines(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for piece in text.split_inclusive(['\n', '\t']) {
        let (shown, end) = match piece.char_indices().next_back() {
            Some((at, '\n' | '\t')) => piece.split_at(at),
            _ => (piece, ""),
        };
        // Into memory it cannot fail.
        let _ = Escaping(&mut out).write_str(shown);
        out.push_str(end);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One of each kind.
    const HIDDEN: &str = "\n\r\t\u{1b}[2J\u{7f}\u{85}\u{9b}\u{61c}\u{200f}\u{2028}\u{2029}\u{202a}\u{202e}\u{2066}\u{2069}\0";

    #[test]
    fn what_is_hidden_is_shown() {
        let mut out = String::new();
        write!(Escaping(&mut out), "a{HIDDEN}ü✓").unwrap();
        assert!(!out.contains(hidden) && out.starts_with("a\\n\\r\\t\\u{1b}[2J") && out.ends_with("\\u{0}ü✓"), "{out}");
    }

    #[test]
    fn json_means_the_same() {
        let line = serde_json::json!({"text": HIDDEN, "more": "ü✓"}).to_string();
        let shown = json(&line);
        assert!(!shown.contains(hidden), "{shown}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).unwrap()["text"], HIDDEN);
        assert!(matches!(json("{}"), Cow::Borrowed(_)));
    }

    #[test]
    fn lines_stay_lines() {
        assert_eq!(lines("a\u{1b}\n\tb\r\n"), "a\\u{1b}\n\tb\\r\n");
    }
}
