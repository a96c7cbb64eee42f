//! What a caller may do, by the roles and bindings that are stored at this moment.

use std::sync::Arc;

use super::rbac::{COLLECTIONS, Policy};
use super::request::{Verdict, What};
use crate::authn::User;
use crate::storage::{Derived, Snapshot, Store};

/// Answers from the store. A write of a role or binding counts from the moment it is answered.
pub struct Authorizer {
    store: Store,
    policy: Derived<Policy>,
}

impl Authorizer {
    /// Over the store's roles and bindings.
    pub fn new(store: Store) -> Self {
        Self { store, policy: Derived::new(&COLLECTIONS) }
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
        self.policy.at(&self.store.snapshot(), read)
    }
}

impl std::fmt::Debug for Authorizer {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Authorizer").finish_non_exhaustive()
    }
}

fn read(snapshot: &Snapshot) -> Policy {
    let records = COLLECTIONS.iter().flat_map(|collection| snapshot.list(collection, None, None));
    // What nobody sees yet grants nothing yet.
    Policy::read(records.filter(|record| !record.uninitialized).map(|record| record.value.as_ref()))
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
