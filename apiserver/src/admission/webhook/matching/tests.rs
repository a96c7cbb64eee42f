//! Selectors, rules, equivalent versions, and what a failed lookup means.

use serde_json::json;

use super::*;
use crate::admission::testing::{attributes, put, resource, store};
use crate::resources::Registry;

fn hook(spec: Json) -> Webhook {
    let mut whole = json!({
        "name": "a.example.com", "clientConfig": {"url": "https://localhost"},
        "rules": [{"operations": ["*"], "apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*"]}],
    });
    whole.as_object_mut().unwrap().extend(spec.as_object().unwrap().clone());
    Webhook::new("c".into(), "c/a.example.com/0".into(), serde_json::from_value(whole).unwrap())
}

fn labelled(labels: Json) -> Json {
    json!({"metadata": {"name": "web", "labels": labels}})
}

async fn namespaces() -> Store {
    let store = store();
    put(&store, "core/namespaces", json!({"metadata": {"name": "shop", "labels": {"hooks": "yes"}}})).await;
    put(&store, "core/namespaces", json!({"metadata": {"name": "bare"}})).await;
    store
}

#[tokio::test]
async fn a_namespace_selector_asks_the_stored_namespace() {
    let store = namespaces().await;
    let hook = hook(json!({"namespaceSelector": {"matchLabels": {"hooks": "yes"}}}));
    let mut request = attributes(Operation::Create, labelled(json!({})));
    for (namespace, expected) in [("shop", Ok(true)), ("bare", Ok(false)), ("none", Err(404)), ("", Ok(true))] {
        request.namespace = namespace.into();
        let found = wanted(&hook, &request, &store).map(|found| found.is_some()).map_err(|status| status.code);
        assert_eq!(found, expected, "{namespace}");
    }
}

#[tokio::test]
async fn a_namespace_that_cannot_be_looked_up_matters_only_where_rules_match() {
    let store = namespaces().await;
    let rules = json!([{"operations": ["DELETE"], "apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*"]}]);
    let mut hook = hook(json!({"namespaceSelector": {"matchLabels": {"hooks": "yes"}}, "rules": rules}));
    let mut request = attributes(Operation::Create, labelled(json!({})));
    request.namespace = "none".into();
    assert!(wanted(&hook, &request, &store).unwrap().is_none());
    hook.spec.rules[0].operations = vec!["CREATE".into()];
    assert_eq!(wanted(&hook, &request, &store).unwrap_err().message, "namespaces \"none\" not found");
}

#[tokio::test]
async fn a_namespace_is_judged_by_its_new_labels_and_on_its_way_out_by_its_stored_ones() {
    let store = namespaces().await;
    let hook = hook(json!({"namespaceSelector": {"matchLabels": {"hooks": "yes"}}}));
    let yes = || Some(labelled(json!({"hooks": "yes"})));
    let no = || Some(labelled(json!({})));
    let table = [
        (Operation::Create, "new", "", yes(), true),
        (Operation::Create, "new", "", no(), false),
        // Taking the label away is an update of a namespace without it: the new state counts.
        (Operation::Update, "shop", "", no(), false),
        (Operation::Update, "bare", "", yes(), true),
        (Operation::Update, "shop", "finalize", no(), true),
        (Operation::Delete, "shop", "", None, true),
        (Operation::Delete, "bare", "", None, false),
    ];
    for (operation, name, subresource, object, expected) in table {
        let mut request = attributes(operation, json!({}));
        (request.name, request.namespace, request.object) = (name.into(), String::new(), object);
        (request.subresource, request.resource) = (subresource.into(), resource("", "v1", "Namespace", "namespaces").into());
        let rules = json!([{"operations": ["*"], "apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*/*"]}]);
        let mut hook = Webhook::new(String::new(), String::new(), clone(&hook));
        hook.spec.rules = serde_json::from_value(rules).unwrap();
        assert_eq!(wanted(&hook, &request, &store).unwrap().is_some(), expected, "{operation:?} {name}/{subresource}");
    }
}

fn clone(hook: &Webhook) -> crate::admission::webhook::Spec {
    let spec = json!({
        "name": hook.spec.name, "clientConfig": {"url": "https://localhost"}, "namespaceSelector": hook.spec.namespace_selector,
    });
    serde_json::from_value(spec).unwrap()
}

#[tokio::test]
async fn an_object_selector_takes_the_old_state_or_the_new_one() {
    let store = namespaces().await;
    let hook = hook(json!({"objectSelector": {"matchExpressions": [{"key": "tier", "operator": "Exists"}]}}));
    let (with, without) = (labelled(json!({"tier": "web"})), labelled(json!({})));
    let table = [
        (Some(&with), None, true),
        (Some(&without), None, false),
        (Some(&without), Some(&with), true),
        (None, Some(&with), true),
        (None, Some(&without), false),
        (Some(&json!({})), None, false),
    ];
    for (object, old, expected) in table {
        let mut request = attributes(Operation::Update, json!({}));
        (request.object, request.old) = (object.cloned(), old.cloned().map(Arc::new));
        assert_eq!(wanted(&hook, &request, &store).unwrap().is_some(), expected, "{object:?} {old:?}");
    }
}

#[tokio::test]
async fn an_equivalent_version_counts_unless_the_policy_is_exact() {
    let store = namespaces().await;
    let registry = Arc::new(Registry::built_in().unwrap());
    let rule = |group: &str, version: &str| json!({"operations": ["CREATE"], "apiGroups": [group], "apiVersions": [version], "resources": ["deployments"]});
    let (old, new) = (rule("extensions", "v1beta1"), rule("apps", "v1"));
    let table = [
        (json!({"rules": [old], "matchPolicy": "Equivalent"}), Some("extensions/v1beta1")),
        (json!({"rules": [old], "matchPolicy": "Exact"}), None),
        (json!({"rules": [old, new], "matchPolicy": "Equivalent"}), Some("apps/v1")),
        (json!({"rules": [rule("apps", "v1beta2")], "matchPolicy": "Equivalent"}), None),
    ];
    for (spec, expected) in table {
        let mut request = attributes(Operation::Create, labelled(json!({})));
        (request.resource, request.registry) = (registry.find("apps", "v1", "deployments").unwrap(), Arc::clone(&registry));
        let found = wanted(&hook(spec.clone()), &request, &store).unwrap().map(|row| row.api_version());
        assert_eq!(found.as_deref(), expected, "{spec}");
    }
}

#[test]
fn hook_configurations_meet_no_hook() {
    for (kind, expected) in [("ValidatingWebhookConfiguration", true), ("MutatingWebhookConfiguration", true), ("Other", false)] {
        let mut request = attributes(Operation::Create, json!({}));
        request.resource = resource("admissionregistration.k8s.io", "v1", kind, "x").into();
        assert_eq!(is_exempt(&request), expected, "{kind}");
    }
}
