//! Upstream's storage contract (apiserver/pkg/storage/testing/store_tests.go), by the names of its suites, as far as it is
//! the store's: typed objects, selectors and retries are its callers'.

use plimsoll_apiserver::storage::{AtError, Change, Expect, OBJECT_LIMIT, Write, WriteError};
use serde_json::json;
use std::time::Duration;

use super::support::*;

#[tokio::test]
async fn create_stamps_the_revision_and_is_read_back() {
    let store = memory();
    let before = store.snapshot().revision();
    let record = create(&store, &pod("a", "x"), 1).await.unwrap();
    assert_eq!(record.revision, before + 1);
    assert_eq!(record.created, record.revision);
    assert_eq!(json_of(&record)["metadata"]["resourceVersion"], json!(record.revision.to_string()));
    let snapshot = store.snapshot();
    assert_eq!(snapshot.revision(), record.revision);
    assert_eq!(snapshot.get(&pod("a", "x")).unwrap().value, record.value);
}

#[tokio::test]
async fn create_replaces_a_resource_version_that_the_caller_left_in() {
    let store = memory();
    let mut with = object(&pod("a", "x"), 1);
    with["metadata"]["resourceVersion"] = json!("999");
    let record = store.write(Write { key: pod("a", "x"), expect: Expect::Absent, change: Change::Put(with) }).await.unwrap();
    assert_eq!(json_of(&record)["metadata"]["resourceVersion"], json!("2"));
}

#[tokio::test]
async fn create_with_key_exist() {
    let store = memory();
    let first = create(&store, &pod("a", "x"), 1).await.unwrap();
    let error = create(&store, &pod("a", "x"), 2).await.unwrap_err();
    let WriteError::Conflict { current: Some(current) } = error else { panic!("{error}") };
    assert_eq!(current.revision, first.revision);
    assert_eq!(store.snapshot().revision(), first.revision, "a refused write takes no revision");
}

#[tokio::test]
async fn get_of_nothing_and_of_a_neighbour() {
    let store = memory();
    create(&store, &pod("a", "x"), 1).await.unwrap();
    let snapshot = store.snapshot();
    for absent in [pod("a", "y"), pod("b", "x"), pod("", "x"), key("core/pod", "a", "x"), key("core/podsx", "a", "x")] {
        assert!(snapshot.get(&absent).is_none(), "{absent:?}");
    }
}

#[tokio::test]
async fn guaranteed_update_with_conflict() {
    let store = memory();
    let key = pod("a", "x");
    let first = create(&store, &key, 1).await.unwrap();
    let second = update(&store, &key, first.revision, 2).await.unwrap();
    assert_eq!((second.revision, second.created), (first.revision + 1, first.created));
    let cases = [first.revision, 0, second.revision + 1, u64::MAX];
    for stale in cases {
        let error = update(&store, &key, stale, 3).await.unwrap_err();
        let WriteError::Conflict { current: Some(current) } = error else { panic!("{stale}: {error}") };
        assert_eq!(current.revision, second.revision, "{stale}");
    }
    assert_eq!(value_of(store.snapshot().get(&key).unwrap()), 2);
}

#[tokio::test]
async fn conditional_delete() {
    let store = memory();
    let key = pod("a", "x");
    let error = delete(&store, &key, 2).await.unwrap_err();
    assert!(matches!(error, WriteError::Conflict { current: None }), "{error}");
    let first = create(&store, &key, 1).await.unwrap();
    let second = update(&store, &key, first.revision, 2).await.unwrap();
    let error = delete(&store, &key, first.revision).await.unwrap_err();
    assert!(matches!(error, WriteError::Conflict { current: Some(_) }), "{error}");
    let gone = delete(&store, &key, second.revision).await.unwrap();
    assert_eq!((gone.revision, gone.created), (second.revision + 1, first.created));
    assert_eq!(value_of(&gone), 2, "the last state");
    assert_eq!(json_of(&gone)["metadata"]["resourceVersion"], json!(gone.revision.to_string()));
    assert!(store.snapshot().get(&key).is_none());
    let error = delete(&store, &key, second.revision).await.unwrap_err();
    assert!(matches!(error, WriteError::Conflict { current: None }), "{error}");
    let again = create(&store, &key, 3).await.unwrap();
    assert_eq!((again.revision, again.created), (gone.revision + 1, gone.revision + 1));
}

