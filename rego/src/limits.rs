//! What an evaluation may cost, and its account: steps, time, memory, output, depth.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use thiserror::Error;

mod process;

pub use process::bound_process;

/// How many steps pass between two looks at the clock.
const STEPS_PER_LOOK: u64 = 1_000;

/// From so many bytes on, the process is asked before they are allocated.
const LARGE: u64 = 64 << 10;

/// Work that is no longer than this is begun without a look at the clock.
const BRIEF: Duration = Duration::from_millis(1);

/// Bounds of one evaluation.
#[derive(Clone, Debug)]
pub struct Limits {
    /// How long it may take.
    pub time: Duration,
    /// How many steps: an expression, an item that is gone through, a value that is compared, 64 bytes of text that are read.
    pub steps: u64,
    /// How many bytes the values that it makes may take, those that are gone again included.
    pub memory: u64,
    /// How deep rules and functions may call each other, and values may nest.
    pub depth: u32,
    /// Ends the evaluation when somebody sets it.
    pub cancel: Option<Arc<AtomicBool>>,
}

/// Why an evaluation ends before it has an answer. Nothing in a policy can catch it.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum Halt {
    /// The clock.
    #[error("evaluation took longer than {0:?}")]
    Time(Duration),
    /// The counter.
    #[error("evaluation took more than {0} steps")]
    Steps(u64),
    /// The account of bytes.
    #[error("evaluation needed more than {0} bytes")]
    Memory(u64),
    /// What the whole process has in use ([`bound_process`]).
    #[error("the process would need more than {0} bytes")]
    Process(u64),
    /// Calls, or values.
    #[error("nested deeper than {0} levels")]
    Depth(u32),
    /// Whoever asked does not want the answer any more.
    #[error("evaluation was cancelled")]
    Cancelled,
}

/// What one evaluation has cost so far.
#[derive(Debug)]
pub struct Account {
    limits: Limits,
    begun: Instant,
    steps: u64,
    look: u64,
    bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { time: Duration::from_secs(60), steps: u64::MAX, memory: u64::MAX, depth: 10_000, cancel: None }
    }
}

impl Account {
    /// An account with nothing on it, from now on.
    pub fn new(limits: Limits) -> Self {
        Self { limits, begun: Instant::now(), steps: 0, look: STEPS_PER_LOOK, bytes: 0 }
    }

    /// Its bounds.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// How many steps were taken.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// How many bytes were charged.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Takes steps. Fails when a bound is reached.
    #[inline]
    pub fn step(&mut self, steps: u64) -> Result<(), Halt> {
        self.steps = self.steps.saturating_add(steps);
        if self.steps < self.look { Ok(()) } else { self.look() }
    }

    /// Charges bytes, before they are allocated; each 64 are a step. Fails when a bound is reached.
    #[inline]
    pub fn charge(&mut self, bytes: usize) -> Result<(), Halt> {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes > self.limits.memory {
            return Err(Halt::Memory(self.limits.memory));
        }
        if bytes >= LARGE {
            self.large(bytes)?;
        }
        self.step(bytes / 64)
    }

    #[cold]
    fn large(&self, bytes: u64) -> Result<(), Halt> {
        process::check(bytes)?;
        // Nothing ends the writing of so much midway; a byte takes a nanosecond where memory is new.
        self.has_time_for(Duration::from_nanos(bytes))
    }

    /// Makes sure that there is time for work which nothing can end midway: `least` is what it takes at least. Fails when less is left.
    pub fn has_time_for(&self, least: Duration) -> Result<(), Halt> {
        if least > BRIEF && self.begun.elapsed().saturating_add(least) > self.limits.time {
            return Err(Halt::Time(self.limits.time));
        }
        Ok(())
    }

    #[cold]
    fn look(&mut self) -> Result<(), Halt> {
        self.look = self.steps.saturating_add(STEPS_PER_LOOK);
        if self.steps > self.limits.steps {
            return Err(Halt::Steps(self.limits.steps));
        }
        if self.limits.cancel.as_ref().is_some_and(|cancel| cancel.load(Ordering::Relaxed)) {
            return Err(Halt::Cancelled);
        }
        process::check(0)?;
        if self.begun.elapsed() > self.limits.time { Err(Halt::Time(self.limits.time)) } else { Ok(()) }
    }
}
