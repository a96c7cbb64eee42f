//! The one brake of all writes: patches and Events ask here before they are sent, and tell how it went.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::time::{Instant, timeout};

use super::request::Failed;
use crate::metrics::Metrics;
use crate::plan::pace::{Full, Load, Pace, Ticket};

/// A write that ends wakes those that wait; this is for nobody to wait for ever.
const LOOK: Duration = Duration::from_secs(5);

/// Shared by all that write.
#[derive(Clone, Debug)]
pub struct Throttle {
    pace: Arc<Mutex<Pace>>,
    ended: watch::Sender<()>,
    clock: Instant,
    metrics: Metrics,
}

/// One write may be under way while this lives.
#[derive(Debug)]
pub struct Permit {
    throttle: Throttle,
    ticket: Ticket,
    load: Load,
}

impl Throttle {
    /// Writes go at `pace`.
    pub fn new(pace: Pace, metrics: Metrics) -> Self {
        Self { pace: Arc::new(Mutex::new(pace)), ended: watch::channel(()).0, clock: Instant::now(), metrics }
    }

    /// A permit, or how long to wait at most before asking again.
    pub fn try_begin(&self) -> Result<Permit, Duration> {
        match self.pace.lock().begin(self.clock.elapsed()) {
            Ok(ticket) => Ok(Permit { throttle: self.clone(), ticket, load: Load::Unknown }),
            Err(Full::For(wait)) => Err(wait),
            Err(Full::UntilOneEnds) => Err(LOOK),
        }
    }

    /// Waits for a permit.
    pub async fn begin(&self) -> Permit {
        let mut ended = self.ended();
        loop {
            ended.mark_unchanged();
            match self.try_begin() {
                Ok(permit) => return permit,
                // Woken or not, it asks again.
                Err(wait) => drop(timeout(wait, ended.changed()).await),
            }
        }
    }

    /// Tells whenever a write ends.
    pub fn ended(&self) -> watch::Receiver<()> {
        self.ended.subscribe()
    }
}

impl Permit {
    /// The write has been answered, or not.
    pub(super) fn end(mut self, failed: Option<&Failed>) {
        self.load = failed.map_or(Load::Fine, Failed::load);
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let is_slow = {
            let mut pace = self.throttle.pace.lock();
            pace.end(self.ticket, self.load, self.throttle.clock.elapsed());
            pace.is_slow()
        };
        self.throttle.metrics.slowed.set(i64::from(is_slow));
        self.throttle.ended.send_replace(());
    }
}
