//! Garbage collection by `ownerReferences`: what has no owner left goes; owners that are deleted in the foreground wait for
//! their dependents, and those that leave orphans wait until nothing points to them. Source: `kubernetes`
//! `pkg/controller/garbagecollector`, without its graph: the objects are here, so a pass looks at them.

mod pass;

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::server::ApiServer;

/// Between passes, at least.
const PAUSE: Duration = Duration::from_millis(200);
/// A pass takes at most this share of the time.
const SHARE: u32 = 20;
/// After a pass that could not do all.
const AGAIN: Duration = Duration::from_secs(5);
/// Without any write we look so often whether the store is still open.
const IDLE: Duration = Duration::from_secs(60);

/// Collects garbage after writes, until the server is gone.
pub async fn run(server: Arc<ApiServer>) {
    let mut seen = 0;
    loop {
        let started = Instant::now();
        // A pass that changed something is followed by another one: its writes are news as well.
        let revision = server.store.snapshot().revision();
        // Nothing of it is admitted while nobody knows who judges it.
        let finished = server.knows_configurations() && pass::run(&server).await;
        seen = revision.max(seen);
        sleep(PAUSE.max(started.elapsed() * SHARE)).await;
        // Nothing new within the time is no error: we look again.
        while finished && server.store.wait_for(seen + 1, IDLE).await.is_err() {}
        if !finished {
            sleep(AGAIN).await;
        }
    }
}
