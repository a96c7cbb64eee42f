//! Strings and block strings (`lexer/blockstring.go`).

use super::{Kind, LexError, Lexer, Read};

impl<'a> Lexer<'a> {
    /// `"…"`.
    pub(super) fn string(&mut self) -> Read<'a> {
        self.end = self.end.ascii(1);
        self.start = self.end;
        let mut made: Option<String> = None;
        while let Some(c) = self.rest().chars().next() {
            match c {
                '\n' | '\r' => break,
                '\0'..='\u{1f}' if c != '\t' => return self.error(invalid_character(c)),
                '"' => {
                    let value = made.map_or_else(|| self.read_text(), |made| self.keep(&made));
                    let token = self.token(Kind::String, value);
                    self.end = self.end.ascii(1);
                    return token;
                }
                '\\' => {
                    let made = made.get_or_insert_with(|| self.read_text().to_owned());
                    if let Err(why) = self.escape(made) {
                        self.end = self.end.ascii(1);
                        return self.error(why);
                    }
                }
                c => {
                    self.end = self.end.wide(c.len_utf8(), 1);
                    made.iter_mut().for_each(|made| made.push(c));
                }
            }
        }
        self.error(LexError::Unterminated)
    }

    fn keep(&self, made: &str) -> &'a str {
        if made.is_empty() { "" } else { self.made.alloc_str(made) }
    }

    /// Appends what an escape stands for, and goes behind it.
    fn escape(&mut self, made: &mut String) -> Result<(), LexError> {
        let after = self.end.byte.saturating_add(1);
        let Some(escape) = self.byte(after) else { return Err(LexError::EscapeAtEnd) };
        let simple = match escape {
            b'"' | b'/' | b'\\' => char::from(escape),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return self.unicode(made),
            other => return Err(LexError::Escape(char::from(other).into())),
        };
        made.push(simple);
        self.end = self.end.ascii(2);
        Ok(())
    }

    /// `\u` and four digits, with something behind.
    fn unicode(&mut self, made: &mut String) -> Result<(), LexError> {
        let bytes = self.rest().as_bytes().get(1..).unwrap_or_default();
        let wrong = |written: &[u8]| LexError::Escape(String::from_utf8_lossy(written).into_owned());
        let Some((written, _)) = bytes.split_at_checked(5).filter(|(_, behind)| !behind.is_empty()) else {
            return Err(wrong(bytes));
        };
        let digits = written.get(1..).unwrap_or_default();
        let digit = |number: u32, byte: &u8| Some((number << 4) | char::from(*byte).to_digit(16)?);
        let number = digits.iter().try_fold(0, digit).ok_or_else(|| wrong(written))?;
        // Halves of pairs are no characters, as in Go.
        made.push(char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER));
        self.end = self.end.ascii(6);
        Ok(())
    }

    /// `"""…"""`.
    pub(super) fn block_string(&mut self) -> Read<'a> {
        self.end = self.end.ascii(3);
        self.start = self.end;
        let mut raw = String::new();
        while let Some(c) = self.rest().chars().next() {
            let quotes = self.rest().bytes().take_while(|byte| *byte == b'"').count();
            if let Some(inside) = quotes.checked_sub(3) {
                raw.extend(std::iter::repeat_n('"', inside));
                let token = self.token(Kind::BlockString, self.keep(&unindented(&raw)));
                self.end = self.end.ascii(quotes);
                return token;
            }
            match c {
                '\0'..='\u{1f}' if !matches!(c, '\t' | '\n' | '\r') => return self.error(invalid_character(c)),
                '\\' if self.rest().starts_with("\\\"\"\"") => {
                    raw.push_str("\"\"\"");
                    self.end = self.end.ascii(4);
                }
                '\r' | '\n' => {
                    raw.push('\n');
                    self.end = self.end.ascii(usize::from(self.rest().starts_with("\r\n")));
                    self.next_line();
                }
                c => {
                    raw.push(c);
                    self.end = self.end.wide(c.len_utf8(), 1);
                }
            }
        }
        self.error(LexError::Unterminated)
    }
}

fn invalid_character(c: char) -> LexError {
    LexError::InString(c.into())
}

/// A block string without the indent that all lines have, and without blank lines around it. The first line's indent counts, and
/// stays: so gqlparser has it.
fn unindented(raw: &str) -> String {
    let mut lines: Vec<&str> = raw.split('\n').collect();
    let indent = |line: &str| line.find(|c| c != ' ' && c != '\t');
    let common = lines.iter().filter_map(|line| indent(line)).min().unwrap_or(0);
    for line in lines.iter_mut().skip(1) {
        *line = line.get(common..).unwrap_or_default();
    }
    let blank = |line: &&&str| indent(line).is_none();
    let before = lines.iter().take_while(blank).count();
    let after = lines.iter().rev().take_while(blank).count();
    lines.get(before..lines.len().saturating_sub(after)).unwrap_or_default().join("\n")
}
