//! Errors of the parser, in OPA's words (`v1/ast/parser.go`, `error`, `illegal`).

use super::state::Parser;
use crate::error::{Code, Error};
use crate::syntax::report::details;
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
