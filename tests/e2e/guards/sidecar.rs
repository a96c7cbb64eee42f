//! The holder of the sidecar's token tries more than the sidecar does, with rights that RBAC would not give it.

use reqwest::Method;
use serde_json::{Value as Json, json};

use super::{Guards, HOLD, MERGE, PREFERENCES, Request, annotated, replica_set};
use crate::e2e::support::deployment::checkout;
use crate::e2e::support::eventually::eventually;
use crate::e2e::support::fixtures::{APPLIED, annotation};
use crate::e2e::support::hook::stamp::{self, STAMP};

/// What the sidecar does all day.
fn repair() -> Json {
    json!({"metadata": {"annotations": {PREFERENCES: r#"{"clusters":{"alpha":{"weight":1}}}"#, APPLIED: "{}"}}})
}

/// Hidden in what the sidecar does all day.
fn beside_repair(patch: &Json) -> Json {
    let mut patch = patch.clone();
    for (key, value) in repair()["metadata"]["annotations"].as_object().unwrap() {
        patch["metadata"]["annotations"][key] = value.clone();
    }
    patch
}

/// A ReplicaSet as a tenant made it, with nothing left empty.
fn furnished(name: &str) -> Json {
    let mut object = annotated(replica_set(name), "example.com/note", "old");
    object["metadata"]["finalizers"] = json!(["example.com/wait"]);
    object["metadata"]["ownerReferences"] =
        json!([{"apiVersion": "apps/v1", "kind": "Deployment", "name": "shop", "uid": "0-1"}]);
    object
}

#[test]
fn the_sidecars_token_is_good_for_placements_and_nothing_else() {
    let Some(guards) = Guards::start(&[], &[]) else { return };
    let text = furnished("web").to_string();
    guards.kubectl.try_run_with(&["create", "-n", &guards.namespace, "-f", "-"], &text).unwrap();
    let metadata = |field: &str, value: Json| json!({"metadata": {field: value}});
    for (what, patch) in [
        ("spec", json!({"spec": {"replicas": 9}})),
        ("spec", json!({"spec": {"template": {"spec": {"containers": [{"name": "main", "image": "evil.example/x"}]}}}})),
        ("labels", metadata("labels", json!({"app": null}))),
        ("labels", metadata("labels", json!({"tier": "gold"}))),
        ("finalizers", metadata("finalizers", json!([]))),
        ("finalizers", metadata("finalizers", json!(["example.com/wait", "example.com/more"]))),
        ("ownerReferences", metadata("ownerReferences", Json::Null)),
        ("generateName", metadata("generateName", "web-".into())),
        ("example.com/note", metadata("annotations", json!({"example.com/note": "new"}))),
        ("example.com/note", metadata("annotations", json!({"example.com/note": null}))),
        ("example.com/more", metadata("annotations", json!({"example.com/more": ""}))),
        (HOLD, metadata("annotations", json!({HOLD: "true"}))),
    ] {
        for patch in [beside_repair(&patch), patch] {
            let answer = guards.sidecar.call(&guards.patch("replicasets", "web", patch.clone()));
            let refused = answer.denied_by(&["plimsoll-sidecar", "plimsoll-hold"]) && answer.message().contains(what);
            assert!(refused, "{patch}: {answer:?}");
        }
    }
    other_requests(&guards);
    let answer = guards.sidecar.call(&guards.patch("replicasets", "web", repair()));
    assert!(answer.accepted(), "its own work is not hindered: {answer:?}");
    // Or nobody could delete it.
    let free = json!({"metadata": {"finalizers": null}}).to_string();
    guards.kubectl.run(&["patch", "-n", &guards.namespace, "rs/web", "--type=merge", "-p", &free]);
}

/// Not an update of an object, or not where objects are placed.
fn other_requests(guards: &Guards) {
    let request = |method, path, content_type, body| Request { method, path, content_type, body };
    let at = |name: &str| guards.path("replicasets", name, "dryRun=All");
    let exempt = guards.path_in("kube-public", "replicasets", "own", "dryRun=All");
    guards.kubectl.try_run_with(&["create", "-n", "kube-public", "-f", "-"], &replica_set("own").to_string()).unwrap();
    let scale = json!({"spec": {"replicas": 9}});
    for (what, request) in [
        ("creates", request(Method::POST, at(""), "application/json", replica_set("new"))),
        ("creates", request(Method::DELETE, at("web"), "application/json", Json::Null)),
        ("subresource", request(Method::PATCH, at("web/status"), MERGE, json!({"status": {"replicas": 1}}))),
        ("subresource", request(Method::PATCH, at("web/status"), MERGE, json!({"metadata": {"annotations": {"a": "b"}}}))),
        ("subresource", request(Method::PATCH, at("web/scale"), MERGE, scale)),
        ("kube-public", request(Method::PATCH, exempt, MERGE, repair())),
    ] {
        let answer = guards.sidecar.call(&request);
        assert!(answer.denied_by(&["plimsoll-sidecar"]) && answer.message().contains(what), "{request:?}: {answer:?}");
    }
    guards.kubectl.run(&["delete", "-n", "kube-public", "rs/own"]);
}

#[test]
fn a_large_object_is_compared_within_the_api_servers_limits() {
    let Some(guards) = Guards::start(&[], &[]) else { return };
    let mut large = annotated(replica_set("large"), "example.com/note", &"x".repeat(100_000));
    let environment = (0..6_000).map(|number| json!({"name": format!("VARIABLE_{number}"), "value": "x".repeat(100)}));
    large["spec"]["template"]["spec"]["containers"][0]["env"] = environment.collect();
    for number in 0..2_000 {
        large["metadata"]["annotations"][format!("example.com/note-{number}")] = "x".into();
        large["metadata"]["labels"][format!("example.com/label-{number}")] = "x".into();
    }
    guards.kubectl.try_run_with(&["create", "-n", &guards.namespace, "-f", "-"], &large.to_string()).unwrap();
    let answer = guards.sidecar.call(&guards.patch("replicasets", "large", repair()));
    assert!(answer.accepted(), "{} {}", answer.code, answer.message());
    let status = guards.patch("replicasets", "large/status", json!({"status": {"replicas": 1}}));
    let answer = guards.api.call(&status);
    assert!(answer.accepted(), "{} {}", answer.code, answer.message());
}

#[test]
fn what_another_webhook_adds_is_refused_warned_of_or_named() {
    let Some(guards) = Guards::start(&[], &[]) else { return };
    let hook = stamp::start();
    guards.kubectl.try_run_with(&["create", "-n", &guards.namespace, "-f", "-"], &replica_set("web").to_string()).unwrap();
    guards.kubectl.create(&stamp::configuration(&hook, &guards.namespace));
    let patch = guards.patch("replicasets", "web", repair());
    eventually("the other webhook stamps", || {
        let answer = guards.api.call(&patch);
        if annotation(&answer.body, STAMP).is_some() { Ok(()) } else { Err(answer) }
    });
    let answer = guards.sidecar.call(&patch);
    assert!(answer.denied_by(&["plimsoll-sidecar"]) && answer.message().contains(STAMP), "{answer:?}");

    guards.kubectl.apply(&warning(&guards));
    let stamped = |answer: &super::Answer| answer.accepted() && annotation(&answer.body, STAMP).is_some();
    let answer = eventually("the overlay `warn` lets it through", || {
        let answer = guards.sidecar.call(&patch);
        if stamped(&answer) { Ok(answer) } else { Err(answer) }
    });
    assert!(answer.warnings.contains(STAMP), "and says so: {answer:?}");

    guards.apply(&[&format!("--other-keys={STAMP}")]);
    let answer = eventually("the other webhook's key is allowed", || {
        let answer = guards.sidecar.call(&patch);
        if stamped(&answer) && answer.warnings.is_empty() { Ok(answer) } else { Err(answer) }
    });
    assert!(annotation(&answer.body, PREFERENCES).is_some(), "{answer:?}");
    eventually("the policy denies again", || {
        let label = guards.patch("replicasets", "web", json!({"metadata": {"labels": {"tier": "gold"}}}));
        let answer = guards.sidecar.call(&label);
        if answer.denied_by(&["plimsoll-sidecar"]) { Ok(()) } else { Err(answer) }
    });
}

/// The sidecar's binding as the shipped overlay has it.
fn warning(guards: &Guards) -> String {
    let text = guards.kubectl.run(&["kustomize", &checkout("deploy/overlays/warn")]);
    let binding = |document: &&str| {
        document.contains("kind: ValidatingAdmissionPolicyBinding") && document.contains("policyName: plimsoll-sidecar")
    };
    text.split("\n---\n").find(binding).unwrap().to_owned()
}
