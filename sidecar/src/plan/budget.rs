//! A token bucket; the time is passed in. Pure.

use std::time::Duration;

/// So many at once, so many a second in the long run.
#[derive(Clone, Debug)]
pub struct Budget {
    per_second: f64,
    burst: f64,
    tokens: f64,
    at: Duration,
}

impl Budget {
    /// A full bucket. `per_second` is more than 0.
    pub fn new(per_second: f64, burst: u32) -> Self {
        let burst = f64::from(burst.max(1));
        Self { per_second, burst, tokens: burst, at: Duration::ZERO }
    }

    /// Takes one at the time `now`, or says how long to wait for one. `now` is any clock that does not run backwards.
    pub fn take(&mut self, now: Duration) -> Result<(), Duration> {
        let passed = now.saturating_sub(self.at);
        self.at = self.at.max(now);
        self.tokens = (self.tokens + passed.as_secs_f64() * self.per_second).min(self.burst);
        if self.tokens >= 1.0 {
            self.tokens -= 1.0;
            return Ok(());
        }
        let wait = (1.0 - self.tokens) / self.per_second;
        // An hour is long enough to ask again; it also keeps absurd rates within what a Duration holds.
        Err(Duration::from_secs_f64(wait.clamp(0.001, 3600.0)))
    }

    /// Gives one back that was not used.
    pub fn give_back(&mut self) {
        self.tokens = (self.tokens + 1.0).min(self.burst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(budget: &mut Budget, now: Duration) -> usize {
        std::iter::from_fn(|| budget.take(now).ok()).count()
    }

    #[test]
    fn t08_moves_are_limited_in_each_interval() {
        let mut budget = Budget::new(10.0, 5);
        let at = |millis| Duration::from_millis(millis);
        assert_eq!(taken(&mut budget, at(0)), 5);
        assert_eq!(taken(&mut budget, at(99)), 0);
        assert_eq!(taken(&mut budget, at(300)), 3);
        assert_eq!(taken(&mut budget, at(60_000)), 5, "a long rest fills the bucket, not more");
    }

    #[test]
    fn the_wait_it_names_is_enough_and_time_that_runs_backwards_gives_nothing() {
        let mut budget = Budget::new(4.0, 1);
        budget.take(Duration::from_secs(5)).unwrap();
        assert!(budget.take(Duration::from_secs(1)).is_err());
        let wait = budget.take(Duration::from_secs(5)).unwrap_err();
        assert!(budget.take(Duration::from_secs(5) + wait).is_ok());
    }

    #[test]
    fn what_was_not_used_can_be_given_back() {
        let mut budget = Budget::new(0.001, 1);
        budget.take(Duration::ZERO).unwrap();
        budget.give_back();
        assert!(budget.take(Duration::ZERO).is_ok());
    }
}
