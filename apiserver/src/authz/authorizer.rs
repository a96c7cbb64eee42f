//! What a caller may do, by the roles and bindings that are stored at this moment.

use std::sync::Arc;

use arc_swap::ArcSwapOption;

use super::rbac::{COLLECTIONS, Policy};
use super::request::{Verdict, What};
use crate::authn::User;
use crate::storage::{Snapshot, Store};

/// Answers from the store. A write of a role or binding counts from the moment it is answered.
pub struct Authorizer {
    store: Store,
    read: ArcSwapOption<Read>,
}

/// A policy, and of which moment it is.
struct Read {
    revision: u64,
    mark: Mark,
    policy: Arc<Policy>,
}

/// How many roles and bindings there are and the revision of the latest one. Two moments with the same mark have the same
/// ones: any write raises the revision, and a deletion alone lowers the count.
type Mark = (usize, u64);

impl Authorizer {
    /// Over the store's roles and bindings.
    pub fn new(store: Store) -> Self {
        Self { store, read: ArcSwapOption::empty() }
    }

    /// Whether `user` may do it.
    pub fn authorize(&self, user: &User, what: &What<'_>) -> Verdict {
        if user.is_master() {
            return Verdict::Allowed("".into());
        }
        self.policy().authorize(user, what)
    }

    /// All roles and bindings of this moment.
    pub fn policy(&self) -> Arc<Policy> {
        let snapshot = self.store.snapshot();
        let last = self.read.load();
        if let Some(read) = last.as_ref().filter(|read| read.revision == snapshot.revision()) {
            return Arc::clone(&read.policy);
        }
        let mark = mark(&snapshot);
        let policy = match last.as_ref().filter(|read| read.mark == mark) {
            Some(read) => Arc::clone(&read.policy),
            None => Arc::new(read(&snapshot)),
        };
        let read = Read { revision: snapshot.revision(), mark, policy: Arc::clone(&policy) };
        self.read.store(Some(Arc::new(read)));
        policy
    }
}

impl std::fmt::Debug for Authorizer {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Authorizer").finish_non_exhaustive()
    }
}

fn mark(snapshot: &Snapshot) -> Mark {
    let records = COLLECTIONS.iter().flat_map(|collection| snapshot.list(collection, None, None));
    records.fold((0, 0), |(count, latest), record| (count + 1, latest.max(record.revision)))
}

fn read(snapshot: &Snapshot) -> Policy {
    let records = COLLECTIONS.iter().flat_map(|collection| snapshot.list(collection, None, None));
    Policy::read(records.map(|record| record.value.as_ref()))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::*;
    use crate::authz::request::Access;
    use crate::storage::{Change, Expect, HistoryLimits, Key, Options, Write};

    fn key(collection: &str, name: &str) -> Key {
        Key { collection: format!("rbac.authorization.k8s.io/{collection}").into(), namespace: "".into(), name: name.into() }
    }

    async fn put(store: &Store, collection: &str, object: Json) -> u64 {
        let key = key(collection, object["metadata"]["name"].as_str().unwrap());
        let write = Write { key, expect: Expect::Absent, change: Change::Put(object) };
        store.write(write).await.unwrap().revision
    }

    #[tokio::test]
    async fn a_grant_counts_at_once_and_so_does_its_end() {
        let store = Store::open(Options { path: None, fsync: false, history: HistoryLimits::default() }).unwrap();
        let authorizer = Authorizer::new(store.clone());
        let alice = User::authenticated("alice", "", vec![]);
        let pods = What::Resource(Access { verb: "get", resource: "pods", ..Access::default() });
        let may = || authorizer.authorize(&alice, &pods).is_allowed();
        assert!(!may());
        let rules = json!([{"verbs": ["get"], "apiGroups": [""], "resources": ["pods"]}]);
        put(&store, "clusterroles", json!({"kind": "ClusterRole", "metadata": {"name": "r"}, "rules": rules})).await;
        assert!(!may());
        let binding = json!({
            "kind": "ClusterRoleBinding", "metadata": {"name": "b"},
            "roleRef": {"kind": "ClusterRole", "name": "r"}, "subjects": [{"kind": "User", "name": "alice"}],
        });
        let revision = put(&store, "clusterrolebindings", binding).await;
        assert!(may());
        let before = authorizer.policy();
        put(&store, "other", json!({"metadata": {"name": "x"}})).await;
        assert!(Arc::ptr_eq(&before, &authorizer.policy()), "what is no role changes no policy");
        let key = key("clusterrolebindings", "b");
        store.write(Write { key, expect: Expect::Revision(revision), change: Change::Delete }).await.unwrap();
        assert!(!may());
        store.close();
    }
}
