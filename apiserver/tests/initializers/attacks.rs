//! A tenant with every right on a kind but `initialize`: cannot finish, reorder, refuse or skip initialization, and learns nothing
//! of a hidden object but that its name is taken.

use std::collections::BTreeSet;

use serde_json::{Value as Json, json};

use super::server::{ALL, Answer, Caller, MAPS, Server, map, patient};

const DEPLOYMENTS: &str = "/apis/apps/v1/namespaces/default/deployments";
const VERBS: [&str; 8] = ["create", "get", "list", "watch", "update", "patch", "delete", "deletecollection"];
/// Stands in what is hidden, and must stand in no answer.
const SECRET: &str = "hush";

/// A hidden ConfigMap and a hidden Deployment, both called `w`.
async fn hidden() -> (Server, Caller) {
    let server = Server::start(patient()).await;
    let tenant = server.user("tenant", &VERBS).await;
    let rules = json!({"rules": [{"apiGroups": ["*"], "apiVersions": ["*"], "resources": ["configmaps", "deployments"]}]});
    server.register("c", &[("a", rules.clone()), ("b", rules)]).await;
    let mut secret = map("w");
    secret["data"] = json!({"k": SECRET});
    server.admin.post(&format!("{MAPS}?{ALL}"), &secret).await.expect(202);
    let template = json!({"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": SECRET}]}});
    let deployment = json!({"metadata": {"name": "w"}, "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": template}});
    server.admin.post(&format!("{DEPLOYMENTS}?{ALL}"), &deployment).await.expect(202);
    (server, tenant)
}

fn with_initializers(initializers: Json) -> Json {
    let mut object = map("w");
    object["metadata"]["initializers"] = initializers;
    object
}

async fn ask(caller: &Caller, how: &str, path: &str, body: &Json) -> Answer {
    match how {
        "get" => caller.get(path).await,
        "post" => caller.post(path, body).await,
        "put" => caller.put(path, body).await,
        kind => caller.patch(path, kind, body).await,
    }
}

#[actix_web::test]
async fn nothing_about_a_hidden_object_is_changed_or_told() {
    let (server, tenant) = hidden().await;
    let (one, deployment) = (format!("{MAPS}/w"), format!("{DEPLOYMENTS}/w"));
    let before = (server.stored("w").await, server.admin.get(&format!("{deployment}?{ALL}")).await.body);
    let name = |value: &str| json!([{"op": "test", "path": "/data/k", "value": value}]);
    let own = json!({"pending": [{"name": "own.example.com"}]});
    let failure = json!({"pending": [], "result": {"status": "Failure", "message": "mine"}});
    let scale = json!({"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "w"}, "spec": {"replicas": 9}});
    let status = |initializers: Json| json!({"metadata": {"initializers": initializers}, "status": {"replicas": 1}});
    let cases: Vec<(&str, String, Json, u16)> = vec![
        ("get", one.clone(), Json::Null, 404),
        ("get", format!("{deployment}/status"), Json::Null, 404),
        ("get", format!("{deployment}/scale"), Json::Null, 404),
        ("put", one.clone(), map("w"), 403),
        ("put", one.clone(), with_initializers(json!({})), 403),
        ("put", one.clone(), with_initializers(own.clone()), 403),
        ("put", one.clone(), with_initializers(failure.clone()), 403),
        ("merge", one.clone(), json!({}), 403),
        ("merge", one.clone(), json!({"metadata": {"initializers": null}}), 403),
        ("merge", one.clone(), json!({"metadata": {"initializers": failure}}), 403),
        ("merge", one.clone(), json!({"metadata": {"uid": "x"}}), 403),
        ("merge", one.clone(), json!({"metadata": {"resourceVersion": "1"}}), 403),
        (
            "strategic-merge",
            one.clone(),
            json!({"metadata": {"initializers": {"pending": [{"$patch": "delete", "name": "a.example.com"}]}}}),
            403,
        ),
        ("strategic-merge", one.clone(), json!({"metadata": {"initializers": {"$setElementOrder/pending": []}}}), 403),
        ("json", one.clone(), name(SECRET), 403),
        ("json", one.clone(), name("another"), 403),
        ("json", one.clone(), json!([{"op": "remove", "path": "/metadata/initializers"}]), 403),
        ("apply", format!("{one}?fieldManager=m"), map("w"), 403),
        ("apply", format!("{one}?fieldManager=m&force=true"), with_initializers(json!({})), 403),
        ("merge", format!("{one}?dryRun=All"), json!({}), 403),
        ("put", format!("{one}?dryRun=All"), map("w"), 403),
        ("merge", format!("{deployment}/status"), json!({}), 422),
        ("merge", format!("{deployment}/status"), status(Json::Null), 422),
        ("merge", format!("{deployment}/status?dryRun=All"), json!({}), 422),
        (
            "apply",
            format!("{deployment}/status?fieldManager=m&force=true"),
            json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "w"}}),
            422,
        ),
        ("put", format!("{deployment}/scale"), scale.clone(), 403),
        ("merge", format!("{deployment}/scale"), scale, 403),
        ("post", MAPS.to_owned(), map("w"), 409),
        ("post", format!("{MAPS}?dryRun=All"), map("w"), 409),
        ("post", MAPS.to_owned(), with_initializers(json!({})), 403),
        ("post", MAPS.to_owned(), with_initializers(own), 403),
    ];
    for (how, path, body, code) in cases {
        let answer = ask(&tenant, how, &path, &body).await;
        assert_eq!(answer.code, code, "{how} {path} {body}: {answer:?}");
        let told = answer.body.to_string();
        assert!(!told.contains(SECRET) || body.to_string().contains(SECRET) && !told.contains("spec"), "{how} {path}: {told}");
    }
    let after = (server.stored("w").await, server.admin.get(&format!("{deployment}?{ALL}")).await.body);
    assert_eq!(after, before);
    server.running.stop().await;
}

