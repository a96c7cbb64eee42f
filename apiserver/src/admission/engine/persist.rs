//! Asking again after what may pass, within the request's deadline; the only place that knows the `backoff` crate.
//!
//! The steps are those of federation v1's hook (`schedulingpolicy`, `apiserver/pkg/util/webhook`): five attempts, each wait
//! half as long again as the one before, lengthened by up to a fifth. Two things differ: connections that are refused or
//! reset are retried, too, and there is a deadline (T14).

use std::time::Duration;

use backoff::ExponentialBackoff;
use backoff::backoff::Backoff as _;
use tokio::time::{Instant, sleep};

use super::Fault;

/// Attempts in all.
const ATTEMPTS: u32 = 5;
const FACTOR: f64 = 1.5;
const JITTER: f64 = 0.2;
/// `backoff` varies a delay in both directions; Kubernetes' `wait.Backoff` only lengthens it.
const MIDDLE: f64 = 1.0 + JITTER / 2.0;

/// How to persist.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The first wait.
    pub first: Duration,
    /// No attempt and no wait goes beyond.
    pub deadline: Instant,
}

/// Waits and counts.
pub struct Persistence {
    plan: Plan,
    delays: ExponentialBackoff,
    attempts: u32,
}

/// No answer that counts.
#[derive(Debug, thiserror::Error)]
#[error("{last}")]
pub struct GaveUp {
    /// How many requests were sent.
    pub attempts: u32,
    /// Why no more were.
    pub ended: Ended,
    /// The last one's fault.
    #[source]
    pub last: Fault,
}

/// Why there were no more attempts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The fault is not one that passes.
    Final,
    /// All attempts are used.
    Attempts,
    /// The next one would have come after the deadline.
    Deadline,
}

// --- impl Persistence ---

impl Persistence {
    /// Nothing was asked yet.
    pub fn new(plan: Plan) -> Self {
        let mut delays = ExponentialBackoff {
            initial_interval: plan.first.mul_f64(MIDDLE),
            max_interval: Duration::MAX,
            multiplier: FACTOR,
            randomization_factor: (JITTER / 2.0) / MIDDLE,
            max_elapsed_time: None,
            ..ExponentialBackoff::default()
        };
        delays.reset();
        Self { plan, delays, attempts: 0 }
    }

    /// Asks until there is an answer, or no point in asking. `attempt` is told how long it may take; `failed` is told of
    /// each fault and whether it is tried again.
    pub async fn ask<T>(
        mut self,
        mut attempt: impl AsyncFnMut(Duration) -> Result<T, Fault>,
        mut failed: impl FnMut(&Fault, bool),
    ) -> Result<T, GaveUp> {
        loop {
            self.attempts += 1;
            let left = self.plan.deadline.saturating_duration_since(Instant::now());
            let fault = match attempt(left).await {
                Ok(answer) => return Ok(answer),
                Err(fault) => fault,
            };
            let next = self.next(&fault);
            failed(&fault, next.is_ok());
            match next {
                Ok(wait) => sleep(wait).await,
                Err(ended) => return Err(GaveUp { attempts: self.attempts, ended, last: fault }),
            }
        }
    }

    /// How long to wait before the next attempt, if there is one.
    fn next(&mut self, fault: &Fault) -> Result<Duration, Ended> {
        if !fault.cause().is_passing() {
            return Err(Ended::Final);
        }
        let left = self.plan.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Ended::Deadline);
        }
        if self.attempts >= ATTEMPTS {
            return Err(Ended::Attempts);
        }
        let delay = self.delays.next_backoff().unwrap_or_default();
        let wait = delay.max(fault.retry_after().unwrap_or_default());
        if wait < left { Ok(wait) } else { Err(Ended::Deadline) }
    }
}

#[cfg(test)]
mod tests {
    use reqwest::StatusCode;

    use super::*;

    fn busy(retry_after: Option<u64>) -> Fault {
        let retry_after = retry_after.map(Duration::from_secs);
        Fault::Busy { status: StatusCode::SERVICE_UNAVAILABLE, message: String::new(), retry_after }
    }

    fn plan(deadline: u64) -> Persistence {
        let deadline = Instant::now() + Duration::from_secs(deadline);
        Persistence::new(Plan { first: Duration::from_millis(100), deadline })
    }

    /// Runs a script of faults; after it, an answer. Returns the times of the attempts, and how it ended.
    async fn run(persistence: Persistence, faults: Vec<Fault>) -> (Vec<Duration>, Result<(), GaveUp>) {
        let (start, mut faults) = (Instant::now(), faults.into_iter());
        let mut times = Vec::new();
        let asked = async |_| {
            times.push(start.elapsed());
            faults.next().map_or(Ok(()), Err)
        };
        let end = persistence.ask(asked, |_, _| {}).await;
        (times, end)
    }

    #[tokio::test(start_paused = true)]
    async fn t14_five_attempts_with_the_waits_of_federation_v1() {
        let (times, end) = run(plan(60), (0..9).map(|_| busy(None)).collect()).await;
        let end = end.unwrap_err();
        assert_eq!((end.attempts, end.ended), (5, Ended::Attempts));
        let waits: Vec<f64> = times.windows(2).map(|pair| (pair[1] - pair[0]).as_secs_f64() * 1000.0).collect();
        for (wait, nominal) in waits.iter().zip([100.0, 150.0, 225.0, 337.5]) {
            // Paused time moves by whole milliseconds.
            assert!((nominal..=nominal * 1.2 + 2.0).contains(wait), "{waits:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_does_not_pass_is_asked_once() {
        for fault in [Fault::Undefined, Fault::TooLarge(1), Fault::Redirected(StatusCode::FOUND)] {
            let (times, end) = run(plan(60), vec![fault]).await;
            assert_eq!((times.len(), end.unwrap_err().ended), (1, Ended::Final));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn t14_an_answer_after_faults_counts() {
        let (times, end) = run(plan(60), vec![busy(None), Fault::TimedOut(Duration::ZERO)]).await;
        assert!(end.is_ok());
        assert_eq!(times.len(), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn retry_after_is_honoured_and_never_beyond_the_deadline() {
        let (times, end) = run(plan(60), vec![busy(Some(7))]).await;
        assert!(end.is_ok());
        assert_eq!(times.iter().map(Duration::as_secs).collect::<Vec<_>>(), [0, 7]);
        let start = Instant::now();
        let (times, end) = run(plan(60), vec![busy(Some(61))]).await;
        assert_eq!((times.len(), end.unwrap_err().ended), (1, Ended::Deadline));
        assert_eq!(start.elapsed(), Duration::ZERO, "there is no point in waiting");
    }

    #[tokio::test(start_paused = true)]
    async fn no_configured_wait_is_too_long() {
        let deadline = Instant::now() + Duration::from_secs(60);
        for first in [Duration::ZERO, Duration::from_millis(u64::try_from(i64::MAX).unwrap())] {
            let (_, end) = run(Persistence::new(Plan { first, deadline }), (0..9).map(|_| busy(None)).collect()).await;
            assert!(matches!(end.unwrap_err().ended, Ended::Attempts | Ended::Deadline), "{first:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn t14_the_deadline_ends_slow_attempts() {
        let start = Instant::now();
        let hang = async |left: Duration| {
            sleep(left.min(Duration::from_secs(4))).await;
            Err::<(), _>(Fault::TimedOut(left))
        };
        let end = plan(10).ask(hang, |_, _| {}).await.unwrap_err();
        assert_eq!((end.attempts, end.ended), (3, Ended::Deadline));
        assert_eq!(start.elapsed().as_secs(), 10);
    }
}
