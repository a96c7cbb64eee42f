//! Which rules find something, where, and what their changes achieve.

use serde_json::{Value as Json, json};

use super::*;

/// Returns a validating configuration with one hook, in which no rule finds anything; `members` replace fields of the hook.
fn configuration(members: Json) -> Json {
    let mut hook = json!({
        "name": "a.example.com", "clientConfig": {"service": {"namespace": "own", "name": "hook"}},
        "rules": [{"operations": ["CREATE", "UPDATE"], "apiGroups": ["apps"], "apiVersions": ["v1"], "resources": ["deployments"]}],
        "namespaceSelector": {"matchExpressions": [
            {"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": ["kube-system", "own"]},
        ]},
        "timeoutSeconds": 5, "sideEffects": "None", "admissionReviewVersions": ["v1"],
    });
    let fields = hook.as_object_mut().unwrap();
    fields.extend(members.as_object().unwrap().clone());
    let version = if fields.remove("v1beta1").is_some() { "v1beta1" } else { "v1" };
    let kind =
        if fields.remove("mutating").is_some() { "MutatingWebhookConfiguration" } else { "ValidatingWebhookConfiguration" };
    json!({
        "apiVersion": format!("admissionregistration.k8s.io/{version}"), "kind": kind, "metadata": {"name": "c"}, "webhooks": [hook],
    })
}

/// Returns the names of the rules that find something in a file with these objects.
fn found(objects: &[Json]) -> Vec<&'static str> {
    findings(objects).into_iter().map(|finding| finding.rule).collect()
}

fn findings(objects: &[Json]) -> Vec<Finding> {
    let file = tempfile::Builder::new().suffix(".yaml").tempfile().unwrap();
    let text: Vec<String> = objects.iter().map(|object| yaml_serde::to_string(object).unwrap()).collect();
    std::fs::write(file.path(), text.join("---\n")).unwrap();
    let objects = source::files(&[file.path().into()]).unwrap();
    lint(&objects).unwrap()
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
        (json!({"sideEffects": "Unknown"}), vec!["invalid"]),
        (json!({"sideEffects": "Unknown", "v1beta1": true, "matchPolicy": "Equivalent"}), vec!["side-effects"]),
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
    let both = "namespaceSelector: {matchExpressions: [{key: kubernetes.io/metadata.name, operator: NotIn, values: [own, kube-system]}]}";
    assert_eq!(
        shown,
        [
            ("own-namespace", "hooks.yaml:8", both),
            ("timeout", "hooks.yaml:13", "timeoutSeconds: 5"),
            ("system-namespaces", "hooks.yaml:8", both),
        ]
    );
}

/// Judges what `plimsoll manifests` generates, together with the objects of `deploy/` around it.
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

/// Each text is put behind another document, so that its first line is line 3 of the file.
#[test]
fn what_a_server_would_refuse_is_found_where_it_stands() {
    let head = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {name: c}\n";
    let hook = "webhooks:\n- name: a.example.com\n  clientConfig: {url: https://h.example.com/}\n  sideEffects: None\n  admissionReviewVersions: [v1]\n";
    let fine = format!("{head}{hook}");
    let table = [
        (format!("{fine}  failurPolicy: Ignore\n"), 11, "a.example.com", "unknown field \"webhooks[0].failurPolicy\""),
        (
            format!(
                "{fine}  rules:\n  - {{operations: [CREATE], apiGroups: [''], apiVersions: [v1], resources: [configmaps], verbs: [CREATE]}}\n"
            ),
            12,
            "a.example.com",
            "unknown field \"webhooks[0].rules[0].verbs\"",
        ),
        (fine.replace("kind: Validating", "kind: Validatin"), 4, "", "there is no ValidatinWebhookConfiguration in"),
        (format!("{fine}extra: 1\n"), 11, "", "unknown field \"extra\""),
        (fine.replace("{name: c}", "{name: c, lables: {}}"), 5, "", "unknown field \"metadata.lables\""),
        (
            format!("{fine}  failurePolicy: Retry\n"),
            11,
            "a.example.com",
            "webhooks[0].failurePolicy: Unsupported value: \"Retry\"",
        ),
        (format!("{fine}  timeoutSeconds: 31\n"), 11, "a.example.com", "webhooks[0].timeoutSeconds: Invalid value: 31"),
        (format!("{fine}  timeoutSeconds: soon\n"), 11, "a.example.com", "cannot unmarshal string into Go struct field"),
        (format!("{fine}  rules: [{{operations: 7}}]\n"), 11, "a.example.com", "cannot unmarshal number into Go struct field"),
        (format!("{head}webhooks: {{}}\n"), 3, "", "cannot unmarshal object into Go struct field"),
        (fine.replace("{name: c}", "{name: c, labels: 1}"), 3, "", "cannot unmarshal number into Go struct field"),
        (fine.replace("a.example.com", "a"), 7, "a", "webhooks[0].name: Invalid value"),
        (
            format!("{fine}  timeoutSeconds: 5\n  matchConditions: [{{name: x, expression: '1'}}]\n"),
            12,
            "a.example.com",
            "must evaluate to bool",
        ),
        (
            fine.replace("k8s.io/v1", "k8s.io/v2"),
            3,
            "",
            "there is no ValidatingWebhookConfiguration in \"admissionregistration.k8s.io/v2\"",
        ),
        (fine.replace("{name: c}", "{name: C}"), 5, "", "metadata.name: Invalid value: \"C\""),
    ];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hooks.yaml");
    for (text, line, hook, message) in table {
        std::fs::write(&path, format!("# first\n---\n{text}")).unwrap();
        let findings = lint(&source::files(std::slice::from_ref(&path)).unwrap()).unwrap();
        let [finding] = findings.as_slice() else { panic!("{text}\n{findings:#?}") };
        assert_eq!((finding.rule, &*finding.hook), ("invalid", hook), "{text}\n{finding:?}");
        assert!(
            finding.place.ends_with(&format!("hooks.yaml:{line}")) && finding.message.contains(message),
            "{text}\n{finding:?}"
        );
    }
}

