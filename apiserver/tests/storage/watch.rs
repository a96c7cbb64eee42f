//! Upstream's watcher suites: Watch, WatchFromZero, WatchFromNonZero, DeleteTriggerWatch, DelayedWatchDelivery,
//! WatchDeleteEventObjectHaveLatestRV, WatchContextCancel, WatchDispatchBookmarkEvents, as far as they are the store's.

use std::time::Duration;

use plimsoll_apiserver::storage::{Compacted, Cursor, CursorEnd, HistoryLimits};
use serde_json::json;

use super::support::*;

const PODS: &str = "core/pods";

async fn lines(cursor: &mut Cursor, count: usize) -> Vec<String> {
    let mut lines = Vec::new();
    while lines.len() < count {
        lines.extend(cursor.next_batch().await.unwrap().iter().map(|event| line(event)));
    }
    lines
}

#[tokio::test]
async fn watch_from_non_zero_gives_what_came_after() {
    let store = memory();
    let x = create(&store, &pod("a", "x"), 1).await.unwrap();
    let mut before = store.history(PODS).since(x.revision - 1).unwrap();
    let mut after = store.history(PODS).since(x.revision).unwrap();
    let x2 = update(&store, &x.key, x.revision, 2).await.unwrap();
    create(&store, &key("core/secrets", "a", "other"), 1).await.unwrap();
    delete(&store, &x.key, x2.revision).await.unwrap();
    assert_eq!(lines(&mut before, 3).await, ["ADDED a/x=1@2", "MODIFIED a/x=2@3", "DELETED a/x=2@5"]);
    assert_eq!(lines(&mut after, 2).await, ["MODIFIED a/x=2@3", "DELETED a/x=2@5"]);
}

#[tokio::test]
async fn watch_from_zero_is_a_snapshot_and_what_came_after_it() {
    let store = memory();
    create(&store, &pod("a", "x"), 1).await.unwrap();
    let snapshot = store.snapshot();
    assert_eq!(snapshot.list(PODS, None, None).count(), 1);
    let mut cursor = store.history(PODS).since(snapshot.revision()).unwrap();
    assert!(futures::poll!(Box::pin(cursor.next_batch())).is_pending());
    create(&store, &pod("a", "y"), 1).await.unwrap();
    assert_eq!(lines(&mut cursor, 1).await, ["ADDED a/y=1@3"]);
}

#[tokio::test]
async fn watch_delete_event_object_has_latest_revision_and_previous_state() {
    let store = memory();
    let x = create(&store, &pod("a", "x"), 1).await.unwrap();
    let mut cursor = store.history(PODS).since(x.revision).unwrap();
    let gone = delete(&store, &x.key, x.revision).await.unwrap();
    let events = cursor.next_batch().await.unwrap();
    assert_eq!(json_of(&events[0].record)["metadata"]["resourceVersion"], json!(gone.revision.to_string()));
    assert_eq!(events[0].previous.as_ref().unwrap().revision, x.revision);
    let sent: serde_json::Value = serde_json::from_slice(events[0].line()).unwrap();
    assert_eq!(sent, json!({"type": "DELETED", "object": json_of(&gone)}));
    assert!(events[0].line().ends_with(b"}\n"));
}

#[tokio::test]
async fn delayed_watch_delivery_waits_and_wakes() {
    let store = memory();
    let mut cursor = store.history(PODS).since(1).unwrap();
    let waiting = tokio::spawn(async move { cursor.next_batch().await.unwrap().len() });
    tokio::task::yield_now().await;
    create(&store, &key("core/secrets", "a", "other"), 1).await.unwrap();
    assert!(!waiting.is_finished(), "another collection wakes nobody");
    create(&store, &pod("a", "x"), 1).await.unwrap();
    assert_eq!(waiting.await.unwrap(), 1);
}

#[tokio::test]
async fn a_cancelled_wait_loses_nothing() {
    let store = memory();
    let mut cursor = store.history(PODS).since(1).unwrap();
    for n in 0..20 {
        assert!(futures::poll!(Box::pin(cursor.next_batch())).is_pending());
        create(&store, &pod("a", &format!("n{n}")), n).await.unwrap();
        assert_eq!(lines(&mut cursor, 1).await, [format!("ADDED a/n{n}={n}@{}", n + 2)]);
    }
}

