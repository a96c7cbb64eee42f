//! The errors of a compilation, and whether it goes on (`v1/ast/compile.go`, `recordErrs`).

use crate::error::{Code, Error, Errors};
use crate::syntax::source::Sources;
use crate::syntax::span::{SourceId, Span};

/// Errors so far.
#[derive(Debug, Default)]
pub struct Findings {
    errors: Vec<Error>,
    limit: Option<usize>,
    stopped: bool,
}

impl Findings {
    /// None yet; at most so many.
    pub fn new(limit: Option<usize>) -> Self {
        Self { errors: Vec::new(), limit: limit.filter(|limit| *limit > 0), stopped: false }
    }

    /// An error after which no further stage runs. `false` when there is no room for more.
    pub fn stop(&mut self, error: Error) -> bool {
        self.stopped = true;
        self.record(error)
    }

    /// An error after which further stages run. `false` when there is no room for more.
    pub fn go_on(&mut self, error: Error) -> bool {
        self.record(error)
    }

    /// Errors after which no further stage runs.
    pub fn stop_all(&mut self, errors: impl IntoIterator<Item = Error>) {
        errors.into_iter().for_each(|error| _ = self.stop(error));
    }

    /// Errors after which further stages run.
    pub fn go_on_all(&mut self, errors: impl IntoIterator<Item = Error>) {
        errors.into_iter().for_each(|error| _ = self.go_on(error));
    }

    /// Whether further stages may not run.
    pub fn stopped(&self) -> bool {
        self.stopped
    }

    fn full(&self) -> bool {
        self.limit.is_some_and(|limit| self.errors.len() >= limit)
    }

    fn record(&mut self, error: Error) -> bool {
        if self.full() {
            return false;
        }
        self.errors.push(error);
        self.stopped |= self.full();
        !self.full()
    }

    /// All of them, sorted by text, place and words; that the limit was reached is the last.
    pub fn take(&mut self, sources: &Sources) -> Result<(), Errors> {
        let mut errors = std::mem::take(&mut self.errors);
        let full = self.limit.is_some_and(|limit| errors.len() >= limit);
        let place = |error: &Error| {
            let span = error.span();
            (sources.get(span.source).map(|source| source.name.clone()), span.start, error.to_string())
        };
        errors.sort_by_cached_key(place);
        if full {
            let nowhere = Span { source: SourceId(u32::MAX), start: u32::MAX, end: u32::MAX };
            errors.push(Error::new(Code::Compile, nowhere, "error limit reached"));
        }
        Errors::check(errors)
    }
}
