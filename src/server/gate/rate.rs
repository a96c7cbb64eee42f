//! How fast a peer may come: one second's worth at once, and as much again that waits.

use std::time::{Duration, Instant};

/// The connections that a peer may still make: a token bucket.
#[derive(Debug)]
pub(super) struct Bucket {
    level: f64,
    at: Instant,
}

impl Bucket {
    /// Full.
    pub(super) fn new(rate: u32, now: Instant) -> Self {
        Self { level: f64::from(rate), at: now }
    }

    fn fill(&mut self, rate: f64, now: Instant) {
        let elapsed = now.saturating_duration_since(self.at).as_secs_f64();
        self.level = (self.level + elapsed * rate).min(rate);
        self.at = now;
    }

    /// Returns how long the next connection waits; `None` if that were more than a second.
    pub(super) fn take(&mut self, rate: u32, now: Instant) -> Option<Duration> {
        let rate = f64::from(rate);
        self.fill(rate, now);
        if self.level - 1.0 < -rate {
            return None;
        }
        self.level -= 1.0;
        Some(Duration::from_secs_f64((-self.level / rate).max(0.0)))
    }

    /// Whether it is as good as new.
    pub(super) fn is_full(&mut self, rate: u32, now: Instant) -> bool {
        let rate = f64::from(rate);
        self.fill(rate, now);
        self.level >= rate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seconds_worth_comes_at_once_and_as_much_again_waits() {
        let began = Instant::now();
        let mut bucket = Bucket::new(10, began);
        let waits: Vec<_> = (0..30).map(|_| bucket.take(10, began)).collect();
        assert!(waits[..10].iter().all(|wait| *wait == Some(Duration::ZERO)), "{waits:?}");
        assert_eq!((waits[10], waits[19]), (Some(Duration::from_millis(100)), Some(Duration::from_secs(1))));
        assert!(waits[20..].iter().all(Option::is_none), "{waits:?}");
        let later = began + Duration::from_secs(1);
        assert_eq!((bucket.take(10, later), bucket.is_full(10, later)), (Some(Duration::from_millis(100)), false));
        assert!(bucket.is_full(10, later + Duration::from_secs(3)));
    }
}