#[tokio::test]
async fn list_is_consistent_and_ordered() {
    let store = memory();
    for (namespace, name) in [("b", "x"), ("a", "z"), ("a", "y")] {
        create(&store, &pod(namespace, name), 1).await.unwrap();
    }
    let before = store.snapshot();
    create(&store, &pod("a", "a"), 1).await.unwrap();
    let names = |snapshot: &plimsoll_apiserver::storage::Snapshot| {
        let list = snapshot.list("core/pods", None, None);
        list.map(|record| format!("{}/{}", record.key.namespace, record.key.name)).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(names(&before), "a/y a/z b/x", "a snapshot does not change");
    assert_eq!(names(&store.snapshot()), "a/a a/y a/z b/x");
}

#[tokio::test]
async fn namespace_scoped_list_does_not_leak_by_prefix() {
    let store = memory();
    for collection in ["g/set", "g/sets", "g/sets/status", "g/se"] {
        for namespace in ["a", "ab", "a-b", ""] {
            create(&store, &key(collection, namespace, "x"), 1).await.unwrap();
        }
    }
    let snapshot = store.snapshot();
    for collection in ["g/set", "g/sets", "g/se"] {
        assert_eq!(snapshot.count(collection, None), 4);
        for namespace in ["a", "ab", "a-b", ""] {
            let found: Vec<_> = snapshot.list(collection, Some(namespace), None).map(|record| record.key.clone()).collect();
            assert_eq!(found, [key(collection, namespace, "x")]);
        }
    }
}

#[tokio::test]
async fn count_follows_creations_and_deletions() {
    let store = memory();
    let mut expected = 0;
    let mut dice = Dice::new(7);
    for step in 0..200 {
        let key = pod(["a", "b"][dice.below(2) as usize], &format!("n{}", dice.below(20)));
        match store.snapshot().get(&key) {
            Some(record) => delete(&store, &key, record.revision).await.map(|_| expected -= 1).unwrap(),
            None => create(&store, &key, step).await.map(|_| expected += 1).unwrap(),
        }
        let snapshot = store.snapshot();
        assert_eq!(snapshot.count("core/pods", None), expected);
        assert_eq!(snapshot.count("core/pods", Some("a")), snapshot.list("core/pods", Some("a"), None).count());
    }
}

#[tokio::test]
async fn list_resource_version_match_exact_reads_every_revision_of_the_past() {
    let store = memory();
    let mut dice = Dice::new(3);
    let mut past = vec![store.snapshot()];
    for step in 0..300 {
        let key = pod("a", &format!("n{}", dice.below(12)));
        let current = store.snapshot().get(&key).map(|record| record.revision);
        match current {
            None => create(&store, &key, step).await.unwrap(),
            Some(at) if dice.below(3) == 0 => delete(&store, &key, at).await.unwrap(),
            Some(at) => update(&store, &key, at, step).await.unwrap(),
        };
        past.push(store.snapshot());
    }
    for expected in past.iter().rev().chain(&past) {
        let found = store.snapshot_at(expected.revision()).unwrap();
        assert_eq!(found.revision(), expected.revision());
        assert_eq!(found.total(), expected.total());
        let (mut left, mut right) = (found.list("core/pods", None, None), expected.list("core/pods", None, None));
        assert!(left.by_ref().zip(right.by_ref()).all(|(left, right)| left.value == right.value && left.key == right.key));
    }
    let current = store.snapshot().revision();
    assert_eq!(store.snapshot_at(current + 1).unwrap_err(), AtError::Future { current });
    assert_eq!(store.snapshot_at(0).unwrap_err(), AtError::Compacted { oldest: 1 });
}

#[tokio::test]
async fn revisions_inside_of_a_commit_can_be_read_too() {
    let store = memory();
    let keys: Vec<_> = (0..64).map(|n| pod("a", &format!("n{n}"))).collect();
    let writes = keys.iter().map(|key| create(&store, key, 1));
    let records: Vec<_> = futures::future::join_all(writes).await.into_iter().map(Result::unwrap).collect();
    for record in records {
        let then = store.snapshot_at(record.revision).unwrap();
        assert_eq!(then.total() as u64, record.revision - 1);
        assert!(then.get(&record.key).is_some());
        assert!(store.snapshot_at(record.revision - 1).unwrap().get(&record.key).is_none());
    }
}

#[tokio::test]
async fn list_not_older_than_waits_for_the_revision_and_no_longer_than_allowed() {
    let store = memory();
    let late = store.wait_for(2, Duration::from_millis(5)).await.unwrap_err();
    assert_eq!(late, AtError::Future { current: 1 });
    let waiting = tokio::spawn({
        let store = store.clone();
        async move { store.wait_for(2, Duration::from_secs(3600)).await }
    });
    tokio::task::yield_now().await;
    create(&store, &pod("a", "x"), 1).await.unwrap();
    assert_eq!(waiting.await.unwrap().unwrap().revision(), 2);
    assert_eq!(store.wait_for(1, Duration::ZERO).await.unwrap().revision(), 2, "what is there needs no waiting");
}

#[tokio::test]
async fn bad_input_is_refused_and_takes_no_revision() {
    let store = memory();
    let put = |key, object| Write { key, expect: Expect::Absent, change: Change::Put(object) };
    let fine = json!({"metadata": {}});
    let cases = [
        put(key("", "a", "x"), fine.clone()),
        put(key("c", "a", ""), fine.clone()),
        put(key("c", "a\0b", "x"), fine.clone()),
        put(key("c", "a", &"x".repeat(1025)), fine),
        put(pod("a", "x"), json!("text")),
        put(pod("a", "x"), json!({"kind": "Pod"})),
    ];
    for case in cases {
        let error = store.write(case).await.unwrap_err();
        assert!(matches!(error, WriteError::Malformed(_)), "{error}");
    }
    let error = create(&store, &pod("a", "x"), "x".repeat(OBJECT_LIMIT)).await.unwrap_err();
    assert!(matches!(error, WriteError::TooLarge { .. }), "{error}");
    create(&store, &pod("a", "x"), "x".repeat(OBJECT_LIMIT - 1000)).await.unwrap();
    assert_eq!(store.snapshot().revision(), 2);
}

#[tokio::test]
async fn after_close_reads_stay_and_writes_are_refused() {
    let store = memory();
    create(&store, &pod("a", "x"), 1).await.unwrap();
    store.clone().close();
    store.clone().close();
    let error = create(&store, &pod("a", "y"), 1).await.unwrap_err();
    assert!(matches!(error, WriteError::Closed), "{error}");
    assert_eq!(store.snapshot().total(), 1);
}
