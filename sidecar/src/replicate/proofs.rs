//! A kind is current when each of its collections is.

use std::time::Duration;

use parking_lot::Mutex;

use super::seen::Seen;

/// The proofs of one kind's collections, until they make a round.
pub(super) struct Proofs {
    given: Mutex<Vec<Option<Seen>>>,
    fresh: Duration,
}

impl Proofs {
    /// Of so many collections; a proof older than `fresh` completes no round.
    pub(super) fn new(collections: usize, fresh: Duration) -> Self {
        Self { given: Mutex::new(vec![None; collections]), fresh }
    }

    /// Notes a proof of one collection; the kind's when it completes the round, as old as its oldest part.
    pub(super) fn give(&self, index: usize, seen: Seen) -> Option<Seen> {
        let mut given = self.given.lock();
        if let Some(mine) = given.get_mut(index) {
            *mine = Some(seen);
        }
        let all: Option<Vec<&Seen>> = given.iter().map(Option::as_ref).collect();
        let round = match all.as_deref() {
            Some([only]) => (*only).clone(),
            Some(parts) => Seen::together(parts.iter().map(|part| part.begun).min()?),
            None => return None,
        };
        if round.begun.elapsed() > self.fresh {
            return None;
        }
        given.fill(None);
        Some(round)
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::{Instant, advance};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_round_is_as_old_as_its_oldest_part_and_never_made_of_old_ones() {
        let proofs = Proofs::new(2, Duration::from_secs(20));
        let start = Instant::now();
        assert!(proofs.give(0, Seen::list("5", start)).is_none());
        advance(Duration::from_secs(3)).await;
        let round = proofs.give(1, Seen::list("6", Instant::now())).unwrap();
        assert_eq!((round.begun, round.version, round.is_list), (start, None, false));
        assert!(proofs.give(0, Seen::list("7", Instant::now())).is_none(), "a new round");
        advance(Duration::from_secs(60)).await;
        assert!(proofs.give(1, Seen::list("8", Instant::now())).is_none(), "the other's proof is a minute old");
        assert!(proofs.give(0, Seen::list("9", Instant::now())).is_some());
    }

    #[tokio::test]
    async fn one_collection_speaks_for_itself() {
        let seen = Proofs::new(1, Duration::from_secs(20)).give(0, Seen::list("5", Instant::now())).unwrap();
        assert_eq!((seen.version.unwrap().as_str(), seen.is_list), ("5", true));
    }
}
