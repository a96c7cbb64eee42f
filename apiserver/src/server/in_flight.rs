//! How much may be in flight. Watches do not count, and `system:masters` are never turned away.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::status::Status;

/// Reads at a time, as upstream.
const READS: usize = 400;
/// Writes at a time, as upstream.
const WRITES: usize = 200;

/// What is in flight.
#[derive(Debug, Default)]
pub struct InFlight {
    reads: Arc<AtomicUsize>,
    writes: Arc<AtomicUsize>,
}

/// One request in flight; ends when dropped.
#[derive(Debug)]
pub struct Ticket(Arc<AtomicUsize>);

impl InFlight {
    /// Counts one more request, or refuses it.
    pub fn enter(&self, writes: bool, exempt: bool) -> Result<Ticket, Status> {
        let (counter, limit) = if writes { (&self.writes, WRITES) } else { (&self.reads, READS) };
        let ticket = Ticket(Arc::clone(counter));
        let before = counter.fetch_add(1, Ordering::AcqRel);
        if before >= limit && !exempt { Err(Status::too_many_requests()) } else { Ok(ticket) }
    }

    /// Reads and writes that are being answered.
    pub fn now(&self) -> (usize, usize) {
        (self.reads.load(Ordering::Acquire), self.writes.load(Ordering::Acquire))
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_holds_and_a_refused_request_leaves_no_trace() {
        for (writes, limit) in [(false, READS), (true, WRITES)] {
            let flight = InFlight::default();
            let mut tickets: Vec<_> = (0..limit).map(|_| flight.enter(writes, false).unwrap()).collect();
            assert_eq!(flight.enter(writes, false).unwrap_err().code, 429);
            assert!(flight.enter(writes, true).is_ok());
            tickets.pop();
            assert!(flight.enter(writes, false).is_ok());
            drop(tickets);
            assert_eq!(flight.now(), (0, 0));
        }
    }
}
