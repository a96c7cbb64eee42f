//! The errors of a compilation, and whether it goes on (`v1/ast/compile.go`, `recordErrs`).

use crate::error::{Error, Errors};
use crate::syntax::source::Sources;

/// Errors so far: all of them, where OPA ends after ten.
#[derive(Debug, Default)]
pub struct Findings {
    errors: Vec<Error>,
    stopped: bool,
}

impl Findings {
    /// An error after which no further stage runs.
    pub fn stop(&mut self, error: Error) {
        self.stop_all([error]);
    }

    /// An error after which further stages run.
    pub fn go_on(&mut self, error: Error) {
        self.errors.push(error);
    }

    /// Errors after which no further stage runs.
    pub fn stop_all(&mut self, errors: impl IntoIterator<Item = Error>) {
        let before = self.errors.len();
        self.errors.extend(errors);
        self.stopped |= self.errors.len() > before;
    }

    /// Errors after which further stages run.
    pub fn go_on_all(&mut self, errors: impl IntoIterator<Item = Error>) {
        self.errors.extend(errors);
    }

    /// Whether further stages may not run.
    pub fn stopped(&self) -> bool {
        self.stopped
    }

    /// All of them, sorted by text, place and words.
    pub fn take(&mut self, sources: &Sources) -> Result<(), Errors> {
        let mut errors = std::mem::take(&mut self.errors);
        let place = |error: &Error| {
            let span = error.span();
            (sources.get(span.source).map(|source| source.name.clone()), span.start, error.to_string())
        };
        errors.sort_by_cached_key(place);
        Errors::check(errors)
    }
}
