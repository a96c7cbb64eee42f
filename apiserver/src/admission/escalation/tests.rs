//! Who may grant what.

use std::cell::RefCell;
use std::time::Instant;

use serde_json::json;

use super::*;
use crate::admission::{InForce, Reinvocation};
use crate::authn::User;
use crate::resources::{Resource, Schema, Scope, Subresources};

fn resource(plural: &str, scope: Scope) -> Arc<Resource> {
    Arc::new(Resource {
        group: GROUP.into(),
        version: "v1".into(),
        kind: String::new(),
        list_kind: String::new(),
        plural: plural.into(),
        singular: String::new(),
        short_names: vec![],
        categories: vec![],
        scope,
        subresources: Subresources::default(),
        collection: format!("{GROUP}/{plural}").into(),
        stored_as: format!("{GROUP}/v1"),
        schema: Arc::new(Schema::default()),
        columns: vec![],
        custom: false,
        selectable_fields: vec![],
        counts_generation: false,
        verbs: vec![],
    })
}

fn write(plural: &str, namespace: &str, object: Json, old: Option<Json>) -> Attributes {
    Attributes {
        registry: Arc::default(),
        options: Json::Null,
        configuration: InForce::default(),
        reinvocation: Reinvocation::default(),
        reveals: false,
        operation: if old.is_some() { Operation::Update } else { Operation::Create },
        resource: resource(plural, if namespace.is_empty() { Scope::Cluster } else { Scope::Namespaced }),
        subresource: String::new(),
        namespace: namespace.into(),
        name: "new".into(),
        object: Some(object),
        old: old.map(Arc::new),
        user: User::authenticated("alice", "", vec![]),
        dry_run: false,
        deadline: Instant::now(),
        warnings: RefCell::default(),
        trail: Default::default(),
    }
}

/// Alice may get pods everywhere, and has the rules given.
fn policy(more: Json) -> Policy {
    let mut rules = vec![json!({"verbs": ["get"], "apiGroups": [""], "resources": ["pods"]})];
    rules.extend(more.as_array().unwrap().iter().cloned());
    let objects = [
        json!({"kind": "ClusterRole", "metadata": {"name": "own"}, "rules": rules}),
        json!({"kind": "ClusterRole", "metadata": {"name": "strong"},
               "rules": [{"verbs": ["delete"], "apiGroups": [""], "resources": ["pods"]}]}),
        json!({"kind": "ClusterRoleBinding", "metadata": {"name": "own"},
               "roleRef": {"kind": "ClusterRole", "name": "own"}, "subjects": [{"kind": "User", "name": "alice"}]}),
    ]
    .map(|object| object.to_string());
    Policy::read(objects.iter().map(|object| object.as_bytes()))
}

fn role_of(verb: &str) -> Json {
    json!({"metadata": {"name": "new"}, "rules": [{"verbs": [verb], "apiGroups": [""], "resources": ["pods"]}]})
}

fn binding_to(role: &str) -> Json {
    json!({"metadata": {"name": "new"}, "roleRef": {"apiGroup": GROUP, "kind": "ClusterRole", "name": role}})
}

fn message(policy: &Policy, request: &Attributes) -> String {
    check(policy, request).err().map(|status| status.message).unwrap_or_default()
}

const MISSING: &str = "is attempting to grant RBAC permissions not currently held:\n\
                       {APIGroups:[\"\"], Resources:[\"pods\"], Verbs:[\"delete\"]}";

#[test]
fn what_is_not_held_cannot_be_granted() {
    let policy = policy(json!([]));
    let user = "user \"alice\" (groups=[\"system:authenticated\"])";
    let refused = |what: &str| format!("{what} \"new\" is forbidden: {user} {MISSING}");
    let strong = Some(role_of("delete"));
    let mut collected = role_of("delete");
    collected["metadata"]["finalizers"] = json!(["x"]);
    let cases = [
        (write("clusterroles", "", role_of("get"), None), String::new()),
        (write("clusterroles", "", role_of("delete"), None), refused("clusterroles.rbac.authorization.k8s.io")),
        (write("roles", "a", role_of("delete"), None), refused("roles.rbac.authorization.k8s.io")),
        (write("roles", "a", role_of("delete"), Some(role_of("get"))), refused("roles.rbac.authorization.k8s.io")),
        (write("roles", "a", collected, strong), String::new()),
        (write("clusterrolebindings", "", binding_to("own"), None), String::new()),
        (write("clusterrolebindings", "", binding_to("strong"), None), refused("clusterrolebindings.rbac.authorization.k8s.io")),
        (write("rolebindings", "a", binding_to("strong"), None), refused("rolebindings.rbac.authorization.k8s.io")),
        (write("rolebindings", "a", binding_to("gone"), None), "clusterrole.rbac.authorization.k8s.io \"gone\" not found".into()),
    ];
    for (request, expected) in cases {
        assert_eq!(message(&policy, &request), expected, "{} {:?}", request.resource.plural, request.object);
    }
}

#[test]
fn the_verbs_escalate_and_bind_and_the_masters_may() {
    let verb = |verb: &str, resource: &str, names: Json| json!([{"verbs": [verb], "apiGroups": [GROUP], "resources": [resource], "resourceNames": names}]);
    let role = write("clusterroles", "", role_of("delete"), None);
    let binding = write("rolebindings", "a", binding_to("strong"), None);
    let cases = [
        (verb("escalate", "clusterroles", json!([])), &role, true),
        (verb("escalate", "roles", json!([])), &role, false),
        (verb("bind", "clusterroles", json!([])), &binding, true),
        (verb("bind", "clusterroles", json!(["strong"])), &binding, true),
        (verb("bind", "clusterroles", json!(["other"])), &binding, false),
    ];
    for (rules, request, expected) in cases {
        assert_eq!(check(&policy(rules.clone()), request).is_ok(), expected, "{rules}");
    }
    let mut master = role;
    master.user = User::authenticated("admin", "", vec!["system:masters".into()]);
    assert_eq!(check(&policy(json!([])), &master), Ok(()));
}

#[test]
fn aggregation_needs_everything() {
    let role = json!({"metadata": {"name": "new"}, "aggregationRule": {"clusterRoleSelectors": [{}]}});
    let request = write("clusterroles", "", role, None);
    let expected = "clusterroles.rbac.authorization.k8s.io \"new\" is forbidden: must have cluster-admin privileges to use the \
                    aggregationRule";
    assert_eq!(message(&policy(json!([])), &request), expected);
    let all = json!([{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}, {"verbs": ["*"], "nonResourceURLs": ["*"]}]);
    assert_eq!(message(&policy(all), &request), "");
}
