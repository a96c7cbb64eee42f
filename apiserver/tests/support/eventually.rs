//! Waiting for what comes in its own time.

use std::time::Duration;

/// Longer than anything takes that is not broken.
const PATIENCE: Duration = Duration::from_secs(60);

/// Waits, for a minute at most.
pub(crate) async fn eventually<T>(mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let found = async {
        loop {
            if let Some(found) = look().await {
                return found;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(PATIENCE, found).await.expect("what is waited for, in time")
}
