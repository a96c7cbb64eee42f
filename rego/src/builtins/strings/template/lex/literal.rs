//! Texts and characters in quotes.

use super::{Lexer, Token};
use crate::builtins::BuiltinError;

impl Lexer<'_> {
    pub(super) fn quoted(&mut self) -> Result<(), BuiltinError> {
        let rest = self.rest().get(1..).unwrap_or_default();
        let (mut text, mut left) = (String::new(), rest);
        loop {
            let mut chars = left.chars();
            match chars.next() {
                None | Some('\n') => return Err(self.wrong("unterminated quoted string")),
                Some('"') => break,
                Some('\\') => {
                    let (c, behind) = escape(chars.as_str()).ok_or_else(|| self.wrong("invalid syntax"))?;
                    text.push(c);
                    left = behind;
                }
                Some(c) => {
                    text.push(c);
                    left = chars.as_str();
                }
            }
        }
        let length = rest.len().saturating_sub(left.len()).saturating_add(2);
        self.push(Token::Quoted(text), length);
        Ok(())
    }

    pub(super) fn raw(&mut self) -> Result<(), BuiltinError> {
        let inside = self.rest().get(1..).unwrap_or_default();
        let (text, _) = inside.split_once('`').ok_or_else(|| self.wrong("unterminated raw quoted string"))?;
        self.push(Token::Quoted(text.replace('\r', "")), text.len().saturating_add(2));
        Ok(())
    }

    pub(super) fn character(&mut self) -> Result<(), BuiltinError> {
        let inside = self.rest().get(1..).unwrap_or_default();
        let mut chars = inside.chars();
        let read = match chars.next() {
            Some('\\') => escape(chars.as_str()),
            Some(c) if c != '\'' && c != '\n' => Some((c, chars.as_str())),
            _ => None,
        };
        let closed = read.and_then(|(c, behind)| Some((c, behind.strip_prefix('\'')?)));
        let (c, behind) = closed.ok_or_else(|| self.wrong("unterminated character constant"))?;
        let length = inside.len().saturating_sub(behind.len()).saturating_add(1);
        self.push(Token::Character(c), length);
        Ok(())
    }
}

/// The character that an escape of Go stands for, behind the backslash.
pub(super) fn escape(text: &str) -> Option<(char, &str)> {
    let mut chars = text.chars();
    let code = |digits: usize| {
        let (digits, behind) = text.get(1..)?.split_at_checked(digits)?;
        Some((char::from_u32(u32::from_str_radix(digits, 16).ok()?)?, behind))
    };
    let plain = match chars.next()? {
        'a' => '\u{7}',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\u{b}',
        c @ ('\\' | '"' | '\'') => c,
        'x' => return code(2),
        'u' => return code(4),
        'U' => return code(8),
        _ => return None,
    };
    Some((plain, chars.as_str()))
}
