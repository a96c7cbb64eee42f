//! `max_decisions_per_second`.

use std::time::Instant;

/// Lines that may come at once, filled again by time.
#[derive(Debug)]
pub(super) struct Bucket {
    level: f64,
    at: Instant,
}

impl Bucket {
    /// A second's worth.
    pub(super) fn new(rate: Option<f64>) -> Self {
        Self { level: rate.unwrap_or_default().max(1.0), at: Instant::now() }
    }

    /// Whether one more may come.
    pub(super) fn passes(&mut self, rate: Option<f64>) -> bool {
        let Some(rate) = rate else { return true };
        let now = Instant::now();
        self.level = (self.level + now.duration_since(self.at).as_secs_f64() * rate).min(rate.max(1.0));
        self.at = now;
        let passes = self.level >= 1.0;
        if passes {
            self.level -= 1.0;
        }
        passes
    }
}
