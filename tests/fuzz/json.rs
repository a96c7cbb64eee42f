//! JSON: as a document for policies, as a PATCH of data, as the lines of a replication.

use std::sync::LazyLock;

use parking_lot::Mutex;
use plimsoll::rego::Value;
use plimsoll::snapshot::Store;
use plimsoll::snapshot::store::StoreOptions;
use plimsoll::state::{PatchOp, Tree};
use plimsoll_contract::source::SyncMode;
use serde_json::{Value as Json, json};

use super::findings::watched;

/// Where patches find something to change.
static DATA: LazyLock<Tree> = LazyLock::new(|| {
    let mut tree = Tree::default();
    let ops = json!([{"op": "add", "path": "a", "value": {"b": [1, {"c": [[], "x"]}, null], "d/e": {"~": 1}}},
        {"op": "add", "path": "list", "value": [[1, 2], {"k": "v"}]}, {"op": "add", "path": "n", "value": 1}]);
    tree.patch(&[], &serde_json::from_value::<Vec<PatchOp>>(ops).unwrap()).unwrap();
    tree
});

/// An engine to which one source replicates pods, which it prunes, and clusters.
struct Replicated {
    store: Store,
    session: String,
}

static REPLICATED: LazyLock<Mutex<Replicated>> = LazyLock::new(|| {
    let store = Store::new(StoreOptions::default()).unwrap();
    let declare = json!({"kinds": [
        {"gvr": "v1/pods", "kind": "Pod", "namespaced": true, "prune": ["/metadata/managedFields", "/spec/containers/*/env"]},
        {"gvr": "policy.example/v1/clusters", "kind": "Cluster", "namespaced": false, "fleet": true}]});
    let session = store.declare("host", serde_json::from_value(declare).unwrap()).unwrap().session;
    Mutex::new(Replicated { store, session })
});

/// One input.
pub(super) fn run(input: &[u8]) {
    watched(|| {
        document(input);
        if let Ok(ops) = serde_json::from_slice::<Vec<PatchOp>>(input) {
            patch(&ops);
        }
        REPLICATED.lock().replicate(input);
    });
}

/// What one reader takes the other takes, what is read is the same, and it stays so when it is written and read again.
fn document(input: &[u8]) {
    let (ours, plain) = (Value::from_json(input), serde_json::from_slice::<Json>(input));
    let (ours, plain) = match (ours, plain) {
        (Ok(ours), Ok(plain)) => (ours, plain),
        (ours, plain) => {
            return assert_eq!(ours.is_ok(), plain.is_ok(), "one reader takes it: {:?}, {:?}", ours.err(), plain.err());
        }
    };
    let Some(shown) = ours.to_json() else {
        // A whole number beyond 64 bits is compared exactly, and no answer holds it: nothing else is in this way.
        return assert!(holds_large(&plain), "a document is never undefined");
    };
    let again = Value::from_json(shown.to_string().as_bytes()).expect("what was written can be read");
    // The text: a large number with a fraction, which no float holds, is written as the whole number that it became.
    assert_eq!(again.to_json().as_ref(), Some(&shown), "read, written and read again");
    // JSON's own reader makes a double of a large number with a point, ours the whole number that it is.
    if !holds_large(&plain) {
        assert_eq!(Value::from(plain).to_json().as_ref(), Some(&shown), "read as JSON first");
    }
}

fn holds_large(document: &Json) -> bool {
    match document {
        Json::Number(number) => number.is_f64() && number.as_f64().is_some_and(|number| number.abs() >= 9_007_199_254_740_992.0),
        Json::Array(items) => items.iter().any(holds_large),
        Json::Object(members) => members.values().any(holds_large),
        _ => false,
    }
}

/// All or nothing, and what is left is JSON.
fn patch(ops: &[PatchOp]) {
    for base in [&[][..], &["a".to_owned()], &["a".to_owned(), "b".to_owned()]] {
        let mut tree = DATA.clone();
        let patched = tree.patch(base, ops);
        let (before, after) = (DATA.json(&[]), tree.json(&[]));
        if !matches!(patched, Ok(true)) {
            assert_eq!(before, after, "changed, though it was said: {patched:?}");
        }
        let after = after.unwrap_or_default();
        Value::from_json(&after).expect("what was written can be read");
    }
}

impl Replicated {
    /// The lines as all objects of a kind, as changes of it, and with a header of their own; refused lines change nothing.
    fn replicate(&self, lines: &[u8]) {
        for (kind, mode) in
            [("v1/pods", SyncMode::Replace), ("v1/pods", SyncMode::Delta), ("policy.example/v1/clusters", SyncMode::Replace)]
        {
            let header = json!({"session": self.session, "kind": kind, "mode": mode});
            self.sync(&[header.to_string().as_bytes(), b"\n", lines].concat());
        }
        self.sync(lines);
    }

    fn sync(&self, body: &[u8]) {
        let before = self.store.load();
        let synced = self.store.sync("host", body);
        let after = self.store.load();
        match synced {
            Ok(synced) => assert_eq!(synced.revision, after.revision),
            Err(_) => assert_eq!(before.revision, after.revision, "refused, and published"),
        }
        if before.revision != after.revision {
            let json = after.state.tree.json(&[]).unwrap_or_default();
            Value::from_json(&json).expect("what was replicated can be read");
        }
    }
}
