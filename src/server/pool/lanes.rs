//! One pool per kind of work. Admission goes first: what others read never takes its workers, nor more than half the cores.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;

use super::{Condition, Pool, Shape};
use crate::budget::Class;

/// Decisions that may wait for a worker.
const DECISIONS: usize = 1024;
/// Requests that may wait to be let in.
const CALLERS: usize = 1024;
/// Readers that may wait, of each kind: they are shed early.
const READERS: usize = 64;
/// Writes that may wait.
const WRITERS: usize = 256;
/// Writes at a time: one takes effect after the other, but a policy set that compiles holds up no data.
const WRITES: usize = 4;
/// Replications at a time; each holds a worker while its body arrives.
const SYNCS: usize = 8;

/// A kind of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lane {
    /// Reviews, and decisions by OPA's data API at the placement path.
    Decide,
    /// The policies of `--authorization=basic` and of health checks: every other request waits for them, decisions too.
    Gate,
    /// `/v1/query` and the default decision.
    Query,
    /// Documents of the data API, and the list of placements.
    Data,
    /// Policies that are checked, put or shown.
    Compile,
    /// Writes of data, declarations.
    Write,
    /// Replicated objects as they arrive.
    Replicate,
}

/// Every pool.
#[derive(Debug)]
pub struct Lanes {
    pools: [Pool; 7],
}

impl Lane {
    /// In the order of the pools.
    pub const ALL: [Self; 7] = [Self::Decide, Self::Gate, Self::Query, Self::Data, Self::Compile, Self::Write, Self::Replicate];

    /// The label.
    pub fn name(self) -> &'static str {
        match self {
            Self::Decide => "decide",
            Self::Gate => "gate",
            Self::Query => "query",
            Self::Data => "data",
            Self::Compile => "compile",
            Self::Write => "write",
            Self::Replicate => "replicate",
        }
    }
}

impl Lane {
    /// Returns the kind of work that the memory of its requests is charged to.
    pub fn class(self) -> Class {
        match self {
            Self::Decide => Class::Decisions,
            Self::Gate | Self::Query | Self::Data => Class::Readers,
            Self::Compile | Self::Write | Self::Replicate => Class::Writers,
        }
    }
}

impl Lanes {
    /// Starts the pools for a machine of so many cores and evaluations of at most `limit`.
    pub fn start(cores: usize, limit: Duration) -> io::Result<Self> {
        // One place for all readers: whatever they ask, they run on half the cores.
        let half = (cores / 2).max(1);
        let turns = Arc::new(Semaphore::new(half));
        let pool = |lane: Lane| {
            let (workers, waiting, limit) = match lane {
                Lane::Decide => (cores.max(2), DECISIONS, limit),
                Lane::Gate => (half.max(2), CALLERS, limit),
                Lane::Query | Lane::Data => (half, READERS, limit),
                // Large policy sets take their time, and have limits of their own.
                Lane::Compile => (half, READERS, Duration::MAX),
                Lane::Write => (WRITES, WRITERS, Duration::MAX),
                Lane::Replicate => (SYNCS, SYNCS, Duration::MAX),
            };
            let turns = matches!(lane, Lane::Query | Lane::Data | Lane::Compile).then(|| Arc::clone(&turns));
            Pool::start(lane.name(), Shape { workers, waiting, limit, spares: workers, turns })
        };
        let [decide, gate, query, data, compile, write, replicate] = Lane::ALL.map(pool);
        Ok(Self { pools: [decide?, gate?, query?, data?, compile?, write?, replicate?] })
    }

    /// Of one kind of work.
    pub fn pool(&self, lane: Lane) -> &Pool {
        let [decide, gate, query, data, compile, write, replicate] = &self.pools;
        match lane {
            Lane::Decide => decide,
            Lane::Gate => gate,
            Lane::Query => query,
            Lane::Data => data,
            Lane::Compile => compile,
            Lane::Write => write,
            Lane::Replicate => replicate,
        }
    }

    /// Returns the state of each pool.
    pub fn conditions(&self) -> impl Iterator<Item = (Lane, Condition)> {
        Lane::ALL.into_iter().map(|lane| (lane, self.pool(lane).condition()))
    }

    /// Why no decision can be made, if so: readers that are stuck are none.
    pub fn unready(&self) -> Option<String> {
        let stuck = |lane: Lane| {
            let Condition { able, stuck, .. } = self.pool(lane).condition();
            let what = if lane == Lane::Decide { "decisions" } else { "authorization" };
            (able == 0).then(|| format!("all {stuck} workers for {what} are stuck"))
        };
        stuck(Lane::Decide).or_else(|| stuck(Lane::Gate))
    }

    /// Why the process should be started anew, if so: no decision will be made any more.
    pub fn dead(&self) -> Option<String> {
        let stuck = self.pool(Lane::Decide).condition();
        stuck.hopeless.then(|| format!("all {} workers for decisions are stuck and do not come back", stuck.stuck))
    }
}