/// The message is that of a server with strict validation, for JSON and YAML, from a file and from standard input.
#[test]
fn a_field_that_is_there_twice_is_found() {
    let json = "{\"apiVersion\": \"admissionregistration.k8s.io/v1\", \"kind\": \"ValidatingWebhookConfiguration\",\n\
        \"metadata\": {\"name\": \"c\"},\n\"webhooks\": [],\n\"webhooks\": []}\n";
    let yaml = "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {name: c}\nwebhooks: []\nwebhooks: []\n";
    let folder = tempfile::tempdir().unwrap();
    for (name, text, line) in [("hooks.json", json, 4), ("hooks.yaml", yaml, 5), ("-", json, 4), ("-", yaml, 5)] {
        let path = if name == "-" { name.into() } else { folder.path().join(name) };
        if name != "-" {
            std::fs::write(&path, text).unwrap();
        }
        let findings = lint(&source::files_and(&[path], &mut text.as_bytes()).unwrap()).unwrap();
        let [finding] = findings.as_slice() else { panic!("{name} {findings:?}") };
        assert_eq!(finding.message, "duplicate field \"webhooks\"");
        assert!(finding.place.ends_with(&format!("{name}:{line}")), "{finding:?}");
    }
}

/// Does what a person would do about a finding whose advice is a text.
fn decided(rule: &str, objects: &mut Vec<Json>) {
    match rule {
        "wildcard" => objects[0]["webhooks"][0]["rules"] = rules_of_deployments(),
        "final-state" => {
            let mut judge = objects[0].clone();
            judge["kind"] = "ValidatingWebhookConfiguration".into();
            judge["metadata"]["name"] = "judge".into();
            judge["webhooks"][0]["failurePolicy"] = "Fail".into();
            objects.push(judge);
        }
        "single-replica" => {
            let runs = objects.iter_mut().find(|object| object["kind"] == "Deployment").unwrap();
            runs["spec"]["replicas"] = 2.into();
        }
        other => panic!("nobody knows what to do about {other}"),
    }
}

fn rules_of_deployments() -> Json {
    rule(json!(["apps"]), json!(["deployments"]))
}

/// Makes every change that the findings of one look ask for, then looks again.
#[test]
fn all_changes_together_leave_nothing_to_find() {
    let service = json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "hook", "namespace": "own"},
        "spec": {"selector": {"app": "hook"}}});
    let pods = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "hook"},
        "spec": {"replicas": 1, "template": {"metadata": {"labels": {"app": "hook"}}}}});
    let everything = rule(json!(["*"]), json!(["*/*"]));
    let table = [
        json!({"rules": everything, "namespaceSelector": {}}),
        json!({"rules": everything, "matchConditions": [{"name": "not-busy", "expression": "request.operation != 'DELETE'"}]}),
        json!({"rules": rule(json!(["", "coordination.k8s.io", "events.k8s.io", "authentication.k8s.io", "authorization.k8s.io"]), json!(["*"])),
            "timeoutSeconds": 30, "matchPolicy": "Exact", "namespaceSelector": selector(json!(["x"]))}),
        json!({"rules": everything, "namespaceSelector": {"matchLabels": {"hooked": "yes"}}}),
        json!({"rules": everything, "mutating": true, "namespaceSelector": {}}),
        json!({"rules": rule(json!([""]), json!(["pods"])), "mutating": true, "failurePolicy": "Ignore"}),
        json!({"rules": [{"operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"]}], "namespaceSelector": {}}),
        json!({"v1beta1": true, "sideEffects": "Some", "admissionReviewVersions": ["v1beta1", "v1"], "timeoutSeconds": 9}),
    ];
    for members in table {
        let mut objects = vec![configuration(members.clone()), service.clone(), pods.clone()];
        let mut looks = Vec::new();
        while looks.last().is_none_or(|rules: &Vec<&str>| !rules.is_empty()) {
            assert!(looks.len() < 3, "{members}: {looks:?}");
            let findings = findings(&objects);
            looks.push(findings.iter().map(|finding| finding.rule).collect());
            for finding in &findings {
                let of = objects.iter_mut().find(|object| object["metadata"]["name"] == *finding.configuration).unwrap();
                of["webhooks"][0].as_object_mut().unwrap().extend(finding.set.clone());
            }
            for rule in findings.iter().filter(|finding| finding.set.is_empty()).map(|finding| finding.rule) {
                decided(rule, &mut objects);
            }
        }
    }
}

/// The resources that a finding names are those that its condition leaves out.
#[test]
fn the_condition_against_busy_resources_clears_what_it_is_for() {
    let rules = rule(json!(["", "events.k8s.io", "coordination.k8s.io", "authentication.k8s.io"]), json!(["*"]));
    let mut object = configuration(json!({"rules": rules}));
    let before = findings(std::slice::from_ref(&object));
    let busy = before.iter().find(|finding| finding.rule == "busy-resources").unwrap();
    assert!(busy.change.starts_with(
        "matchConditions: [{expression: '!(request.resource.resource in [\"leases\", \"events\", \"tokenreviews\"])', name: not-busy}], or leave"
    ), "{}", busy.change);
    object["webhooks"][0].as_object_mut().unwrap().extend(busy.set.clone());
    assert!(!found(&[object]).contains(&"busy-resources"));
}
