//! The one writer: takes all writes that wait, decides them in order, commits them together, publishes, answers.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::{mpsc, oneshot};

use super::disk::{Disk, DiskError};
use super::history::Ledger;
use super::snapshot::State;
use super::write::{Effect, Prepared};
use super::{Event, EventKind, Key, Record, Snapshot, WriteError};

/// Writes that one commit takes at most.
const GROUP: usize = 1024;
/// Bytes of objects after which a commit takes no more writes.
const GROUP_BYTES: usize = 8 << 20;

pub(crate) type Answer = Result<Arc<Record>, WriteError>;

/// What the writer is asked for.
pub(crate) enum Job {
    Write(Prepared, oneshot::Sender<Answer>),
    Stop,
}

/// Owner of the data file.
pub(crate) struct Writer {
    pub(crate) disk: Option<Disk>,
    pub(crate) ledger: Arc<Ledger>,
    pub(crate) commits: Arc<AtomicU64>,
    /// Set once by a disk that failed: what is in the file is then unknown.
    pub(crate) failed: Option<Arc<DiskError>>,
}

/// Writes decided on, not yet durable.
struct Group {
    state: State,
    events: Vec<Arc<Event>>,
    answers: Vec<(oneshot::Sender<Answer>, Answer)>,
}

// --- Writer ---

impl Writer {
    /// Runs until it is told to stop or nobody is left to ask.
    pub(crate) fn run(mut self, mut queue: mpsc::Receiver<Job>) {
        while let Some(job) = queue.blocking_recv() {
            let (writes, stop) = drain(job, &mut queue);
            self.commit(writes);
            if stop {
                break;
            }
        }
    }

    fn commit(&mut self, writes: Vec<(Prepared, oneshot::Sender<Answer>)>) {
        let Some(now) = writes.iter().map(|(write, _)| write.asked).max() else { return };
        let mut group = Group { state: self.ledger.snapshot().thaw(), events: Vec::new(), answers: Vec::new() };
        for (write, answer) in writes {
            group.decide(write, answer);
        }
        let Group { state, events, answers } = group;
        let grown = match self.store(&state, &events) {
            Ok(()) if events.is_empty() => Vec::new(),
            Ok(()) => self.ledger.publish(Snapshot::new(state), events, now),
            Err(error) => return refuse(answers, &error),
        };
        for (to, answer) in answers {
            // Who asked may have gone; the write stands.
            drop(to.send(answer));
        }
        grown.iter().for_each(|log| log.wake());
    }

    /// Durable when it returns.
    fn store(&mut self, state: &State, events: &[Arc<Event>]) -> Result<(), Arc<DiskError>> {
        if let Some(error) = &self.failed {
            return Err(Arc::clone(error));
        }
        if events.is_empty() {
            return Ok(());
        }
        let done = self.disk.as_ref().map_or(Ok(()), |disk| disk.commit(state.revision, events));
        self.commits.fetch_add(1, Ordering::Relaxed);
        done.map_err(|error| {
            tracing::error!(error = &error as &dyn std::error::Error, "cannot commit; no more writes are taken");
            Arc::clone(self.failed.insert(Arc::new(error)))
        })
    }
}

impl Drop for Writer {
    /// Also if the thread ends in a panic: who watches must not wait for ever.
    fn drop(&mut self) {
        self.ledger.close();
        if let Some(Err(error)) = self.disk.take().map(Disk::close) {
            tracing::error!(error = &error as &dyn std::error::Error, "cannot close the data file");
        }
    }
}

fn drain(first: Job, queue: &mut mpsc::Receiver<Job>) -> (Vec<(Prepared, oneshot::Sender<Answer>)>, bool) {
    let (mut writes, mut bytes) = (Vec::new(), 0);
    let mut next = Some(first);
    while let Some(job) = next {
        match job {
            Job::Stop => return (writes, true),
            Job::Write(write, answer) => {
                bytes += write.draft.size();
                writes.push((write, answer));
            }
        }
        let full = writes.len() >= GROUP || bytes >= GROUP_BYTES;
        next = if full { None } else { queue.try_recv().ok() };
    }
    (writes, false)
}

/// Conflicts too: they may have been decided against writes that are now in doubt.
fn refuse(answers: Vec<(oneshot::Sender<Answer>, Answer)>, error: &Arc<DiskError>) {
    for (to, _) in answers {
        drop(to.send(Err(WriteError::Storage(Arc::clone(error)))));
    }
}

// --- Group ---

impl Group {
    fn decide(&mut self, write: Prepared, answer: oneshot::Sender<Answer>) {
        let current = self.state.get(&write.key).cloned();
        if !write.expect.holds(current.as_ref()) {
            self.answers.push((answer, Err(WriteError::Conflict { current })));
            return;
        }
        let record = match write.effect {
            Effect::Delete => self.remove(&write, current),
            Effect::Put => self.put(&write, current),
            Effect::PutAndDelete => {
                let last = self.put(&write, current);
                self.remove(&write, Some(Arc::clone(&last)));
                last
            }
        };
        self.answers.push((answer, Ok(record)));
    }

    fn put(&mut self, write: &Prepared, current: Option<Arc<Record>>) -> Arc<Record> {
        let record = self.record(write, current.as_deref());
        let kind = if current.is_none() { EventKind::Added } else { EventKind::Modified };
        let _previous = self.state.put(Arc::clone(&record));
        self.events.push(Arc::new(Event::new(kind, Arc::clone(&record), current)));
        record
    }

    fn remove(&mut self, write: &Prepared, current: Option<Arc<Record>>) -> Arc<Record> {
        let record = self.record(write, current.as_deref());
        let _previous = self.state.remove(&record.key);
        self.events.push(Arc::new(Event::new(EventKind::Deleted, Arc::clone(&record), current)));
        record
    }

    /// What the write makes, at the next revision.
    fn record(&mut self, write: &Prepared, current: Option<&Record>) -> Arc<Record> {
        self.state.revision += 1;
        let revision = self.state.revision;
        let (key, created): (Key, u64) = match current {
            Some(current) => (current.key.clone(), current.created),
            None => (self.state.share(write.key.clone()), revision),
        };
        Arc::new(Record::new(key, revision, created, write.draft.stamp(revision)))
    }
}
