//! Starting and leaving.

use super::support::{bare, eventually};

#[tokio::test]
async fn leaving_is_said_first_and_requests_are_still_answered() {
    let mut engine = bare(&["--shutdown-delay=3s"]);
    assert_eq!(engine.get("/health/ready").await.status, 200);
    engine.signal("TERM");
    eventually("readiness is red", async || (engine.get("/health/ready").await.status == 500).then_some(())).await;
    assert!(engine.get("/health/ready").await.text.contains("shutting down"));
    assert_eq!(engine.get("/health/live").await.status, 200);
    assert_eq!(engine.get("/v1/data").await.status, 200);
    assert_eq!(engine.get("/plimsoll/v1/status").await.json()["ready"], false);
    assert!(engine.ended().await.success());
}

#[tokio::test]
async fn a_second_signal_ends_it_at_once() {
    let mut engine = bare(&["--shutdown-delay=1h"]);
    engine.signal("TERM");
    eventually("readiness is red", async || (engine.get("/health/ready").await.status == 500).then_some(())).await;
    engine.signal("INT");
    assert!(!engine.ended().await.success());
}

#[tokio::test]
async fn every_process_has_its_own_epoch() {
    let (first, second) = (bare(&[]), bare(&[]));
    let epoch = async |engine: &super::support::Engine| engine.get("/health").await.header("plimsoll-epoch").to_owned();
    assert_ne!(epoch(&first).await, epoch(&second).await);
}
