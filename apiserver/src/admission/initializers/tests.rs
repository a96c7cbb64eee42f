use serde_json::{Value as Json, json};

use super::*;
use crate::admission::testing::{attributes, put, resource, store};
use crate::authn::User;
use crate::storage::Store;

/// Alice may initialize ReplicaSets, and two configurations want to see things.
async fn stage() -> (Store, Initializers) {
    let store = store();
    let rules = json!([{"verbs": ["initialize"], "apiGroups": ["apps"], "resources": ["replicasets"]}]);
    put(
        &store,
        "rbac.authorization.k8s.io/clusterroles",
        json!({"kind": "ClusterRole", "metadata": {"name": "r"}, "rules": rules}),
    )
    .await;
    let binding = json!({
        "kind": "ClusterRoleBinding", "metadata": {"name": "b"},
        "roleRef": {"kind": "ClusterRole", "name": "r"}, "subjects": [{"kind": "User", "name": "alice"}],
    });
    put(&store, "rbac.authorization.k8s.io/clusterrolebindings", binding).await;
    let rule = |group: &str, resource: &str| json!({"apiGroups": [group], "apiVersions": ["v1"], "resources": [resource]});
    let configuration = |name: &str, all: Json| json!({"metadata": {"name": name}, "initializers": all});
    // The second initializer has two rules of which one matches: upstream's code passed it over.
    let all = json!([
        {"name": "none.x.y"},
        {"name": "two.x.y", "rules": [rule("", "pods"), rule("apps", "replicasets")]},
        {"name": "one.x.y", "rules": [rule("apps", "replicasets")]},
    ]);
    put(&store, COLLECTION, configuration("b", all)).await;
    put(&store, COLLECTION, configuration("a", json!([{"name": "all.x.y", "rules": [rule("*", "*")]}]))).await;
    let authorizer = Arc::new(Authorizer::new(store.clone()));
    (store, Initializers::new(authorizer, Arc::default()))
}

fn create(store: &Store, user: &str, metadata: Json) -> Attributes {
    let mut object = json!({"metadata": {"name": "web"}});
    object["metadata"].as_object_mut().unwrap().extend(metadata.as_object().unwrap().clone());
    let mut request = attributes(Operation::Create, object);
    request.configuration.stored = store.snapshot();
    request.user = User::authenticated(user, "", vec![]);
    request
}

fn pending(request: &Attributes) -> Vec<String> {
    initializers::pending(request.object.as_ref().unwrap()).map(str::to_owned).collect()
}

#[tokio::test]
async fn whoever_matches_is_asked_in_order() {
    let (store, stage) = stage().await;
    let mut request = create(&store, "bob", json!({}));
    stage.judge(&mut request).unwrap();
    assert_eq!(pending(&request), ["all.x.y", "two.x.y", "one.x.y"]);
    let mut again = request.clone();
    again.reinvocation.changed();
    assert!(again.reinvocation.begin_second());
    stage.judge(&mut again).unwrap();
    assert_eq!(pending(&again), pending(&request), "the second pass neither asks nor refuses");
    let mut other = create(&store, "bob", json!({}));
    other.resource = Arc::new(resource("", "v2", "ConfigMap", "configmaps"));
    stage.judge(&mut other).unwrap();
    assert!(pending(&other).is_empty(), "of another version");
    assert_eq!(other.object.unwrap(), json!({"metadata": {"name": "web"}}));
    for subresource in ["status", "scale"] {
        let mut part = create(&store, "bob", json!({}));
        part.subresource = subresource.into();
        stage.judge(&mut part).unwrap();
        assert!(pending(&part).is_empty(), "{subresource}");
    }
}

#[tokio::test]
async fn nothing_keeps_a_configuration_from_being_repaired() {
    let (store, stage) = stage().await;
    for plural in ["initializerconfigurations", "mutatingwebhookconfigurations"] {
        let mut request = create(&store, "bob", json!({}));
        request.resource = Arc::new(resource("admissionregistration.k8s.io", "v1", "Any", plural));
        stage.judge(&mut request).unwrap();
        assert!(pending(&request).is_empty(), "{plural}");
    }
    put(&store, COLLECTION, json!({"metadata": {"name": "broken"}, "initializers": 7})).await;
    let mut request = create(&store, "bob", json!({}));
    let refused = stage.judge(&mut request).unwrap_err();
    assert_eq!(refused.details.unwrap().causes[0].reason, "InitializerConfigurationFailure");
    request.operation = Operation::Delete;
    stage.judge(&mut request).unwrap();
}

