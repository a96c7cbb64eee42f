//! CPU work off the async threads: a few threads with big stacks behind a bounded queue, so that one slow policy delays
//! neither health checks nor the reading of requests. Each kind of work has a [`Pool`] of its own ([`lanes`]).
//!
//! ```text
//!  run ─► queue (bounded; full: refused at once) ─► worker ─► answer
//!   └── gives up at the deadline ─► the job is never started      └ stuck: replaced, counted
//! ```

pub mod lanes;
mod queue;
mod worker;

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::{Semaphore, oneshot};
use tokio::time::timeout_at;

use queue::{Queue, Ticket};

pub use lanes::{Lane, Lanes};

/// A worker is stuck when it is on one job for so many times the limit of a job.
const STUCK: u32 = 5;
/// Decisions will not come back by themselves when every worker is on one job for so many times the limit.
const HOPELESS: u32 = 15;

/// Threads that run one job each at a time. Dropped, it lets the jobs that wait go.
#[derive(Debug)]
pub struct Pool {
    queue: Arc<Queue>,
}

/// The size of a pool, and the limits of its work.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Threads.
    pub workers: usize,
    /// Jobs that may wait.
    pub waiting: usize,
    /// How long one job takes at most, when all is well; [`Duration::MAX`] where a job may take its time.
    pub limit: Duration,
    /// How many stuck workers are replaced by fresh ones at a time.
    pub spares: usize,
    /// Pools that share these run so many jobs together, first come, first served.
    pub turns: Option<Arc<Semaphore>>,
}

/// When a caller gives up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadline {
    /// A job that has not begun by then is never begun.
    pub begin: Instant,
    /// Nobody waits longer for one that has.
    pub end: Instant,
}

/// The state of a pool, for readiness and metrics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Condition {
    /// Jobs that wait.
    pub waiting: usize,
    /// Workers on a job that may yet end in time.
    pub running: usize,
    /// Workers that are on one job far beyond its limit.
    pub stuck: usize,
    /// Workers that are not stuck.
    pub able: usize,
    /// Fresh workers that took the place of stuck ones, since the start.
    pub replaced: u64,
    /// No worker is able, and none has been for long.
    pub hopeless: bool,
}

/// Why a job gave no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PoolError {
    /// The queue is full; nothing was done.
    #[error("too many requests are waiting: try again, or run more replicas")]
    Overloaded,
    /// The deadline passed while the job was waiting; nothing was done.
    #[error("the request waited longer than its deadline: try again, or run more replicas")]
    Expired,
    /// The job began, and has not ended long after it should have.
    #[error("the request was not answered within its deadline: its work did not end at its limit")]
    Overrun,
    /// The job panicked; the worker lives on.
    #[error("evaluation stopped unexpectedly: this is a bug in plimsoll, the log has the details")]
    Panicked,
}

impl Pool {
    /// Starts the workers.
    pub fn start(name: &'static str, shape: Shape) -> io::Result<Self> {
        Ok(Self { queue: Queue::start(name, shape)? })
    }

    /// Runs `job` on a worker. One whose caller left, or whose deadline passed, before it began is dropped unbegun; the caller is
    /// answered at its deadline, whatever the workers do.
    pub async fn run<T: Send + 'static>(
        &self,
        deadline: Option<Deadline>,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, PoolError> {
        let (sender, mut receiver) = oneshot::channel();
        let (ticket, begun) = Ticket::new(sender, deadline.map(|deadline| deadline.begin), job);
        self.queue.push(Box::new(ticket))?;
        // One that is dropped unanswered was not begun.
        let Some(Deadline { begin, end }) = deadline else { return receiver.await.unwrap_or(Err(PoolError::Expired)) };
        if let Ok(answer) = timeout_at(begin.into(), &mut receiver).await {
            return answer.unwrap_or(Err(PoolError::Expired));
        }
        if !begun.get() {
            return Err(PoolError::Expired);
        }
        match timeout_at(end.into(), receiver).await {
            Ok(answer) => answer.unwrap_or(Err(PoolError::Expired)),
            Err(_) => Err(PoolError::Overrun),
        }
    }

    /// Returns the state of the pool; replaces stuck workers, as far as that goes.
    pub fn condition(&self) -> Condition {
        self.queue.condition()
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.queue.close();
    }
}

impl Deadline {
    /// `limit` to wait for a worker, as much for the work, and `reserve` for what belongs to neither.
    pub fn after(limit: Duration, reserve: Duration) -> Self {
        let begin = Instant::now() + limit;
        Self { begin, end: begin + limit + reserve }
    }
}

#[cfg(test)]
mod tests;
