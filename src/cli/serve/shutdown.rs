//! Stops an engine in order: first it is not ready, then it answers what has begun. A second signal ends this at once.

use std::io;
use std::time::Duration;

use actix_web::dev::ServerHandle;
use futures::future::join_all;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;
use tokio::time::sleep;

use crate::server::Phase;

/// The signals that ask the process to end: SIGTERM and SIGINT.
#[derive(Debug)]
pub struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

/// How the engine ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Every request that had begun was answered, or timed out.
    Drained,
    /// A second signal came first.
    Aborted,
}

impl Signals {
    /// Begins to listen for the signals, which do not end the process from here on. Fails when the operating system refuses.
    pub fn listen() -> io::Result<Self> {
        Ok(Self { terminate: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())? })
    }

    /// Waits for the next signal.
    pub async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

/// Marks the engine as not ready, waits for `delay` so that load balancers notice, then stops the servers. Returns how that ended.
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
