//! Upstream's paging suites: ListContinuation, ListPaging, ListInconsistentContinuation, ListPaginationRareObject.

use std::time::Duration;

use plimsoll_apiserver::storage::{AtError, HistoryLimits, Snapshot, Store};

use super::support::*;

const COUNT: usize = 50;

async fn filled(store: &Store) {
    for n in 0..COUNT {
        create(store, &pod(["a", "b", "c"][n % 3], &format!("n{n:02}")), n).await.unwrap();
    }
}

/// One page, and where the next begins.
fn page(snapshot: &Snapshot, after: Option<&(String, String)>, limit: usize) -> (Vec<String>, Option<(String, String)>) {
    let after = after.map(|(namespace, name)| (namespace.as_str(), name.as_str()));
    let mut list = snapshot.list("core/pods", None, after);
    let page: Vec<_> =
        list.by_ref().take(limit).map(|record| (record.key.namespace.to_string(), record.key.name.to_string())).collect();
    let next = list.next().and_then(|_| page.last().cloned());
    (page.into_iter().map(|(namespace, name)| format!("{namespace}/{name}")).collect(), next)
}

#[tokio::test]
async fn list_continuation_serves_every_page_at_the_first_pages_revision() {
    let store = memory();
    filled(&store).await;
    let whole = page(&store.snapshot(), None, COUNT).0;
    for limit in [1, 2, 7, 49, 50, 51] {
        let revision = store.snapshot().revision();
        let (mut all, mut next) = page(&store.snapshot(), None, limit);
        while let Some(after) = next {
            // Others write between the pages.
            let key = pod("b", "zz");
            match store.snapshot().get(&key).map(|record| record.revision) {
                Some(at) => delete(&store, &key, at).await.unwrap(),
                None => create(&store, &key, 0).await.unwrap(),
            };
            let (more, then) = page(&store.snapshot_at(revision).unwrap(), Some(&after), limit);
            all.extend(more);
            next = then;
        }
        let mut expected = whole.clone();
        if all.len() > COUNT {
            expected.insert(expected.iter().position(|name| name.starts_with("c/")).unwrap(), "b/zz".to_owned());
        }
        assert_eq!(all, expected, "limit {limit}");
    }
}

#[tokio::test]
async fn list_inconsistent_continuation_goes_on_at_the_latest_revision() {
    let limits = HistoryLimits { age: Duration::from_secs(300), events: 5, bytes: usize::MAX };
    let store = memory_with(limits);
    filled(&store).await;
    let revision = store.snapshot().revision();
    let (first, after) = page(&store.snapshot(), None, 10);
    for n in 0..20 {
        create(&store, &pod("c", &format!("later{n}")), n).await.unwrap();
    }
    let oldest = store.snapshot().revision() - 5;
    assert_eq!(store.snapshot_at(revision).unwrap_err(), AtError::Compacted { oldest });
    assert!(store.snapshot_at(oldest).is_ok());
    let (rest, _) = page(&store.snapshot(), after.as_ref(), 1000);
    assert_eq!(first.len() + rest.len(), COUNT + 20);
}

#[tokio::test]
async fn a_kept_snapshot_outlives_the_history() {
    let store = memory_with(HistoryLimits { events: 0, ..HistoryLimits::default() });
    filled(&store).await;
    let first = store.snapshot();
    store.keep(&first);
    create(&store, &pod("a", "later"), 1).await.unwrap();
    assert_eq!(store.snapshot_at(first.revision()).unwrap().total(), COUNT);
    for n in 0..8 {
        create(&store, &pod("b", &format!("later{n}")), 1).await.unwrap();
        store.keep(&store.snapshot());
    }
    assert!(store.snapshot_at(first.revision()).is_err(), "eight are kept, the least recently used goes");
}

#[tokio::test(start_paused = true)]
async fn the_past_is_forgotten_after_its_time() {
    let store = memory();
    create(&store, &pod("a", "x"), 1).await.unwrap();
    store.keep(&store.snapshot());
    create(&store, &pod("a", "y"), 1).await.unwrap();
    tokio::time::advance(Duration::from_secs(299)).await;
    create(&store, &pod("a", "z"), 1).await.unwrap();
    assert_eq!(store.snapshot_at(1).unwrap().total(), 0, "five minutes are not over");
    tokio::time::advance(Duration::from_secs(2)).await;
    create(&store, &pod("a", "w"), 1).await.unwrap();
    assert_eq!(store.snapshot_at(2).unwrap_err(), AtError::Compacted { oldest: 3 }, "neither in the history nor kept any more");
    assert_eq!(store.snapshot_at(3).unwrap().total(), 2);
}
