//! Errors of the parser, in OPA's words (`v1/ast/parser.go`, `error`, `illegal`; `v1/ast/parser_ext.go`, `newParserErrorDetail`).

use super::state::Parser;
use crate::error::{Code, Error};
use crate::syntax::span::Span;
use crate::syntax::token::Token;

impl Parser<'_> {
    /// An error at a place, with the hints that were given.
    pub(super) fn error(&mut self, span: Span, message: impl Into<String>) {
        let mut message = message.into();
        let hints = std::mem::take(&mut self.at.hints);
        match hints.as_slice() {
            [] => {}
            [hint] => message.push_str(&format!(" (hint: {hint})")),
            hints => message.push_str(&format!(" (hints: {})", hints.join(", "))),
        }
        let details = details(self.text, span.start);
        self.errors.push(Error::new(Code::Parse, span, message).with_details(details));
    }

    /// Says more with the next error.
    pub(super) fn hint(&mut self, hint: impl Into<String>) {
        self.at.hints.push(hint.into());
    }

    /// The token may not stand here.
    pub(super) fn illegal_token(&mut self) {
        self.illegal("");
    }

    /// The token may not stand here, and what should.
    pub(super) fn illegal(&mut self, note: impl AsRef<str>) {
        let (token, note) = (self.token(), note.as_ref());
        let kind = if token.is_word() { "keyword" } else { "token" };
        let message = match (token, note) {
            (Token::Illegal, _) => "illegal token".to_owned(),
            (_, "") => format!("unexpected {} {kind}", token.name()),
            _ => format!("unexpected {} {kind}: {note}", token.name()),
        };
        self.error(self.here(), message);
    }

    /// An error that the caller gets nothing for.
    pub(super) fn fail<T>(&mut self, span: Span, message: impl Into<String>) -> Option<T> {
        self.error(span, message);
        None
    }

    /// The same of [`Self::illegal`].
    pub(super) fn refuse<T>(&mut self, note: impl AsRef<str>) -> Option<T> {
        self.illegal(note);
        None
    }
}

/// The line, without the tabs in front, and a mark below the place.
fn details(text: &str, offset: u32) -> Vec<String> {
    let bytes = text.as_bytes();
    let byte = |at: usize| bytes.get(at).copied().unwrap_or(b'\n');
    let mut at = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len().saturating_sub(1));
    while at > 0 && matches!(byte(at), b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c | 0x85 | 0xa0) {
        at = at.saturating_sub(1);
    }
    let before = bytes.get(..at).unwrap_or_default();
    let newline = |byte: &u8| matches!(byte, b'\n' | b'\r');
    let begin = if newline(&byte(at)) {
        at.saturating_add(1)
    } else {
        before.iter().rposition(newline).map_or(0, |at| at.saturating_add(1))
    };
    let rest = bytes.get(at..).unwrap_or_default();
    let end = rest.iter().position(newline).map_or(bytes.len(), |length| at.saturating_add(length));
    let begin = begin.min(end);
    let line = String::from_utf8_lossy(bytes.get(begin..end).unwrap_or_default()).into_owned();
    let shown = line.trim_start_matches('\t');
    let tabs = line.len().saturating_sub(shown.len());
    let indent = at.saturating_sub(begin).saturating_sub(tabs);
    vec![shown.to_owned(), format!("{}^", " ".repeat(indent))]
}
