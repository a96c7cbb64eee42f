//! The places of one listener.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::rate::Bucket;
use super::{Connection, Limits, Peer};

/// Peers that hold nothing any more are remembered for their rate, so many at most.
const REMEMBERED: usize = 4096;

/// Everybody is at work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Full;

#[derive(Debug)]
pub(super) struct Table {
    limits: Limits,
    connections: Vec<Arc<Connection>>,
    peers: HashMap<Peer, Record>,
}

#[derive(Debug)]
struct Record {
    count: usize,
    bucket: Bucket,
}

impl Table {
    pub(super) fn new(limits: Limits) -> Self {
        Self { limits, connections: Vec::new(), peers: HashMap::new() }
    }

    /// Gives a place, and says whose it was if there was none left.
    pub(super) fn enter(&mut self, connection: &Arc<Connection>, now: Instant) -> Result<Option<Arc<Connection>>, Full> {
        let peer = connection.peer();
        let mut evicted = None;
        if peer != Peer::Local && self.count(peer) >= self.limits.per_peer {
            evicted = Some(self.dispensable(Some(peer), now).ok_or(Full)?);
        } else if self.connections.len() >= self.limits.connections {
            evicted = Some(self.dispensable(None, now).ok_or(Full)?);
        }
        if let Some(evicted) = &evicted {
            self.leave(evicted);
        }
        self.forget(now);
        let rate = self.limits.rate;
        self.peers.entry(peer).or_insert_with(|| Record { count: 0, bucket: Bucket::new(rate, now) }).count += 1;
        self.connections.push(Arc::clone(connection));
        Ok(evicted)
    }

    /// Takes a place back, unless that has happened.
    pub(super) fn leave(&mut self, connection: &Arc<Connection>) {
        let Some(at) = self.connections.iter().position(|known| Arc::ptr_eq(known, connection)) else { return };
        self.connections.swap_remove(at);
        if let Some(record) = self.peers.get_mut(&connection.peer()) {
            record.count = record.count.saturating_sub(1);
        }
    }

    pub(super) fn pace(&mut self, peer: Peer, now: Instant) -> Option<Duration> {
        let rate = self.limits.rate;
        if peer == Peer::Local {
            return Some(Duration::ZERO);
        }
        // One without a record has lost its place meanwhile.
        self.peers.get_mut(&peer).and_then(|record| record.bucket.take(rate, now))
    }

    #[cfg(test)]
    pub(super) fn peers_known(&self) -> usize {
        self.peers.len()
    }

    fn count(&self, peer: Peer) -> usize {
        self.peers.get(&peer).map_or(0, |record| record.count)
    }

    /// Of the least claim, of the peer that holds most, the oldest.
    fn dispensable(&self, of: Option<Peer>, now: Instant) -> Option<Arc<Connection>> {
        let asked = self.connections.iter().filter(|connection| of.is_none_or(|peer| connection.peer() == peer));
        let ranked = asked.filter_map(|connection| {
            let (claim, since) = connection.claim(now)?;
            Some(((claim, Reverse(self.count(connection.peer())), since), connection))
        });
        ranked.min_by_key(|(rank, _)| *rank).map(|(_, connection)| Arc::clone(connection))
    }

    fn forget(&mut self, now: Instant) {
        if self.peers.len() < REMEMBERED + self.connections.len() {
            return;
        }
        let rate = self.limits.rate;
        self.peers.retain(|_, record| record.count > 0 || !record.bucket.is_full(rate, now));
        if self.peers.len() >= REMEMBERED + self.connections.len() {
            self.peers.retain(|_, record| record.count > 0);
        }
    }
}
