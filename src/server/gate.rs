//! Who may hold connections to a listener, how many, and how fast they may come.
//!
//! ```text
//!  accepted ─► enter (places) ─► silent ─► first byte ─► rate ─► opening (TLS, headers) ─► ( asking ─► answering ─► idle )*
//!                 │ full: the place of whoever keeps one without need                       └────────── edge ──────────┘
//! ```
//!
//! A listener that is full takes newcomers all the same, as long as one of its connections is silent, still opening, or idle:
//! the oldest of these goes, of the peer that holds most. So neither silent connections nor many peers keep others out, and
//! nobody loses a connection on which a request is worked on. Only when all are at work is a newcomer turned away.

mod connection;
mod counts;
mod peer;
mod rate;
mod service;
mod table;

pub use connection::{Connection, Phase, Watched};
pub use counts::{Counts, OfListener};
pub use peer::{Incoming, Peer};
pub use service::{CURRENT, Gated};

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use table::Table;

/// Of one listener.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Connections at a time.
    pub connections: usize,
    /// Connections of one peer at a time.
    pub per_peer: usize,
    /// New connections of one peer in a second.
    pub rate: u32,
}

impl Default for Limits {
    /// Limits that two cores and 1 GiB hold easily: as many connections as requests may wait for evaluation.
    fn default() -> Self {
        Self { connections: 1024, per_peer: 512, rate: 500 }
    }
}

impl Limits {
    /// Probes and scrapers: few, and always a place of their own.
    pub const DIAGNOSTIC: Self = Self { connections: 128, per_peer: 64, rate: 100 };
}

/// In front of one listener.
#[derive(Debug)]
pub struct Gate {
    table: Mutex<Table>,
    counts: OfListener,
    /// When it was last said that TLS could not be agreed on.
    told: Mutex<Option<Instant>>,
}

/// Between two lines of the log about handshakes: strangers decide how many fail.
const TELL_EVERY: Duration = Duration::from_secs(1);

/// A place, given back when dropped.
#[derive(Debug)]
pub struct Place {
    gate: Arc<Gate>,
    connection: Arc<Connection>,
}

impl Gate {
    /// Nobody is in yet.
    pub fn new(limits: Limits, counts: OfListener) -> Arc<Self> {
        Arc::new(Self { table: Mutex::new(Table::new(limits)), counts, told: Mutex::new(None) })
    }

    /// A place for a newcomer; none if everybody is at work.
    pub fn enter(self: &Arc<Self>, peer: Peer) -> Option<Place> {
        let connection = Arc::new(Connection::new(peer));
        let entered = self.table.lock().enter(&connection, Instant::now());
        match entered {
            Err(table::Full) => {
                self.counts.full.inc();
                None
            }
            Ok(evicted) => {
                self.counts.open.inc();
                if let Some(evicted) = evicted {
                    self.counts.evicted.inc();
                    evicted.evict();
                }
                Some(Place { gate: Arc::clone(self), connection })
            }
        }
    }
}

impl Gate {
    /// A connection on which TLS was not agreed on, such as without a certificate that is asked for. Each is counted, one a second is told.
    pub fn refused(&self, peer: Option<Peer>, why: &std::io::Error) {
        if why.kind() == std::io::ErrorKind::UnexpectedEof {
            // Whoever only looks whether somebody listens, such as a load balancer, leaves like this.
            return;
        }
        self.counts.handshake.inc();
        let (now, mut told) = (Instant::now(), self.told.lock());
        if told.is_none_or(|before| now.duration_since(before) >= TELL_EVERY) {
            *told = Some(now);
            let peer = peer.map(|peer| peer.to_string()).unwrap_or_default();
            tracing::warn!(peer, error = %why, "the TLS handshake failed, the connection is closed");
        }
    }
}

impl Place {
    /// Returns the connection that has it.
    pub fn connection(&self) -> &Arc<Connection> {
        &self.connection
    }

    /// Returns how long the peer must wait, now that it has begun to speak; `None` if it comes far too often.
    pub fn pace(&self) -> Option<Duration> {
        let wait = self.gate.table.lock().pace(self.connection.peer(), Instant::now());
        if wait.is_none() {
            self.gate.counts.rate.inc();
        }
        wait
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.gate.table.lock().leave(&self.connection);
        self.gate.counts.open.dec();
    }
}

#[cfg(test)]
mod tests;
