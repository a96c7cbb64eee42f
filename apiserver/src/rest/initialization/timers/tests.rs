use serde_json::json;

use super::*;
use crate::storage::{Options, Store};

const LIMIT: Duration = Duration::from_secs(5);

fn key(name: &str) -> Key {
    Key { collection: "core/configmaps".into(), namespace: "default".into(), name: name.into() }
}

fn timers() -> Timers {
    Timers { limit: LIMIT, all: BTreeMap::new() }
}

/// Stores the object with these initializers; none where there is no name.
async fn put(store: &Store, name: &str, uid: &str, pending: &[&str], more: Json) {
    let pending: Vec<Json> = pending.iter().map(|name| json!({"name": name})).collect();
    let mut metadata = json!({"name": name, "uid": uid, "labels": more});
    if !pending.is_empty() {
        metadata["initializers"] = json!({"pending": pending});
    }
    let expect = store.snapshot().get(&key(name)).map_or(Expect::Absent, |record| Expect::Revision(record.revision));
    let change = Change::Put(json!({"metadata": metadata}));
    store.write(Write { key: key(name), expect, change }).await.unwrap();
}

fn named(due: Vec<(Key, Act)>) -> Vec<String> {
    due.into_iter()
        .map(|(key, act)| match act {
            Act::PassOver(turn) => format!("{}: {}", key.name, turn.name),
            Act::Remove => format!("{}: remove", key.name),
        })
        .collect()
}

#[tokio::test]
async fn a_timer_starts_with_the_turn_and_ends_with_it() {
    let (store, mut timers) = (Store::open(Options::default()).unwrap(), timers());
    let start = Instant::now();
    let after = |millis: u64| start + Duration::from_millis(millis);
    put(&store, "x", "1", &["a.b.c", "d.e.f"], json!({})).await;
    timers.follow(&store.snapshot(), start);
    assert_eq!(timers.next(), Some(after(5_000)));
    put(&store, "x", "1", &["a.b.c", "d.e.f"], json!({"changed": "yes"})).await;
    timers.follow(&store.snapshot(), after(3_000));
    assert_eq!(timers.next(), Some(after(5_000)), "what is no answer buys no time");
    assert!(timers.due(after(4_999), 9).is_empty());
    put(&store, "x", "1", &["d.e.f"], json!({})).await;
    timers.follow(&store.snapshot(), after(4_900));
    assert_eq!(timers.next(), Some(after(9_900)), "the next one has all of its time");
    assert_eq!(named(timers.due(after(9_900), 9)), ["x: d.e.f"]);
    assert_eq!((timers.next(), timers.due(after(99_000), 9).len()), (None, 0), "acted on once");
    put(&store, "x", "1", &[], json!({})).await;
    timers.follow(&store.snapshot(), after(10_000));
    assert!(timers.all.is_empty());
}

#[tokio::test]
async fn another_object_of_the_name_has_a_timer_of_its_own() {
    let (store, mut timers) = (Store::open(Options::default()).unwrap(), timers());
    let start = Instant::now();
    put(&store, "x", "1", &["a.b.c"], json!({})).await;
    timers.follow(&store.snapshot(), start);
    put(&store, "x", "2", &["a.b.c"], json!({})).await;
    timers.follow(&store.snapshot(), start + Duration::from_secs(4));
    assert_eq!(timers.next(), Some(start + Duration::from_secs(9)));
}

#[tokio::test]
async fn what_failed_is_tried_again_and_what_is_refused_goes_at_once() {
    let (store, mut timers) = (Store::open(Options::default()).unwrap(), timers());
    let start = Instant::now();
    put(&store, "x", "1", &["a.b.c"], json!({})).await;
    let refused = json!({"metadata": {"name": "y", "uid": "2", "initializers": {"pending": [{"name": "a.b.c"}], "result": {"status": "Failure"}}}});
    store.write(Write { key: key("y"), expect: Expect::Absent, change: Change::Put(refused) }).await.unwrap();
    timers.follow(&store.snapshot(), start);
    assert_eq!(named(timers.due(start, 9)), ["y: remove"]);
    let late = start + LIMIT;
    assert_eq!(timers.due(late, 0).len(), 0, "no more than may be acted on at once");
    assert_eq!(named(timers.due(late, 9)), ["x: a.b.c"]);
    timers.acted(&key("x"), false, late);
    assert_eq!(timers.next(), Some(late + LIMIT));
    timers.acted(&key("gone"), false, late);
    assert_eq!(named(timers.due(late + LIMIT, 9)), ["x: a.b.c"]);
    timers.acted(&key("x"), true, late + LIMIT);
    assert_eq!(timers.next(), None);
}
