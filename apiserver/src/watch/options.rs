//! What a watcher asks for.

use std::time::Duration;

use crate::selector::Selector;

/// What a watcher asks for.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which objects.
    pub selector: Selector,
    /// Where to begin.
    pub start: Start,
    /// Whether bookmarks are wanted.
    pub bookmarks: bool,
    /// When the stream ends.
    pub length: Duration,
}

/// Where to begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// With every object as ADDED, of a state not older than this revision, then live; with a bookmark between the two
    /// where one was asked for.
    State {
        /// Not older than this.
        not_before: Option<u64>,
        /// A bookmark says that the state is complete.
        marked: bool,
    },
    /// With what happens from now on.
    Now,
    /// With what happened after this revision.
    After(u64),
}
