//! One budget of memory for the whole process, in shares: what others send never takes what decisions need.
//!
//! ```text
//!            total (--memory-limit, or 75 % of the container's limit; evaluation ends there)
//!  ├─ decisions: bodies 1/8, documents 1/4              nobody else is given any of it
//!  └─ all others: 5/8, and the state is part of that    measured by the allocator
//!       ├─ readers: bodies 1/16, documents 1/8
//!       └─ writers: bodies 3/8, documents as much as is left
//! ```
//!
//! Bodies are charged as their bytes arrive, documents by what their text will take as a tree ([`weight`]), before it is built.
//! A [`Charge`] is given back when it is dropped.

pub mod share;
pub mod weight;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

pub use share::{Charge, Share};
pub use weight::Weight;

/// What one decision's documents may take at their peak: with its body and their texts, a review of 3 MB objects stays below 64 MiB.
const DECISION: u64 = 48 << 20;

/// The kind of work that memory is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Reviews, and decisions by OPA's data API.
    Decisions,
    /// Queries, reads of documents, authorization.
    Readers,
    /// Writes of data, policies, sources and bundles.
    Writers,
}

/// Why something is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BudgetError {
    /// Never: HTTP 413.
    #[error("it would take {cost} bytes of memory to read this, and there are {limit} for it (--memory-limit)")]
    TooLarge {
        /// What it would take.
        cost: u64,
        /// What there is.
        limit: u64,
    },
    /// Not beside what is being read already: HTTP 429.
    #[error("the memory for requests of this kind is in use just now (--memory-limit): try again")]
    Full,
}

/// The shares.
#[derive(Debug)]
pub struct Budget {
    decisions: ClassShares,
    readers: ClassShares,
    writers: ClassShares,
    /// What all but decisions may take, with the state; nothing is measured without a limit.
    others: Option<u64>,
    /// By documents of others that are being read.
    promised: Arc<AtomicU64>,
}

/// Shares of one class.
#[derive(Debug)]
struct ClassShares {
    bodies: Share,
    documents: Share,
}

impl Budget {
    /// Shares of `total` bytes; without a limit only single decisions are bounded.
    pub fn new(total: Option<u64>) -> Self {
        let part = |sixteenths: u64| total.map_or(u64::MAX, |total| (total / 16).saturating_mul(sixteenths));
        let shares = |bodies, documents| ClassShares {
            bodies: Share::with_room_for_small(part(bodies)),
            documents: Share::new(part(documents)),
        };
        Self {
            decisions: shares(2, 4),
            readers: shares(1, 2),
            writers: shares(6, 10),
            others: total.map(|_| part(10)),
            promised: Arc::default(),
        }
    }

    /// For a body that is about to arrive: nothing yet.
    pub fn body(&self, class: Class) -> Charge {
        self.shares(class).bodies.open()
    }

    /// For documents that take so many bytes while they are read and worked on.
    pub fn document(&self, class: Class, cost: u64) -> Result<Charge, BudgetError> {
        let documents = &self.shares(class).documents;
        if class == Class::Decisions {
            let limit = documents.capacity().min(DECISION);
            return if cost > limit { Err(BudgetError::TooLarge { cost, limit }) } else { documents.charge(cost) };
        }
        self.room(cost)?;
        Ok(documents.charge(cost)?.promise(&self.promised))
    }

    /// Whether all but decisions may take so many bytes more.
    pub fn room(&self, cost: u64) -> Result<(), BudgetError> {
        let Some(limit) = self.others else { return Ok(()) };
        let promised = self.promised.load(Ordering::Relaxed);
        let left = limit.saturating_sub(in_use()).saturating_sub(promised);
        match cost <= left {
            true => Ok(()),
            // Alone it would be no better.
            false if promised == 0 => Err(BudgetError::TooLarge { cost, limit: left }),
            false => Err(BudgetError::Full),
        }
    }

    /// The most that others may take with what is there, such as a bundle before it is unpacked.
    pub fn left(&self) -> u64 {
        self.others.map_or(u64::MAX, |limit| limit.saturating_sub(in_use()).saturating_sub(self.promised.load(Ordering::Relaxed)))
    }

    fn shares(&self, class: Class) -> &ClassShares {
        match class {
            Class::Decisions => &self.decisions,
            Class::Readers => &self.readers,
            Class::Writers => &self.writers,
        }
    }
}

/// Bytes that the process has allocated, as its allocator counts them.
pub fn in_use() -> u64 {
    regorus_mimalloc::allocation_stats_snapshot().0.allocated
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOTAL: u64 = 16 << 30;

    #[test]
    fn what_decisions_need_nobody_else_takes() {
        let budget = Budget::new(Some(TOTAL));
        let mut taken = Vec::new();
        for class in [Class::Readers, Class::Writers] {
            while let Ok(charge) = budget.document(class, 64 << 20) {
                taken.push(charge);
            }
            let mut body = budget.body(class);
            while body.grow(64 << 20).is_ok() {}
            taken.push(body);
            assert_eq!(budget.document(class, 64 << 20).unwrap_err(), BudgetError::Full);
        }
        let mut decisions = Vec::new();
        while let Ok(charge) = budget.document(Class::Decisions, DECISION) {
            decisions.push(charge);
        }
        assert_eq!(decisions.len() as u64, TOTAL / 4 / DECISION);
        taken.clear();
        assert!(budget.document(Class::Readers, 64 << 20).is_ok());
    }

    #[test]
    fn too_large_is_told_from_full() {
        let budget = Budget::new(Some(TOTAL));
        let too_large = |error: BudgetError| matches!(error, BudgetError::TooLarge { .. });
        assert!(too_large(budget.document(Class::Decisions, DECISION + 1).unwrap_err()));
        assert!(too_large(budget.document(Class::Writers, TOTAL).unwrap_err()));
        let half = budget.document(Class::Writers, TOTAL / 3).unwrap();
        assert_eq!(budget.document(Class::Writers, TOTAL / 3).unwrap_err(), BudgetError::Full);
        drop(half);
        assert!(budget.document(Class::Writers, TOTAL / 3).is_ok());
        let unlimited = Budget::new(None);
        assert!(unlimited.document(Class::Writers, 1 << 50).is_ok());
        assert!(too_large(unlimited.document(Class::Decisions, DECISION + 1).unwrap_err()));
    }
}
