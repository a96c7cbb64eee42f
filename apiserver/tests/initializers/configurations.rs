//! Which initializers are asked, and from when on.

use serde_json::{Value as Json, json};

use super::server::{ALL, CONFIGURATIONS, MAPS, Server, map, patient, pending};

#[actix_web::test]
async fn the_next_create_meets_a_new_configuration_and_not_a_deleted_one() {
    let server = Server::start(patient()).await;
    for number in 0..50 {
        let name = format!("n{number}");
        server.register(&name, &[("a", json!({}))]).await;
        let met = server.admin.post(&format!("{MAPS}?{ALL}&dryRun=All"), &map(&name)).await.expect(201);
        assert_eq!(pending(&met.body), ["a.example.com"], "{number}");
        server.admin.delete(&format!("{CONFIGURATIONS}/{name}")).await.expect(200);
        server.admin.post(MAPS, &map(&name)).await.expect(201);
    }
    server.running.stop().await;
}

#[actix_web::test]
async fn initializers_are_asked_in_the_order_of_configurations_and_once_each() {
    let server = Server::start(patient()).await;
    server.register("b", &[("z", json!({})), ("a", json!({}))]).await;
    server.register("a", &[("m", json!({})), ("none", json!({"rules": []}))]).await;
    let patch = json!({"initializers": [{"name": "z.example.com"}, {"name": "n.example.com"}]});
    let changed = server.admin.merge(&format!("{CONFIGURATIONS}/a"), &patch).await.expect(200);
    assert_eq!(
        changed.warnings,
        [
            r#"299 - "initializers[0].name: \"z.example.com\" is in the configuration \"b\" too: only the first in order is asked""#
        ]
    );
    assert_eq!(pending(&server.uninitialized("x").await), ["a.example.com"], "the first `z` wants nothing");
    server.admin.delete(&format!("{CONFIGURATIONS}/a")).await.expect(200);
    assert_eq!(pending(&server.uninitialized("y").await), ["z.example.com", "a.example.com"]);
    server.running.stop().await;
}

/// One of several rules is enough; the code of 1.7 to 1.13 wanted all of them.
#[actix_web::test]
async fn any_rule_is_enough_and_it_means_the_version_of_the_request() {
    let server = Server::start(patient()).await;
    let rule = |group: &str, version: &str, resource: &str| json!({"apiGroups": [group], "apiVersions": [version], "resources": [resource]});
    let rules = json!({"rules": [rule("", "v1", "pods"), rule("", "v1", "configmaps"), rule("apps", "v1", "deployments")]});
    server.register("c", &[("a", rules)]).await;
    assert_eq!(pending(&server.uninitialized("x").await), ["a.example.com"]);
    let container = json!({"containers": [{"name": "c", "image": "i"}]});
    let template = json!({"metadata": {"labels": {"a": "b"}}, "spec": container});
    let deployment =
        |name: &str| json!({"metadata": {"name": name}, "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": template}});
    server.admin.post(&format!("/apis/apps/v1/namespaces/default/deployments?{ALL}"), &deployment("x")).await.expect(202);
    server
        .admin
        .post(&format!("/apis/extensions/v1beta1/namespaces/default/deployments?{ALL}"), &deployment("y"))
        .await
        .expect(201);
    server.running.stop().await;
}

/// A dead initializer for everything never prevents reading, editing or deleting any configuration of admission.
#[actix_web::test]
async fn nothing_keeps_configurations_from_being_repaired() {
    let server = Server::start(patient()).await;
    let everything = json!({"failurePolicy": "Fail", "rules": [{"apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*"]}]});
    server.register("all", &[("dead", everything)]).await;
    server.uninitialized("x").await;
    let group = "/apis/admissionregistration.k8s.io";
    for kind in [
        "v1/mutatingwebhookconfigurations",
        "v1/validatingwebhookconfigurations",
        "v1beta1/mutatingwebhookconfigurations",
        "v1beta1/validatingwebhookconfigurations",
        "v1alpha1/externaladmissionhookconfigurations",
        "v1alpha1/initializerconfigurations",
    ] {
        let path = format!("{group}/{kind}");
        server.admin.post(&path, &json!({"metadata": {"name": "c"}})).await.expect(201);
        server.admin.get(&format!("{path}/c")).await.expect(200);
        server.admin.merge(&format!("{path}/c"), &json!({"metadata": {"labels": {"a": "b"}}})).await.expect(200);
        server.admin.delete(&format!("{path}/c")).await.expect(200);
    }
    server.admin.delete(&format!("{CONFIGURATIONS}/all")).await.expect(200);
    server.admin.post(MAPS, &map("y")).await.expect(201);
    server.running.stop().await;
}

#[actix_web::test]
async fn a_configuration_is_a_resource_like_any_other() {
    let server = Server::start(patient()).await;
    let rule = json!({"apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"]});
    let object = json!({"metadata": {"name": "c"}, "initializers": [{"name": "a.example.com", "rules": [rule]}]});
    let created = server.admin.post(CONFIGURATIONS, &object).await.expect(201).body;
    let kind = (&created["kind"], &created["apiVersion"], &created["initializers"][0]["failurePolicy"]);
    assert_eq!(kind, (&json!("InitializerConfiguration"), &json!("admissionregistration.k8s.io/v1alpha1"), &json!("Ignore")));
    let added = json!({"initializers": [{"name": "b.example.com", "failurePolicy": "Fail"}]});
    let patched = server.admin.patch(&format!("{CONFIGURATIONS}/c"), "strategic-merge", &added).await.expect(200).body;
    let names: Vec<&Json> = patched["initializers"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
    assert_eq!(names.len(), 2, "{names:?}");
    assert_eq!(server.admin.get_as(CONFIGURATIONS, "Table").await.expect(200).names(), ["c"]);
    let resources = server.admin.get("/apis/admissionregistration.k8s.io/v1alpha1").await.expect(200).body;
    let listed =
        resources["resources"].as_array().unwrap().iter().find(|one| one["name"] == "initializerconfigurations").unwrap();
    assert_eq!((&listed["singularName"], &listed["namespaced"]), (&json!("initializerconfiguration"), &json!(false)));
    let bad = json!({"metadata": {"name": "bad"}, "initializers": [
        {"name": "a.com", "failurePolicy": "Retry", "rules": [{"apiGroups": ["*", "apps"], "apiVersions": [], "resources": ["pods/log"]}]},
    ]});
    let refused = server.admin.post(CONFIGURATIONS, &bad).await.expect(422);
    for part in [
        "initializers[0].name: Invalid value: \"a.com\": should be a domain with at least three segments separated by dots",
        "initializers[0].failurePolicy: Unsupported value: \"Retry\"",
        "if '*' is present, must not specify other API groups",
        "initializers[0].rules[0].apiVersions: Required value",
        "must not specify subresources",
    ] {
        assert!(refused.message().contains(part), "{part}: {}", refused.message());
    }
    let unknown =
        json!({"metadata": {"name": "bad"}, "initializers": [{"name": "a.b.c", "rules": [{"operations": ["CREATE"]}]}]});
    let refused = server.admin.post(&format!("{CONFIGURATIONS}?fieldValidation=Strict"), &unknown).await.expect(400);
    assert!(refused.message().contains("unknown field \"initializers[0].rules[0].operations\""), "{refused:?}");
    server.running.stop().await;
}
