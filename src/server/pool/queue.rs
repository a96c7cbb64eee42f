//! What waits for the workers of one pool, and what each of them is on.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use tokio::sync::{OwnedSemaphorePermit, oneshot};
use tracing::Span;

use super::{Condition, HOPELESS, PoolError, STUCK, Shape, worker};

/// Work that somebody waits for.
pub(super) trait Task: Send {
    /// Whether anybody still does.
    fn wanted(&self) -> bool;
    /// Does it, and answers.
    fn run(self: Box<Self>);
}

/// A job and who is told of its result.
pub(super) struct Ticket<T, F> {
    sender: oneshot::Sender<Result<T, PoolError>>,
    begin: Option<Instant>,
    begun: Begun,
    span: Span,
    job: F,
}

/// Whether a worker has taken a job up.
#[derive(Clone, Debug, Default)]
pub(super) struct Begun(Arc<AtomicBool>);

/// Jobs and workers of one pool.
#[derive(Debug)]
pub(super) struct Queue {
    pub(super) name: &'static str,
    pub(super) shape: Shape,
    state: Mutex<State>,
    news: Condvar,
}

#[derive(Default)]
struct State {
    tasks: VecDeque<Box<dyn Task>>,
    workers: BTreeMap<u64, Worker>,
    next: u64,
    replaced: u64,
    closed: bool,
}

/// One thread.
#[derive(Debug, Default)]
struct Worker {
    /// Since when it is on its job.
    since: Option<Instant>,
    /// Another one has its place: it ends when its job does.
    replaced: bool,
    /// Its turn among the pools that share them.
    turn: Option<OwnedSemaphorePermit>,
}

impl Begun {
    pub(super) fn get(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

impl<T, F: FnOnce() -> T> Ticket<T, F> {
    /// A job that is not begun after `begin`, and a way to see whether it was.
    pub(super) fn new(sender: oneshot::Sender<Result<T, PoolError>>, begin: Option<Instant>, job: F) -> (Self, Begun) {
        let begun = Begun::default();
        (Self { sender, begin, begun: begun.clone(), span: Span::current(), job }, begun)
    }
}

impl<T: Send, F: FnOnce() -> T + Send> Task for Ticket<T, F> {
    fn wanted(&self) -> bool {
        !self.sender.is_closed() && self.begin.is_none_or(|begin| Instant::now() <= begin)
    }

    fn run(self: Box<Self>) {
        let Self { sender, begun, span, job, .. } = *self;
        begun.0.store(true, Ordering::Release);
        let result = catch_unwind(AssertUnwindSafe(|| span.in_scope(job))).map_err(|_| PoolError::Panicked);
        // The caller may have hung up: nobody is left to tell.
        let _ = sender.send(result);
    }
}

impl Queue {
    /// Starts the workers.
    pub(super) fn start(name: &'static str, shape: Shape) -> io::Result<Arc<Self>> {
        let queue = Arc::new(Self { name, shape, state: Mutex::default(), news: Condvar::new() });
        for _ in 0..queue.shape.workers.max(1) {
            queue.hire(&mut queue.state.lock())?;
        }
        Ok(queue)
    }

    fn hire(self: &Arc<Self>, state: &mut State) -> io::Result<()> {
        let number = state.next;
        worker::spawn(self, number)?;
        state.next = number.saturating_add(1);
        state.workers.insert(number, Worker::default());
        Ok(())
    }

    /// Lines a task up. What nobody waits for any more takes no place.
    pub(super) fn push(self: &Arc<Self>, task: Box<dyn Task>) -> Result<(), PoolError> {
        let mut state = self.state.lock();
        self.mend(&mut state);
        if state.tasks.len() >= self.shape.waiting {
            state.tasks.retain(|task| task.wanted());
        }
        if state.closed || state.tasks.len() >= self.shape.waiting {
            return Err(PoolError::Overloaded);
        }
        state.tasks.push_back(task);
        drop(state);
        self.news.notify_one();
        Ok(())
    }

    /// Waits until there may be something to do; `false` when there will never be.
    pub(super) fn wait(&self) -> bool {
        let mut state = self.state.lock();
        loop {
            if state.closed {
                return false;
            }
            if !state.tasks.is_empty() {
                return true;
            }
            self.news.wait(&mut state);
        }
    }

    /// The next task that somebody waits for; the worker is on it from now on, and it is its turn.
    pub(super) fn take(&self, number: u64, turn: Option<OwnedSemaphorePermit>) -> Option<Box<dyn Task>> {
        let mut state = self.state.lock();
        let task = loop {
            let task = state.tasks.pop_front()?;
            if task.wanted() {
                break task;
            }
        };
        if let Some(worker) = state.workers.get_mut(&number) {
            (worker.since, worker.turn) = (Some(Instant::now()), turn);
        }
        Some(task)
    }

    /// The worker's task has ended; `false` when another one has its place, or takes it now.
    pub(super) fn done(self: &Arc<Self>, number: u64, leaves: bool) -> bool {
        let mut state = self.state.lock();
        let Some(worker) = state.workers.get_mut(&number) else { return false };
        (worker.since, worker.turn) = (None, None);
        let replaced = worker.replaced;
        if !replaced && (!leaves || self.hire(&mut state).is_err()) {
            return true;
        }
        state.workers.remove(&number);
        false
    }

    pub(super) fn close(&self) {
        let mut state = self.state.lock();
        state.closed = true;
        state.tasks.clear();
        drop(state);
        self.news.notify_all();
    }

    /// Puts fresh workers in the place of stuck ones, up to the spares there are.
    fn mend(self: &Arc<Self>, state: &mut State) {
        let gone = state.workers.values().filter(|worker| worker.replaced).count();
        let stuck = state.workers.iter().filter(|(_, worker)| !worker.replaced && self.stuck(worker));
        let stuck: Vec<u64> = stuck.map(|(number, _)| *number).take(self.shape.spares.saturating_sub(gone)).collect();
        for number in stuck {
            if let Err(error) = self.hire(state) {
                tracing::error!(pool = self.name, %error, "a stuck worker could not be replaced");
                return;
            }
            tracing::error!(pool = self.name, "a worker is stuck on one request and was replaced");
            state.replaced = state.replaced.saturating_add(1);
            if let Some(worker) = state.workers.get_mut(&number) {
                (worker.replaced, worker.turn) = (true, None);
            }
        }
    }

    fn stuck(&self, worker: &Worker) -> bool {
        self.on_one_job(worker) > self.shape.limit.saturating_mul(STUCK)
    }

    fn on_one_job(&self, worker: &Worker) -> Duration {
        worker.since.map(|since| since.elapsed()).unwrap_or_default()
    }

    pub(super) fn condition(self: &Arc<Self>) -> Condition {
        let mut state = self.state.lock();
        self.mend(&mut state);
        let stuck = state.workers.values().filter(|worker| self.stuck(worker)).count();
        let busy = state.workers.values().filter(|worker| worker.since.is_some()).count();
        let able = state.workers.len().saturating_sub(stuck);
        let hopeless = self.shape.limit.saturating_mul(HOPELESS);
        Condition {
            waiting: state.tasks.len(),
            running: busy.saturating_sub(stuck),
            stuck,
            able,
            replaced: state.replaced,
            hopeless: able == 0 && state.workers.values().all(|worker| self.on_one_job(worker) > hopeless),
        }
    }
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { tasks, workers, .. } = self;
        f.debug_struct("State").field("tasks", &tasks.len()).field("workers", workers).finish_non_exhaustive()
    }
}
