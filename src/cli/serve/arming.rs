//! Logs when policies begin or cease to decide placement, so that a policy set that was deleted by mistake is noticed.

use std::sync::Arc;

use crate::decision::{Config, evaluate};
use crate::snapshot::Store;

/// Logs whether the policies define the placement path, at first and after each change. Runs until the store ends.
pub async fn tell(store: Arc<Store>, config: Arc<Config>) {
    let mut published = store.subscribe();
    let mut before = None;
    loop {
        published.borrow_and_update();
        let snapshot = store.load();
        // While policies are still being loaded nothing is known.
        if snapshot.ready() {
            let now = evaluate::armed(&snapshot.policies.program, &config);
            log(before.replace(now), now, &config);
        }
        if published.changed().await.is_err() {
            return;
        }
    }
}

fn log(before: Option<bool>, now: bool, config: &Config) {
    let path = config.placement_path.join("/");
    match (before, now) {
        (Some(true), true) | (Some(false), false) => {}
        (_, true) => tracing::info!(%path, "armed: policy decides"),
        (_, false) if config.release_when_disarmed => {
            tracing::warn!(%path, "disarmed: no policy defines the placement path; originals are restored (--when-disarmed=release)");
        }
        (_, false) => {
            tracing::warn!(%path, "disarmed: no policy defines the placement path; new objects are admitted untouched, placements are kept");
        }
    }
}
