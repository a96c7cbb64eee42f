//! Asks the engine for its status now and then, and at once when its epoch changes.

use std::sync::Arc;
use std::time::Duration;

use plimsoll_contract::status::Status;
use tokio::sync::watch;

use super::Engine;
use crate::health::Condition;

/// While the engine is ready and all is decided.
const CALM: Duration = Duration::from_secs(5);
/// While it is not, or not there: repair waits for what is said next.
const EAGER: Duration = Duration::from_millis(500);

/// The latest status; `None` while the engine does not answer.
pub type View = watch::Receiver<Option<Arc<Status>>>;

/// Runs for ever; `answers` is met while the engine does, and lapses with it: what the engine knows ages from then on.
pub async fn run(engine: Arc<Engine>, view: watch::Sender<Option<Arc<Status>>>, answers: Condition) {
    let mut epoch = engine.epoch();
    loop {
        let status = match engine.status().await {
            Ok(status) => {
                answers.met();
                Some(Arc::new(status))
            }
            Err(error) => {
                answers.lapsed(error);
                None
            }
        };
        let is_calm = status.as_ref().is_some_and(|status| is_calm(status));
        view.send_replace(status);
        epoch.mark_unchanged();
        tokio::select! {
            () = tokio::time::sleep(if is_calm { CALM } else { EAGER }) => {}
            _ = epoch.changed() => {}
        }
    }
}

/// Whether nobody waits for what the engine says next.
fn is_calm(status: &Status) -> bool {
    let is_decided = status.decided.is_none_or(|decided| decided.revision >= status.revision);
    status.ready && status.stale.is_empty() && is_decided
}