/// Whether a test in a patch holds, a version or uid is right, would tell what the object holds.
#[actix_web::test]
async fn a_guess_is_answered_like_any_other() {
    let (server, tenant) = hidden().await;
    let stored = server.stored("w").await.unwrap();
    let mut answers = BTreeSet::new();
    for guess in [stored["metadata"]["uid"].clone(), json!("another")] {
        let body = json!({"metadata": {"uid": guess}});
        answers.insert(tenant.merge(&format!("{MAPS}/w"), &body).await.expect(403).body.to_string());
    }
    for guess in [SECRET, "another"] {
        let body = json!([{"op": "test", "path": "/data/k", "value": guess}]);
        answers.insert(tenant.patch(&format!("{MAPS}/w"), "json", &body).await.expect(403).body.to_string());
    }
    assert_eq!(answers.len(), 1, "{answers:?}");
    server.running.stop().await;
}

#[actix_web::test]
async fn a_delete_works_and_shows_nothing_even_if_a_finalizer_holds_it() {
    let (server, tenant) = hidden().await;
    let held = json!({"metadata": {"finalizers": ["example.com/held"]}});
    server.admin.merge(&format!("{MAPS}/w"), &held).await.expect(200);
    for path in [format!("{MAPS}/w?dryRun=All"), format!("{MAPS}/w"), format!("{MAPS}/w")] {
        let answer = tenant.delete(&path).await.expect(200);
        assert_eq!(answer.body["kind"], "Status", "{answer:?}");
        assert!(!answer.body.to_string().contains(SECRET));
    }
    let stored = server.stored("w").await.unwrap();
    assert!(stored["metadata"]["deletionTimestamp"].is_string());
    let guess = json!({"preconditions": {"resourceVersion": "1"}});
    let request = tenant.request(reqwest::Method::DELETE, &format!("{MAPS}/w")).json(&guess);
    let told = request.send().await.unwrap().text().await.unwrap();
    let version = stored["metadata"]["resourceVersion"].as_str().unwrap();
    assert!(told.contains("Precondition failed") && !told.contains(&format!("meta: {version}")), "{told}");
    for path in [format!("{MAPS}?dryRun=All"), MAPS.to_owned(), format!("{MAPS}?fieldSelector=metadata.name=w")] {
        assert!(tenant.delete(&path).await.expect(200).names().is_empty(), "{path}");
    }
    tenant.get(&format!("{MAPS}/w")).await.expect(404);
    server.running.stop().await;
}

