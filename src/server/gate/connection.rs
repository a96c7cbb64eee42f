//! One connection, and what is done on it.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use actix_web::body::{BodySize, BoxBody, MessageBody};
use bytes::Bytes;
use tokio::sync::Notify;

use super::Peer;

/// A request that takes longer waits for its own body, or for its turn behind others that do.
const STALLED: Duration = Duration::from_secs(10);
/// An answer that takes longer is not being read, or is a stream whose reader will ask again.
const UNREAD: Duration = Duration::from_secs(60);

/// The phase of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Phase {
    /// Nothing was sent yet.
    Silent,
    /// The handshake, or the first headers.
    Opening,
    /// Between two requests.
    Idle,
    /// A request is read and worked on.
    Asking,
    /// Its answer is sent.
    Answering,
}

/// The order in which connections are closed for a new one: the lowest goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Claim {
    /// Nothing was asked yet.
    None,
    /// Nothing is asked now.
    Idle,
    /// What is asked does not come.
    Stalled,
    /// What is answered is not taken.
    Unread,
}

/// One connection.
#[derive(Debug)]
pub struct Connection {
    peer: Peer,
    began: Instant,
    /// Milliseconds since `began`, then three bits of phase.
    state: AtomicU64,
    evicted: Notify,
}

impl Connection {
    pub(super) fn new(peer: Peer) -> Self {
        Self { peer, began: Instant::now(), state: AtomicU64::new(Phase::Silent as u64), evicted: Notify::new() }
    }

    /// Returns where it comes from.
    pub fn peer(&self) -> Peer {
        self.peer
    }

    /// From now on.
    pub fn turn(&self, phase: Phase) {
        let since = u64::try_from(self.began.elapsed().as_millis()).unwrap_or_default();
        self.state.store((since << 3) | phase as u64, Ordering::Relaxed);
    }

    /// Returns its rank in that order, and since when; `None` while it must not be closed.
    pub(super) fn claim(&self, now: Instant) -> Option<(Claim, Instant)> {
        let state = self.state.load(Ordering::Relaxed);
        let since = self.began + Duration::from_millis(state >> 3);
        let older = |limit| now.saturating_duration_since(since) > limit;
        let claim = match state & 7 {
            0 | 1 => Claim::None,
            2 => Claim::Idle,
            3 if older(STALLED) => Claim::Stalled,
            4 if older(UNREAD) => Claim::Unread,
            _ => return None,
        };
        Some((claim, since))
    }

    pub(super) fn evict(&self) {
        self.evicted.notify_one();
    }

    /// Resolves when it has lost its place.
    pub(super) async fn evicted(&self) {
        self.evicted.notified().await;
    }
}

/// A body that says when it was sent: then the connection is idle.
pub struct Watched {
    body: BoxBody,
    connection: Arc<Connection>,
}

impl Watched {
    /// From now on, it is being sent.
    pub fn new(body: BoxBody, connection: Arc<Connection>) -> Self {
        connection.turn(Phase::Answering);
        Self { body, connection }
    }
}

impl MessageBody for Watched {
    type Error = Box<dyn std::error::Error>;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, Self::Error>>> {
        Pin::new(&mut self.get_mut().body).poll_next(context)
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.connection.turn(Phase::Idle);
    }
}
