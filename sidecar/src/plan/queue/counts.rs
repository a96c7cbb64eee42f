//! How many objects are in which condition, and since when the oldest waits. Pure.

use std::collections::BTreeSet;
use std::time::Duration;

use super::super::row::Key;

/// Objects by condition; kept up to date, never counted anew.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// That still wait for a patch: due, under way, or to be tried again.
    pub pending: usize,
    /// Whose patch is only suggested.
    pub suggested: usize,
    /// Whose patch is held back.
    pub held: usize,
    /// Of the pending ones: whose last patch was undone.
    pub reverted: usize,
    waiting: BTreeSet<(Duration, Key)>,
}

/// The condition of one object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Condition {
    /// Pending since.
    pub(super) asked: Option<Duration>,
    pub(super) suggested: bool,
    pub(super) held: bool,
    pub(super) reverted: bool,
}

impl Counts {
    pub(super) fn count(&mut self, key: &Key, counted: &mut Condition, condition: Condition) {
        let before = std::mem::replace(counted, condition);
        if before == condition {
            return;
        }
        change(&mut self.pending, before.asked.is_some(), condition.asked.is_some());
        change(&mut self.suggested, before.suggested, condition.suggested);
        change(&mut self.held, before.held, condition.held);
        change(&mut self.reverted, before.reverted, condition.reverted);
        if let Some(asked) = before.asked {
            self.waiting.remove(&(asked, key.clone()));
        }
        if let Some(asked) = condition.asked {
            self.waiting.insert((asked, key.clone()));
        }
    }

    pub(super) fn oldest(&self) -> Option<Duration> {
        self.waiting.first().map(|(asked, _)| *asked)
    }
}

fn change(count: &mut usize, before: bool, now: bool) {
    *count = (*count + usize::from(now)).saturating_sub(usize::from(before));
}
