//! What is found in which configuration, and where.

use serde_json::{Value as Json, json};

use super::*;

/// A validating configuration of one hook that nothing is found in, and what differs from that.
fn configuration(members: Json) -> Json {
    let mut hook = json!({
        "name": "a.example.com", "clientConfig": {"service": {"namespace": "own", "name": "hook"}},
        "rules": [{"operations": ["CREATE", "UPDATE"], "apiGroups": ["apps"], "apiVersions": ["v1"], "resources": ["deployments"]}],
        "namespaceSelector": {"matchExpressions": [
            {"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": ["kube-system", "own"]},
        ]},
        "timeoutSeconds": 5, "sideEffects": "None", "admissionReviewVersions": ["v1"],
    });
    hook.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    let version = if hook.get("v1beta1").is_some() { "v1beta1" } else { "v1" };
    let kind = if hook.get("mutating").is_some() { "MutatingWebhookConfiguration" } else { "ValidatingWebhookConfiguration" };
    json!({
        "apiVersion": format!("admissionregistration.k8s.io/{version}"), "kind": kind, "metadata": {"name": "c"}, "webhooks": [hook],
    })
}

/// The rules that find something, by files with these objects.
fn found(objects: &[Json]) -> Vec<&'static str> {
    let file = tempfile::Builder::new().suffix(".yaml").tempfile().unwrap();
    let text: Vec<String> = objects.iter().map(|object| yaml_serde::to_string(object).unwrap()).collect();
    std::fs::write(file.path(), text.join("---\n")).unwrap();
    let objects = source::files(&[file.path().into()]).unwrap();
    lint(&objects).unwrap().into_iter().map(|finding| finding.rule).collect()
}

fn rule(groups: Json, resources: Json) -> Json {
    json!([{"operations": ["CREATE", "UPDATE"], "apiGroups": groups, "apiVersions": ["*"], "resources": resources}])
}

fn selector(namespaces: Json) -> Json {
    json!({"matchExpressions": [{"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": namespaces}]})
}

#[test]
fn each_good_practice_has_its_finding() {
    let table = [
        (json!({}), vec![]),
        (json!({"timeoutSeconds": 6}), vec!["timeout"]),
        (json!({"timeoutSeconds": null}), vec!["timeout"]),
        (json!({"matchPolicy": "Exact"}), vec!["exact-match"]),
        (json!({"sideEffects": "Unknown"}), vec!["side-effects"]),
        (json!({"sideEffects": "NoneOnDryRun"}), vec![]),
        (json!({"admissionReviewVersions": ["v1beta1"]}), vec!["review-versions"]),
        (json!({"namespaceSelector": selector(json!(["own"]))}), vec!["system-namespaces"]),
        (json!({"namespaceSelector": {"matchLabels": {"hooked": "yes"}}}), vec![]),
        (json!({"namespaceSelector": selector(json!(["kube-system"]))}), vec!["own-namespace"]),
        (json!({"rules": rule(json!([""]), json!(["pods"]))}), vec!["ephemeral-containers"]),
        (json!({"rules": rule(json!([""]), json!(["pods", "pods/ephemeralcontainers"]))}), vec![]),
        (json!({"rules": rule(json!(["*"]), json!(["*/*"]))}), vec!["wildcard", "busy-resources"]),
        (json!({"rules": rule(json!(["coordination.k8s.io"]), json!(["leases"]))}), vec!["busy-resources"]),
        (
            json!({"rules": rule(json!(["coordination.k8s.io"]), json!(["*"])), "matchConditions": [
                {"name": "not-busy", "expression": "request.resource.resource != 'leases'"}]}),
            vec![],
        ),
        (json!({"mutating": true}), vec!["final-state"]),
        (json!({"mutating": true, "failurePolicy": "Ignore"}), vec!["final-state"]),
    ];
    for (members, expected) in table {
        let mut members = members;
        members.as_object_mut().unwrap().retain(|_, value| !value.is_null() || expected == ["timeout"]);
        let mut object = configuration(members.clone());
        if members.get("timeoutSeconds") == Some(&Json::Null) {
            object["webhooks"][0].as_object_mut().unwrap().remove("timeoutSeconds");
        }
        assert_eq!(found(&[object]), expected, "{members}");
    }
}

#[test]
fn what_v1beta1_leaves_out_means_something_else() {
    let mut object = configuration(json!({"v1beta1": true}));
    for field in ["timeoutSeconds", "sideEffects", "admissionReviewVersions"] {
        object["webhooks"][0].as_object_mut().unwrap().remove(field);
    }
    assert_eq!(found(&[object]), ["timeout", "exact-match", "side-effects", "review-versions"]);
}

