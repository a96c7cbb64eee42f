//! Errors of policies with the places that people see.

use plimsoll_contract::policy::{Diagnostic, Location};

use super::Refused;
use crate::error::{Code, Error};
use crate::syntax::report;
use crate::syntax::source::Sources;
use crate::syntax::span::Span;

/// A longer line is not shown.
const LONGEST: usize = 4096;

impl Refused {
    /// Returns each error with its file, row and column. `details` are the line that it is in and, of errors that are not of the
    /// syntax, what OPA adds, such as the types that a function has and wants.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        self.errors.iter().map(|error| diagnostic(error, &self.sources)).collect()
    }
}

impl Sources {
    /// The file, row and column where something begins.
    pub fn location(&self, span: Span) -> Location {
        let Some(source) = self.get(span.source) else { return Location::default() };
        let position = source.position(span.start);
        Location { file: source.name.to_string(), row: position.row, col: position.col }
    }
}

fn diagnostic(error: &Error, sources: &Sources) -> Diagnostic {
    let (code, message) = (error.code().as_str().to_owned(), error.message().to_owned());
    if error.code() == Code::Parse && error.span().end == 0 {
        // Of a text where nothing is: OPA knows the file alone.
        let location = Location { row: 0, col: 0, ..sources.location(error.span()) };
        return Diagnostic { code, message, location, ..Diagnostic::default() };
    }
    let location = sources.location(error.span());
    let source = sources.get(error.span().source);
    // Of the syntax, what is added is that line, and a caret below the place.
    let (shown, added) = match error.code() {
        Code::Parse => (source.map(|source| report::pointed(&source.text, error.span().start)), &[][..]),
        _ => (source.map(|source| (source.line(location.row), 0)), error.details()),
    };
    let (line, idx) = shown.filter(|(line, _)| line.len() <= LONGEST).unwrap_or_default();
    let details = std::iter::once(line.to_owned()).chain(added.iter().cloned()).collect();
    let idx = (error.code() == Code::Parse && !error.details().is_empty()).then_some(idx);
    Diagnostic { code, message, location, details, idx }
}
