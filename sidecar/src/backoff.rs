//! Waiting longer after each failure, with jitter; the only place that knows the `backoff` crate.

use std::time::Duration;

use backoff::ExponentialBackoff;
use backoff::backoff::Backoff as _;

/// Delays that double from `first` to at most `most`, each varied by a fifth; a success starts again.
#[derive(Debug)]
pub struct Backoff {
    inner: ExponentialBackoff,
}

impl Backoff {
    /// Delays from `first` to at most `most`, for ever.
    pub fn new(first: Duration, most: Duration) -> Self {
        let mut inner = ExponentialBackoff {
            initial_interval: first,
            max_interval: most,
            multiplier: 2.0,
            randomization_factor: 0.2,
            max_elapsed_time: None,
            ..ExponentialBackoff::default()
        };
        inner.reset();
        Self { inner }
    }

    /// For calls over the network: 250 ms to 5 s. What heals is noticed soon, whatever the time that it was broken.
    pub fn network() -> Self {
        Self::new(Duration::from_millis(250), Duration::from_secs(5))
    }

    /// For calls to the engine next door, which is back soon: 50 ms to 5 s.
    pub fn nearby() -> Self {
        Self::new(Duration::from_millis(50), Duration::from_secs(5))
    }

    /// It worked: the next delay is the first one again.
    pub fn reset(&mut self) {
        self.inner.reset();
    }

    /// The next delay.
    pub fn next_delay(&mut self) -> Duration {
        self.inner.next_backoff().unwrap_or(self.inner.max_interval)
    }

    /// Waits for the next delay.
    pub async fn wait(&mut self) {
        tokio::time::sleep(self.next_delay()).await;
    }
}

/// `duration`, give or take this part of it.
pub fn about(duration: Duration, part: f64) -> Duration {
    let mut once = ExponentialBackoff {
        initial_interval: duration,
        randomization_factor: part,
        max_interval: duration,
        max_elapsed_time: None,
        ..ExponentialBackoff::default()
    };
    once.reset();
    once.next_backoff().unwrap_or(duration)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_grow_to_the_limit_and_start_again_after_a_reset() {
        let mut backoff = Backoff::new(Duration::from_millis(100), Duration::from_secs(1));
        let delays: Vec<u128> = (0..8).map(|_| backoff.next_delay().as_millis()).collect();
        for (delay, nominal) in delays.iter().zip([100, 200, 400, 800, 1000, 1000, 1000, 1000]) {
            assert!((nominal * 8 / 10..=nominal * 12 / 10 + 1).contains(delay), "{delays:?}");
        }
        backoff.reset();
        assert!(backoff.next_delay() <= Duration::from_millis(121));
    }

    #[test]
    fn times_are_spread_around_what_was_asked_for() {
        let times: Vec<u64> = (0..200).map(|_| about(Duration::from_secs(1000), 0.1).as_secs()).collect();
        assert!(times.iter().all(|time| (899..=1101).contains(time)), "{times:?}");
        let (least, most) = (times.iter().min().unwrap(), times.iter().max().unwrap());
        assert!(*least < 950 && *most > 1050, "{least} to {most}");
    }

    #[tokio::test(start_paused = true)]
    async fn t11_waiting_takes_the_time_that_it_says() {
        let mut backoff = Backoff::new(Duration::from_secs(10), Duration::from_secs(10));
        let before = tokio::time::Instant::now();
        backoff.wait().await;
        assert!(before.elapsed() >= Duration::from_secs(8));
    }
}