#[tokio::test]
async fn who_sends_initializers_must_be_allowed_to_initialize() {
    let (store, stage) = stage().await;
    let own = json!({"initializers": {"pending": [{"name": "own.x.y"}]}});
    for (user, metadata, expected) in [
        ("alice", own.clone(), Ok(vec!["own.x.y"])),
        ("alice", json!({"initializers": {}}), Ok(vec![])),
        ("alice", json!({"initializers": {"pending": []}}), Ok(vec![])),
        ("alice", json!({"initializers": null}), Ok(vec!["all.x.y", "two.x.y", "one.x.y"])),
        ("bob", json!({"initializers": null}), Ok(vec!["all.x.y", "two.x.y", "one.x.y"])),
        ("bob", own, Err(403)),
        ("bob", json!({"initializers": {}}), Err(403)),
        ("bob", json!({"initializers": {"result": {"status": "Failure"}}}), Err(403)),
    ] {
        let mut request = create(&store, user, metadata.clone());
        let judged = stage.judge(&mut request).map_err(|status| status.code);
        let expected = expected.map(|names| names.into_iter().map(str::to_owned).collect::<Vec<_>>());
        assert_eq!(judged.map(|()| pending(&request)), expected, "{user} {metadata}");
        if expected == Ok(vec![]) {
            assert_eq!(object::field(request.object.as_ref().unwrap(), "initializers"), None, "never stored");
        }
    }
    let refused = stage.judge(&mut create(&store, "bob", json!({"initializers": {}}))).unwrap_err();
    let why = r#"User "bob" cannot initialize resource "replicasets" in API group "apps" in the namespace "shop""#;
    assert_eq!(refused.message, format!(r#"replicasets.apps "web" is forbidden: create with initializers denied: {why}"#));
}

#[tokio::test]
async fn an_update_needs_the_verb_as_long_as_the_object_is_not_initialized() {
    let (store, stage) = stage().await;
    let of = |initializers: &Json| json!({"metadata": {"name": "web", "initializers": initializers}});
    let (none, one) = (Json::Null, json!({"pending": [{"name": "a.x.y"}]}));
    let (empty, other) = (json!({"pending": []}), json!({"pending": [{"name": "b.x.y"}]}));
    let refused = json!({"pending": [{"name": "a.x.y"}], "result": {"status": "Failure"}});
    for (user, old, new, expected) in [
        ("bob", &none, &none, Ok(())),
        ("bob", &none, &empty, Ok(())),
        ("alice", &none, &one, Err(422)),
        ("bob", &one, &one, Err(403)),
        ("bob", &one, &none, Err(403)),
        ("bob", &one, &refused, Err(403)),
        ("alice", &one, &one, Ok(())),
        ("alice", &one, &other, Ok(())),
        ("alice", &one, &empty, Ok(())),
        ("alice", &one, &none, Ok(())),
        ("alice", &one, &refused, Ok(())),
        ("alice", &refused, &none, Err(422)),
        ("alice", &refused, &one, Err(422)),
    ] {
        let mut request = create(&store, user, json!({}));
        (request.operation, request.object, request.old) = (Operation::Update, Some(of(new)), Some(Arc::new(of(old))));
        assert_eq!(stage.judge(&mut request).map_err(|status| status.code), expected, "{user}: {old} to {new}");
        if expected.is_ok() && *new == empty {
            assert_eq!(object::field(request.object.as_ref().unwrap(), "initializers"), None, "{old}");
        }
    }
}

#[tokio::test]
async fn a_mirror_pod_is_a_node_s_to_make() {
    let (store, stage) = stage().await;
    let pods = Arc::new(resource("", "v1", "Pod", "pods"));
    let marked = json!({"annotations": {"kubernetes.io/config.mirror": "x"}});
    for (group, metadata, expected) in [
        ("system:nodes", marked.clone(), 0),
        ("system:masters", marked.clone(), 0),
        ("developers", marked, 2),
        ("system:nodes", json!({}), 2),
    ] {
        let mut request = create(&store, "anybody", metadata);
        request.resource = Arc::clone(&pods);
        request.user.groups.push(group.into());
        stage.judge(&mut request).unwrap();
        assert_eq!(pending(&request).len(), expected, "{group}");
    }
}

#[tokio::test]
async fn names_that_are_there_twice_are_told() {
    let (store, stage) = stage().await;
    let mut request = create(&store, "bob", json!({}));
    request.resource =
        Arc::new(resource("admissionregistration.k8s.io", "v1alpha1", "InitializerConfiguration", "initializerconfigurations"));
    request.object =
        Some(json!({"metadata": {"name": "c"}, "initializers": [{"name": "new.x.y"}, {"name": "one.x.y"}, {"name": "new.x.y"}]}));
    stage.judge(&mut request).unwrap();
    assert_eq!(
        *request.warnings.borrow(),
        [
            r#"initializers[1].name: "one.x.y" is in the configuration "b" too: only the first in order is asked"#,
            r#"initializers[2].name: "new.x.y" is there already: only the first is asked"#,
        ]
    );
}
