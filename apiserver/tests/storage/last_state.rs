//! An object that gets a last state and goes, in one write; and objects that are kept apart until they are initialized.

use plimsoll_apiserver::storage::{Change, Expect, Key, Options, Store, Write, WriteError};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use super::support::*;

fn last(key: &Key, at: u64, value: u64) -> Write {
    Write { key: key.clone(), expect: Expect::Revision(at), change: Change::PutAndDelete(object(key, value)) }
}

#[tokio::test]
async fn both_or_neither_happen_and_who_watches_sees_both() {
    let store = memory();
    let (x, start) = (pod("a", "x"), store.snapshot().revision());
    let first = create(&store, &x, 1).await.unwrap();
    let refused = store.write(last(&x, first.revision + 1, 2)).await.unwrap_err();
    assert!(matches!(refused, WriteError::Conflict { current: Some(_) }), "{refused}");
    assert_eq!(store.snapshot().revision(), first.revision, "neither");
    let written = store.write(last(&x, first.revision, 2)).await.unwrap();
    assert_eq!((value_of(&written), written.revision), (json!(2), first.revision + 1));
    let snapshot = store.snapshot();
    assert_eq!((snapshot.get(&x).is_none(), snapshot.revision(), snapshot.total()), (true, first.revision + 2, 0));
    let events = store.history("core/pods").since(start).unwrap().next_batch().await.unwrap();
    let lines: Vec<String> = events.iter().map(|event| line(event)).collect();
    assert_eq!(lines, ["ADDED a/x=1@2", "MODIFIED a/x=2@3", "DELETED a/x=2@4"]);
    let between = store.snapshot_at(written.revision).unwrap();
    assert_eq!(between.get(&x).map(|record| value_of(record)), Some(json!(2)), "the past has it");
    create(&store, &x, 3).await.unwrap();
}

#[tokio::test]
async fn it_is_gone_after_a_restart_and_its_revisions_are_not_given_again() {
    let directory = TempDir::new().unwrap();
    let open = || Store::open(Options { path: Some(directory.path().to_owned()), fsync: false, ..Options::default() }).unwrap();
    let store = open();
    let (x, y) = (pod("a", "x"), pod("a", "y"));
    let first = create(&store, &x, 1).await.unwrap();
    store.write(last(&x, first.revision, 2)).await.unwrap();
    let gone = store.snapshot().revision();
    store.close();
    let store = open();
    assert!(store.snapshot().get(&x).is_none());
    assert_eq!(create(&store, &y, 1).await.unwrap().revision, gone + 1);
    store.close();
}

#[tokio::test]
async fn what_is_not_initialized_is_kept_apart_through_every_change_and_restart() {
    let directory = TempDir::new().unwrap();
    let open = || Store::open(Options { path: Some(directory.path().to_owned()), fsync: false, ..Options::default() }).unwrap();
    let names = |store: &Store| store.snapshot().uninitialized().map(|record| record.key.name.to_string()).collect::<Vec<_>>();
    let with = |key: &Key, initializers: Json| {
        let mut object = object(key, 1);
        object["metadata"]["initializers"] = initializers;
        object
    };
    let put = async |store: &Store, name: &str, initializers: Json| {
        let key = pod("a", name);
        let expect = store.snapshot().get(&key).map_or(Expect::Absent, |record| Expect::Revision(record.revision));
        store.write(Write { change: Change::Put(with(&key, initializers)), key, expect }).await.unwrap().revision
    };
    let pending = json!({"pending": [{"name": "a.b.c"}]});
    let store = open();
    for name in ["x", "y", "z"] {
        put(&store, name, pending.clone()).await;
    }
    let before = store.snapshot();
    put(&store, "w", Json::Null).await;
    assert!(store.snapshot().has_same_uninitialized(&before), "what is initialized changes nothing");
    let revision = put(&store, "x", Json::Null).await;
    assert_eq!(names(&store), ["y", "z"]);
    assert!(!store.snapshot().has_same_uninitialized(&before));
    let past: Vec<_> =
        store.snapshot_at(revision - 1).unwrap().uninitialized().map(|record| record.key.name.to_string()).collect();
    assert_eq!(past, ["x", "y", "z"]);
    store.close();
    let store = open();
    assert_eq!(names(&store), ["y", "z"]);
    let at = store.snapshot().get(&pod("a", "y")).unwrap().revision;
    delete(&store, &pod("a", "y"), at).await.unwrap();
    assert_eq!(names(&store), ["z"]);
    store.close();
}
