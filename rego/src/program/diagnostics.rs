//! Errors of policies with the places that people see.

use plimsoll_contract::policy::{Diagnostic, Location};

use super::Refused;
use crate::error::Error;
use crate::syntax::source::Sources;
use crate::syntax::span::Span;

/// A longer line is not shown.
const LONGEST: usize = 4096;

impl Refused {
    /// Each error with its file, row and column, and the line that it is in, as OPA shows them.
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
    let location = sources.location(error.span());
    let line = || sources.get(error.span().source).map(|source| source.line(location.row)).filter(|line| line.len() <= LONGEST);
    let details = match error.details() {
        [] => vec![line().unwrap_or_default().to_owned()],
        details => details.to_vec(),
    };
    Diagnostic { code: error.code().as_str().to_owned(), message: error.message().to_owned(), location, details }
}