/// A watch from before, by name, by label: nothing until the object is initialized.
#[actix_web::test]
async fn no_watch_from_the_past_shows_it() {
    let (server, tenant) = hidden().await;
    let paths = ["resourceVersion=1", "fieldSelector=metadata.name%21=x", "labelSelector=app", "fieldSelector=metadata.name=w"];
    for path in paths.map(|query| format!("{MAPS}?watch=1&{query}")) {
        let mut watch = tenant.watch(&path).await;
        // What is made after it is seen first.
        let mut last = map("w");
        if !path.ends_with("=w") {
            last = map("z");
        }
        last["metadata"]["initializers"] = json!({});
        if path.ends_with("=w") {
            server.admin.delete(&format!("{MAPS}/w")).await.expect(200);
        }
        server.admin.post(MAPS, &last).await.expect(201);
        let event = watch.next().await.unwrap();
        assert_eq!(event, format!("ADDED {} v", last["metadata"]["name"].as_str().unwrap()), "{path}");
        server.admin.delete(&format!("{MAPS}/z")).await;
    }
    server.running.stop().await;
}

#[actix_web::test]
async fn who_may_initialize_may_and_nobody_creates_a_refusal() {
    let (server, _) = hidden().await;
    let verbs = [VERBS.as_slice(), &["initialize"]].concat();
    let helper = server.user("helper", &verbs).await;
    let refusal = with_initializers(json!({"pending": [], "result": {"status": "Failure"}}));
    let mut refused = refusal.clone();
    refused["metadata"]["name"] = json!("y");
    for caller in [&helper, &server.admin] {
        let answer = caller.post(&format!("{MAPS}?{ALL}"), &refused).await.expect(422);
        assert!(answer.message().contains("metadata.initializers.result: Forbidden"), "{answer:?}");
    }
    assert!(server.stored("y").await.is_none());
    let status = json!({"metadata": {"initializers": null, "labels": {"x": "y"}}, "status": {"replicas": 1}});
    let written = helper.merge(&format!("{DEPLOYMENTS}/w/status"), &status).await.expect(200).body;
    let (left, replicas) = (super::server::pending(&written), &written["status"]["replicas"]);
    assert_eq!((left, replicas), (vec!["a.example.com", "b.example.com"], &json!(1)), "a part does not finish the whole");
    helper.merge(&format!("{MAPS}/w"), &json!({"metadata": {"initializers": null}})).await.expect(200);
    helper.get(&format!("{MAPS}/w")).await.expect(200);
    server.running.stop().await;
}

/// Who can write configurations decides about everybody's objects.
#[actix_web::test]
async fn no_role_but_the_administrator_s_may_write_configurations_or_initialize() {
    let server = Server::start(patient()).await;
    for role in ["admin", "edit", "view"] {
        let binding = json!({
            "metadata": {"name": role}, "subjects": [{"kind": "User", "name": role, "apiGroup": "rbac.authorization.k8s.io"}],
            "roleRef": {"kind": "ClusterRole", "name": role, "apiGroup": "rbac.authorization.k8s.io"},
        });
        server.admin.post("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", &binding).await.expect(201);
        let user = Caller::new(&server.running, role, &[]);
        let configuration = json!({"metadata": {"name": "mine"}, "initializers": []});
        user.post(super::server::CONFIGURATIONS, &configuration).await.expect(403);
        let mut skips = map("x");
        skips["metadata"]["initializers"] = json!({});
        user.post(MAPS, &skips).await.expect(403);
    }
    server.running.stop().await;
}
