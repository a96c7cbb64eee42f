//! How long to wait: between successes anywhere in a range, after failures longer and longer.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

/// Waits of one loop.
#[derive(Debug)]
pub struct Backoff {
    first: Duration,
    longest: Duration,
    failures: u32,
    random: RandomState,
    drawn: u64,
}

impl Backoff {
    /// From `first` on, doubling, never more than `longest`.
    pub fn new(first: Duration, longest: Duration) -> Self {
        Self { first, longest: longest.max(first), failures: 0, random: RandomState::new(), drawn: 0 }
    }

    /// After a failure: the upper half of a doubling wait, so that replicas do not come together.
    pub fn after_failure(&mut self) -> Duration {
        let wait = self.first.saturating_mul(1 << self.failures.min(20)).min(self.longest);
        self.failures = self.failures.saturating_add(1);
        wait.mul_f64(0.5 + 0.5 * self.draw())
    }

    /// After a success: anywhere between the two.
    pub fn after_success(&mut self, (min, max): (Duration, Duration)) -> Duration {
        self.failures = 0;
        min + max.saturating_sub(min).mul_f64(self.draw())
    }

    fn draw(&mut self) -> f64 {
        self.drawn += 1;
        // Its keys are random, hence its hashes.
        (self.random.hash_one(self.drawn) >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_up_to_the_longest_and_begin_anew_after_a_success() {
        let second = Duration::from_secs(1);
        let mut backoff = Backoff::new(second, second * 10);
        let mut waits: Vec<_> = (0..6).map(|_| backoff.after_failure()).collect();
        for (wait, most) in waits.iter().zip([1, 2, 4, 8, 10, 10]) {
            assert!(*wait >= second * most / 2 && *wait <= second * most, "{waits:?}");
        }
        let between = backoff.after_success((second, second * 3));
        assert!(between >= second && between <= second * 3);
        waits = vec![backoff.after_failure()];
        assert!(waits[0] <= second);
    }
}
