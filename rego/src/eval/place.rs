//! Where documents of rules are kept from one evaluation to the next.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::cache::Known;
use crate::value::Value;

/// The whole document of a group as it is found once for all evaluations over the same data.
#[derive(Clone, Debug)]
pub(crate) enum Prepared {
    /// It is not: each evaluation finds it again.
    Unknown,
    Undefined,
    Is(Value),
}

/// What an evaluation of its own has found.
#[derive(Clone, Debug)]
pub(crate) struct Filled {
    /// The document.
    pub(crate) prepared: Prepared,
    /// No number was met on the way that is equal to another one that is written differently: what was evaluated before what, and what
    /// else was, changes nothing.
    pub(crate) plain: bool,
    /// How long it took.
    pub(crate) took: Duration,
}

/// Where the document of a group is kept.
#[derive(Debug, Default)]
pub(crate) struct Place {
    known: OnceLock<Filled>,
    /// Some evaluation has asked for it and not found it.
    wanted: AtomicBool,
    /// How long it took to find it in older base documents, if it was there.
    before: Option<Duration>,
    /// It was looked for again before anybody asked.
    tried: AtomicBool,
}

impl Place {
    /// A place of what is found anew each time.
    pub(crate) fn unknown() -> Self {
        Self::of(Filled { prepared: Prepared::Unknown, plain: false, took: Duration::ZERO })
    }

    /// A place with this in it.
    pub(crate) fn of(filled: Filled) -> Self {
        Self { known: filled.into(), ..Self::default() }
    }

    /// A place of what took so long to find in older base documents.
    pub(crate) fn again(took: Duration) -> Self {
        Self { before: Some(took), ..Self::default() }
    }

    /// What is in it, but for what ended in an error.
    pub(crate) fn filled(&self) -> Option<&Filled> {
        self.known.get().filter(|filled| !matches!(filled.prepared, Prepared::Unknown))
    }

    /// How long it took to find what is wanted again and was not tried yet.
    pub(crate) fn took_before(&self) -> Option<Duration> {
        self.before.filter(|_| !self.tried.load(Ordering::Relaxed) && self.known.get().is_none())
    }

    /// Puts something in before anybody asks, if it could be found; it is tried once.
    pub(crate) fn try_again(&self, filled: impl FnOnce() -> Filled) {
        if !self.tried.swap(true, Ordering::Relaxed) {
            let filled = filled();
            if !matches!(filled.prepared, Prepared::Unknown) {
                self.known.get_or_init(|| filled);
            }
        }
    }

    /// Whether somebody has asked in vain.
    pub(crate) fn is_wanted(&self) -> bool {
        self.wanted.load(Ordering::Relaxed) && self.known.get().is_none()
    }

    /// Puts something in; what was there before stays.
    pub(crate) fn fill(&self, filled: impl FnOnce() -> Filled) {
        self.known.get_or_init(filled);
    }

    pub(super) fn known(&self) -> Option<Known<'_>> {
        // What depends on what was evaluated before is found where that was.
        match self.known.get().map(|filled| if filled.plain { &filled.prepared } else { &Prepared::Unknown }) {
            Some(Prepared::Unknown) => None,
            Some(Prepared::Undefined) => Some(None),
            Some(Prepared::Is(value)) => Some(Some(value)),
            None => {
                self.wanted.store(true, Ordering::Relaxed);
                None
            }
        }
    }
}