#[test]
fn a_catch_all_that_fails_closed_and_is_called_for_its_own_pods_is_a_deadlock() {
    let everything = rule(json!(["", "discovery.k8s.io"]), json!(["pods", "pods/ephemeralcontainers", "endpointslices"]));
    let service = json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "hook", "namespace": "own"},
        "spec": {"selector": {"app": "hook"}}});
    let pods = |labels: Json, replicas: u8| {
        json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "hook"},
            "spec": {"replicas": replicas, "template": {"metadata": {"labels": labels}}}})
    };
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "own", "labels": {"hooks": "off"}}});
    let own = json!({"app": "hook"});
    let open = selector(json!(["kube-system"]));
    let not_own = json!({"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["hook"]}]});
    let only_pods = rule(json!([""]), json!(["pods", "pods/ephemeralcontainers"]));
    let by_label = json!({"matchExpressions": [
        {"key": "hooks", "operator": "NotIn", "values": ["off"]},
        {"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": ["kube-system"]},
    ]});
    let hook = |members: Json| configuration(members);
    let table = [
        (vec![hook(json!({"rules": everything, "namespaceSelector": open}))], vec!["deadlock"]),
        (vec![hook(json!({"rules": everything, "namespaceSelector": open, "failurePolicy": "Ignore"}))], vec!["own-namespace"]),
        (vec![hook(json!({"rules": everything}))], vec![]),
        // Without its pods nobody knows their labels; with them, an objectSelector may let them out, but not the endpoints.
        (
            vec![
                hook(json!({"rules": only_pods, "namespaceSelector": open, "objectSelector": not_own})),
                service.clone(),
                pods(own.clone(), 2),
            ],
            vec!["own-namespace"],
        ),
        (
            vec![
                hook(json!({"rules": everything, "namespaceSelector": open, "objectSelector": not_own})),
                service.clone(),
                pods(own.clone(), 2),
            ],
            vec!["deadlock"],
        ),
        (vec![hook(json!({"rules": everything, "namespaceSelector": by_label})), namespace], vec![]),
        (vec![hook(json!({})), service.clone(), pods(own.clone(), 1)], vec!["single-replica"]),
        (vec![hook(json!({})), service.clone(), pods(own, 2)], vec![]),
        (vec![hook(json!({})), service, pods(json!({"app": "other"}), 1)], vec![]),
    ];
    for (objects, expected) in table {
        assert_eq!(found(&objects), expected, "{objects:#?}");
    }
}

#[test]
fn a_finding_says_where_and_what_to_change() {
    let text = "apiVersion: v1\nkind: List\nitems:\n- apiVersion: admissionregistration.k8s.io/v1\n  kind: ValidatingWebhookConfiguration\n  \
                metadata: {name: c}\n  webhooks:\n  - name: a.example.com\n    clientConfig: {url: https://hook.own.svc.cluster.local:8443/x}\n    \
                rules: [{operations: [CREATE], apiGroups: [apps], apiVersions: [v1], resources: [deployments]}]\n    \
                sideEffects: None\n    admissionReviewVersions: [v1]\n    timeoutSeconds: 30\n";
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("hooks.yaml");
    std::fs::write(&path, text).unwrap();
    let findings = lint(&source::files(&[path]).unwrap()).unwrap();
    let shown: Vec<(&str, &str, &str)> = findings
        .iter()
        .map(|finding| (finding.rule, finding.place.rsplit('/').next().unwrap(), finding.change.as_str()))
        .collect();
    let own = "namespaceSelector: {matchExpressions: [{key: kubernetes.io/metadata.name, operator: NotIn, values: [own]}]}";
    let system =
        "namespaceSelector: {matchExpressions: [{key: kubernetes.io/metadata.name, operator: NotIn, values: [kube-system]}]}";
    assert_eq!(
        shown,
        [
            ("own-namespace", "hooks.yaml:8", own),
            ("timeout", "hooks.yaml:13", "timeoutSeconds: 5"),
            ("system-namespaces", "hooks.yaml:8", system),
        ]
    );
}

/// What `plimsoll manifests` generates, beside what `deploy/` runs.
#[test]
fn our_own_registration_is_clean() {
    let deploy = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy");
    let files = ["federation/generated.yaml", "host/namespace.yaml", "host/service.yaml", "host/deployment.yaml"];
    let objects = source::files(&files.map(|path| deploy.join(path))).unwrap();
    assert_eq!(hooks(&objects).unwrap().len(), 2);
    assert_eq!(lint(&objects).unwrap(), []);
}

#[test]
fn files_without_a_configuration_are_a_mistake() {
    let file = tempfile::Builder::new().suffix(".yaml").tempfile().unwrap();
    std::fs::write(file.path(), "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n").unwrap();
    let args = Args { paths: vec![file.path().into()], output: Output::Human, server: Kubeconfig::default() };
    let error = run(&args, &mut Vec::new()).unwrap_err().to_string();
    assert!(error.contains("no webhook configuration"), "{error}");
}
