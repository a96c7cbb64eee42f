//! Leaving: not ready first, then drained; a second signal ends it at once.

use std::io;
use std::time::Duration;

use actix_web::dev::ServerHandle;
use futures::future::join_all;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;
use tokio::time::sleep;

use crate::server::Phase;

/// SIGTERM and SIGINT.
#[derive(Debug)]
pub struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Every request that had begun was answered, or had its time.
    Drained,
    /// A second signal.
    Aborted,
}

impl Signals {
    /// From here on the process no longer dies of them.
    pub fn listen() -> io::Result<Self> {
        Ok(Self { terminate: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())? })
    }

    /// The next one.
    pub async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

/// Stops the servers after `delay`, in which load balancers learn that this replica is not ready.
pub async fn leave(signals: &mut Signals, servers: &[ServerHandle], phase: &watch::Sender<Phase>, delay: Duration) -> Ending {
    tracing::info!(?delay, "shutting down: not ready from now on");
    let calmly = async {
        phase.send_replace(Phase::Leaving);
        sleep(delay).await;
        tracing::info!("draining");
        phase.send_replace(Phase::Draining);
        join_all(servers.iter().map(|server| server.stop(true))).await;
    };
    tokio::select! {
        () = calmly => Ending::Drained,
        () = signals.next() => {
            tracing::warn!("a second signal: stopping at once");
            phase.send_replace(Phase::Draining);
            join_all(servers.iter().map(|server| server.stop(false))).await;
            Ending::Aborted
        }
    }
}
