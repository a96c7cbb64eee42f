//! The modules of policy ConfigMaps, under the names that the sidecar gives them.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::{POLICY_NAMESPACE, text};
use crate::storage::Snapshot;

const COLLECTION: &str = "core/configmaps";

/// Of one ConfigMap: `namespace/name/key` to text.
pub(super) fn of(name: &str, map: &Json) -> BTreeMap<String, String> {
    let data = map.get("data").and_then(Json::as_object).into_iter().flatten();
    let modules = data.filter(|(key, _)| is_policy(key));
    modules.filter_map(|(key, text)| Some((format!("{POLICY_NAMESPACE}/{name}/{key}"), text.as_str()?.to_owned()))).collect()
}

/// Of all stored ones but one.
pub(super) fn stored(snapshot: &Snapshot, but: &str) -> BTreeMap<String, String> {
    let records = snapshot.list(COLLECTION, Some(POLICY_NAMESPACE), None).filter(|record| !record.uninitialized);
    // One that cannot be read has no modules for the sidecar either.
    let maps = records.filter_map(|record| serde_json::from_slice::<Json>(&record.value).ok());
    let others = maps.filter(|map| text(map, "/metadata/name") != but);
    others.flat_map(|map| of(text(&map, "/metadata/name"), &map)).collect()
}

/// Tests beside policies are not sent to the engine.
fn is_policy(key: &str) -> bool {
    key.ends_with(".rego") && !key.ends_with("_test.rego")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::admission::testing::{put, store};

    #[tokio::test]
    async fn t01_only_keys_that_end_in_rego_are_modules() {
        let map = |name: &str, data: Json| json!({"metadata": {"name": name, "namespace": POLICY_NAMESPACE}, "data": data});
        let admission = map("a", json!({"p.rego": "package p", "p_test.rego": "package t", "ca.crt": "x", "rego": "y"}));
        let key = |map: &str, key: &str| format!("{POLICY_NAMESPACE}/{map}/{key}");
        assert_eq!(of("a", &admission), [(key("a", "p.rego"), "package p".to_owned())].into());
        let store = store();
        put(&store, COLLECTION, admission).await;
        put(&store, COLLECTION, map("b", json!({"q.rego": "package q"}))).await;
        put(&store, COLLECTION, map("kube-root-ca.crt", json!({"ca.crt": "x"}))).await;
        put(&store, COLLECTION, json!({"metadata": {"name": "c", "namespace": "shop"}, "data": {"r.rego": ""}})).await;
        assert_eq!(stored(&store.snapshot(), "a").into_keys().collect::<Vec<_>>(), [key("b", "q.rego")]);
    }
}
