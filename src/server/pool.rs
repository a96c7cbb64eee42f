//! CPU work off the async threads: a few threads with big stacks behind a bounded queue, so that one slow policy delays
//! neither health checks nor the reading of requests.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread;
use std::time::Instant;

use parking_lot::Mutex;
use tokio::sync::oneshot;

/// Of one worker. Deep policies and documents recurse; only touched pages are ever used.
const STACK: usize = 64 << 20;

type Job = Box<dyn FnOnce() + Send>;

/// Threads that run one job each at a time.
#[derive(Clone, Debug)]
pub struct Pool {
    queue: SyncSender<Job>,
}

/// Why a job gave no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PoolError {
    /// The queue is full; nothing was done.
    #[error("too many requests are waiting for evaluation: try again, or run more replicas")]
    Overloaded,
    /// The deadline passed while the job was waiting; nothing was done.
    #[error("the request waited for evaluation longer than its deadline: try again, or run more replicas")]
    Expired,
    /// The job panicked; the worker lives on.
    #[error("evaluation stopped unexpectedly: this is a bug in plimsoll, the log has the details")]
    Panicked,
}

impl Pool {
    /// Starts `threads` workers with room for `waiting` jobs.
    pub fn start(name: &str, threads: usize, waiting: usize) -> io::Result<Self> {
        let (queue, jobs) = sync_channel::<Job>(waiting);
        let jobs = Arc::new(Mutex::new(jobs));
        for number in 0..threads.max(1) {
            let jobs = Arc::clone(&jobs);
            let builder = thread::Builder::new().name(format!("{name}-{number}")).stack_size(STACK);
            builder.spawn(move || work(&jobs))?;
        }
        Ok(Self { queue })
    }

    /// Runs `job` on a worker. A job whose deadline passes before it starts is dropped.
    pub async fn run<T: Send + 'static>(
        &self,
        deadline: Option<Instant>,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, PoolError> {
        let (sender, receiver) = oneshot::channel();
        let span = tracing::Span::current();
        let job = move || {
            if sender.is_closed() {
                return;
            }
            let result = if deadline.is_some_and(|deadline| Instant::now() > deadline) {
                Err(PoolError::Expired)
            } else {
                catch_unwind(AssertUnwindSafe(|| span.in_scope(job))).map_err(|_| PoolError::Panicked)
            };
            // The caller may have hung up: nobody is left to tell.
            let _ = sender.send(result);
        };
        match self.queue.try_send(Box::new(job)) {
            Ok(()) => receiver.await.unwrap_or(Err(PoolError::Panicked)),
            Err(TrySendError::Full(_)) => Err(PoolError::Overloaded),
            Err(TrySendError::Disconnected(_)) => Err(PoolError::Panicked),
        }
    }
}

/// Takes jobs until the pool is dropped. The lock is held while waiting: one idle worker waits for the queue, the others
/// for the lock.
fn work(jobs: &Mutex<Receiver<Job>>) {
    loop {
        let job = jobs.lock().recv();
        match job {
            Ok(job) => job(),
            Err(_) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn a_panic_costs_one_request() {
        let pool = Pool::start("test", 1, 8).unwrap();
        for _ in 0..20 {
            assert_eq!(pool.run(None, || panic!("expected")).await, Err::<(), _>(PoolError::Panicked));
        }
        assert_eq!(pool.run(None, || 7).await, Ok(7));
    }

    #[tokio::test]
    async fn a_full_queue_and_a_late_job_are_refused() {
        let pool = Pool::start("test", 1, 1).unwrap();
        let (release, wait) = channel::<()>();
        let (started, running) = oneshot::channel();
        let busy = tokio::spawn({
            let pool = pool.clone();
            async move {
                let block = move || {
                    let _ = started.send(());
                    let _ = wait.recv();
                };
                pool.run(None, block).await
            }
        });
        running.await.unwrap();
        let mut late = Box::pin(pool.run(Some(Instant::now() - Duration::from_millis(1)), || 1));
        assert!(futures::poll!(&mut late).is_pending(), "it waits in the queue");
        assert_eq!(pool.run(None, || 2).await, Err(PoolError::Overloaded));
        release.send(()).unwrap();
        assert_eq!(busy.await.unwrap(), Ok(()));
        assert_eq!(late.await, Err(PoolError::Expired));
    }
}
