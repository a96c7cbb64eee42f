//! The right to write: a value with an end, that is compared when a request is sent.
//!
//! A flag that a task lowers in time does not stop a process that was itself stopped: it wakes with the flag as it was. The
//! end is an [`Instant`], which goes on while a process is stopped (SIGSTOP, a frozen cgroup). It stands still while the whole
//! machine sleeps, and std has no clock that does not; there the API server is what remains: each write names the version
//! that it is meant for.

use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

/// How long this replica may write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Term {
    /// It may not.
    #[default]
    Over,
    /// Until then, if nothing is said before.
    Until(Instant),
    /// There is no Lease to hold.
    Endless,
}

/// The giver's end.
#[derive(Debug)]
pub struct Grant(watch::Sender<Term>);

/// The right to write, as those who write hold it.
#[derive(Clone, Debug)]
pub struct Right {
    term: watch::Receiver<Term>,
    looked: bool,
}

/// Both ends; nobody may write yet.
pub fn right() -> (Grant, Right) {
    let (sender, term) = watch::channel(Term::Over);
    (Grant(sender), Right { term, looked: false })
}

impl Term {
    fn holds(self) -> bool {
        match self {
            Self::Over => false,
            Self::Until(end) => Instant::now() < end,
            Self::Endless => true,
        }
    }
}

impl Grant {
    /// The term from now on; what it was before.
    pub fn set(&self, term: Term) -> Term {
        self.0.send_replace(term)
    }

    /// The term as it was set last, though it may have ended since.
    pub(super) fn term(&self) -> Term {
        *self.0.borrow()
    }

    /// Whether it holds now.
    pub(super) fn holds(&self) -> bool {
        self.term().holds()
    }
}

impl Right {
    /// Whether this replica may write now.
    pub fn holds(&self) -> bool {
        self.term.borrow().holds()
    }

    /// Returns whether this replica may write now, and remembers it for [`Self::changed`].
    pub fn look(&mut self) -> bool {
        self.looked = self.holds();
        self.looked
    }

    /// Waits until it is not as it was at the last look.
    pub async fn changed(&mut self) {
        if !self.looked {
            return self.held().await;
        }
        self.lost().await;
    }

    /// Waits until this replica may not write; asked together with a request, it is compared when the request is sent.
    pub async fn lost(&mut self) {
        loop {
            let term = *self.term.borrow_and_update();
            let ended = async {
                match term {
                    Term::Over => {}
                    Term::Until(end) => sleep_until(end).await,
                    Term::Endless => std::future::pending().await,
                }
            };
            if !term.holds() {
                return;
            }
            tokio::select! {
                () = ended => {}
                () = told(&mut self.term) => {}
            }
        }
    }

    /// Waits until this replica may write.
    pub async fn held(&mut self) {
        loop {
            if self.term.borrow_and_update().holds() {
                return;
            }
            told(&mut self.term).await;
        }
    }
}

/// Waits for another term; for ever, if nobody is left to give one.
async fn told(term: &mut watch::Receiver<Term>) {
    if term.changed().await.is_err() {
        std::future::pending::<()>().await;
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::{advance, timeout};

    use super::*;

    const TERM: Duration = Duration::from_secs(10);

    #[tokio::test(start_paused = true)]
    async fn t11_the_right_ends_by_the_clock_whoever_sleeps() {
        let (grant, mut right) = right();
        assert!(!right.holds());
        grant.set(Term::Until(Instant::now() + TERM));
        assert!(right.holds());
        // Nobody runs: as if the process were stopped.
        advance(TERM).await;
        assert!(!right.holds() && !grant.holds());
        assert_ne!(grant.term(), Term::Over, "nobody has taken it back");
        timeout(Duration::ZERO, right.lost()).await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn a_renewal_moves_the_end_of_a_wait_under_way() {
        let (grant, mut right) = right();
        grant.set(Term::Until(Instant::now() + TERM));
        let (start, mut other) = (Instant::now(), right.clone());
        let waiting = tokio::spawn(async move { other.lost().await });
        tokio::time::sleep(TERM / 2).await;
        grant.set(Term::Until(Instant::now() + TERM));
        waiting.await.unwrap();
        assert_eq!(start.elapsed().as_secs(), 15);
        assert!(!right.look());
        grant.set(Term::Endless);
        right.changed().await;
        assert!(right.look());
        grant.set(Term::Over);
        right.changed().await;
        assert!(!right.holds());
    }

    #[tokio::test(start_paused = true)]
    async fn a_change_between_a_look_and_the_wait_is_not_missed() {
        let (grant, mut right) = right();
        assert!(!right.look());
        grant.set(Term::Endless);
        timeout(TERM, right.changed()).await.unwrap();
        assert!(right.look());
        grant.set(Term::Over);
        timeout(TERM, right.changed()).await.unwrap();
    }
}
