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

/// Whatever JSON's own reader takes ours takes, what is read is the same, and it stays so when it is written and read again.
fn document(input: &[u8]) {
    let (ours, plain) = (Value::from_json(input), serde_json::from_slice::<Json>(input));
    // Go reads more: halves of characters, numbers beyond doubles.
    let Ok(ours) = ours else { return assert!(plain.is_err(), "the other reader takes it: {:?}", ours.err()) };
    let Some(document) = ours.document(usize::MAX) else { return };
    let text = serde_json::to_string(&document).expect("what was read can be written");
    let again = Value::from_json(text.as_bytes()).expect("what was written can be read");
    assert_eq!(again, ours, "read, written and read again");
    if let (Ok(plain), Ok(shown)) = (plain, document.to_json()) {
        let plain = Value::from(plain).document(usize::MAX).map(|document| document.to_json());
        assert_eq!(plain, Some(Ok(shown)), "read as JSON first");
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
