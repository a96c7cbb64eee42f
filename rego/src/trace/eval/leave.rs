//! Why an evaluation goes back at once (opa `v1/topdown/eval.go`, `earlyExitError`, `deferredEarlyExitError`).

use crate::eval::Stop;
use crate::limits::Halt;

/// Why.
#[derive(Debug)]
pub(super) enum Leave {
    /// An error, or a bound.
    Stop(Stop),
    /// One solution is enough.
    Early(Early),
    /// A definition has a value that is in conflict with others, and those are being listed.
    Conflict,
}

/// One solution is enough: for whom, the innermost of them last. Each is deferred when only somebody above can do with one.
#[derive(Debug, Default)]
pub(super) struct Early(Vec<bool>);

/// What became of going on.
pub(super) type Run = Result<(), Leave>;

impl Early {
    /// The same, seen from one rule further outside.
    pub(super) fn wrapped(mut self, deferred: bool) -> Self {
        self.0.push(deferred);
        self
    }

    pub(super) fn is_deferred(&self) -> bool {
        self.0.last().copied().unwrap_or(false)
    }
}

/// A rule has taken notice (`suppressEarlyExit`).
pub(super) fn suppressed(run: Run) -> Run {
    let Err(Leave::Early(mut early)) = run else { return run };
    early.0.pop();
    if early.0.is_empty() { Ok(()) } else { Err(Leave::Early(early)) }
}

/// Keeps the first early exit that is meant for somebody above, until what is gone through here ends.
#[derive(Debug, Default)]
pub(super) struct Deferred(Option<Early>);

impl Deferred {
    /// Goes on after one that is deferred.
    pub(super) fn hold(&mut self, run: Run) -> Run {
        match run {
            Err(Leave::Early(early)) if early.is_deferred() => {
                self.0.get_or_insert(early);
                Ok(())
            }
            other => other,
        }
    }

    /// As [`Self::hold`], but a second one is not held (`deferredEarlyExitContainer`).
    pub(super) fn hold_first(&mut self, run: Run) -> Run {
        if self.0.is_some() { run } else { self.hold(run) }
    }

    /// Goes back, if something was held.
    pub(super) fn release(self) -> Run {
        self.0.map_or(Ok(()), |early| Err(Leave::Early(early)))
    }
}

impl From<Stop> for Leave {
    fn from(stop: Stop) -> Self {
        Self::Stop(stop)
    }
}

impl From<Halt> for Leave {
    fn from(halt: Halt) -> Self {
        Self::Stop(halt.into())
    }
}