#[tokio::test]
async fn a_watch_from_the_future_gets_nothing_older() {
    let store = memory();
    let mut cursor = store.history(PODS).since(4).unwrap();
    for n in 0..4 {
        create(&store, &pod("a", &format!("n{n}")), n).await.unwrap();
    }
    assert_eq!(cursor.progress(), 4, "it has not seen the event at 5");
    assert_eq!(lines(&mut cursor, 1).await, ["ADDED a/n3=3@5"]);
}

#[tokio::test]
async fn bookmarks_advance_without_events_and_never_past_one() {
    let store = memory();
    let mut cursor = store.history(PODS).since(1).unwrap();
    assert_eq!(cursor.progress(), 1);
    create(&store, &key("core/secrets", "a", "other"), 1).await.unwrap();
    assert_eq!(cursor.progress(), 2);
    create(&store, &pod("a", "x"), 1).await.unwrap();
    create(&store, &key("core/secrets", "a", "another"), 1).await.unwrap();
    assert_eq!(cursor.progress(), 2, "the event at 3 has not been delivered");
    assert_eq!(lines(&mut cursor, 1).await, ["ADDED a/x=1@3"]);
    assert_eq!(cursor.progress(), 4);
}

#[tokio::test]
async fn a_slow_reader_is_told_so_and_blocks_nobody() {
    let store = memory_with(HistoryLimits { events: 10, ..HistoryLimits::default() });
    let history = store.history(PODS);
    let mut slow = history.since(1).unwrap();
    for n in 0..30u64 {
        create(&store, &pod("a", &format!("n{n}")), n).await.unwrap();
    }
    assert_eq!(slow.next_batch().await.unwrap_err(), CursorEnd::Lagged { oldest: 21 });
    assert_eq!(slow.next_batch().await.unwrap_err(), CursorEnd::Lagged { oldest: 21 }, "for good");
    assert_eq!(slow.progress(), 1, "and it claims to have seen nothing");
    assert_eq!(history.since(20).err(), Some(Compacted { oldest: 21 }));
    let mut at_the_edge = history.since(21).unwrap();
    assert_eq!(lines(&mut at_the_edge, 10).await.len(), 10);
}

#[tokio::test]
async fn a_quiet_collection_keeps_its_place_beside_a_busy_one() {
    let store = memory_with(HistoryLimits { events: 10, ..HistoryLimits::default() });
    let mut quiet = store.history("core/secrets").since(1).unwrap();
    for n in 0..30u64 {
        create(&store, &pod("a", &format!("n{n}")), n).await.unwrap();
    }
    assert!(store.history("core/secrets").since(1).is_ok(), "it has lost no event");
    create(&store, &key("core/secrets", "a", "s"), 1).await.unwrap();
    assert_eq!(lines(&mut quiet, 1).await, ["ADDED a/s=1@32"]);
}

#[tokio::test]
async fn history_is_bounded_by_bytes() {
    let limit = 100_000;
    let store = memory_with(HistoryLimits { bytes: limit, ..HistoryLimits::default() });
    for n in 0..100u64 {
        create(&store, &pod("a", &format!("n{n}")), "x".repeat(5_000)).await.unwrap();
    }
    let oldest = store.history(PODS).oldest();
    let kept = store.snapshot().revision() - oldest;
    assert!((10..=20).contains(&kept), "{kept} events of more than 5,000 bytes within {limit}");
}

#[tokio::test]
async fn closing_the_store_ends_watches_after_their_last_event() {
    let store = memory();
    let mut idle = store.history("core/secrets").since(1).unwrap();
    let mut behind = store.history(PODS).since(1).unwrap();
    let waiting = tokio::spawn(async move { idle.next_batch().await.unwrap_err() });
    create(&store, &pod("a", "x"), 1).await.unwrap();
    store.clone().close();
    assert_eq!(waiting.await.unwrap(), CursorEnd::Closed);
    assert_eq!(lines(&mut behind, 1).await, ["ADDED a/x=1@2"]);
    assert_eq!(behind.next_batch().await.unwrap_err(), CursorEnd::Closed);
    let mut late = store.history("core/configmaps").since(2).unwrap();
    let end = tokio::time::timeout(Duration::from_secs(60), late.next_batch()).await.unwrap();
    assert_eq!(end.unwrap_err(), CursorEnd::Closed);
}
