//! The life of objects: creation, changes, deletion, namespaces, owners, restarts.

use plimsoll_apiserver::run::Options;
use reqwest::Method;
use serde_json::{Value as Json, json};

use super::server::{MAPS, PATIENCE, Server, config_map, reply, text, version};

/// Asks until an object is gone.
async fn gone(server: &Server, path: &str) {
    let deadline = tokio::time::Instant::now() + PATIENCE;
    loop {
        let reply = server.get(path).await;
        if reply.code == 404 {
            return;
        }
        assert!(tokio::time::Instant::now() < deadline, "{path} is still there: {}", reply.body);
        tokio::task::yield_now().await;
    }
}

#[actix_web::test]
async fn an_update_that_changes_nothing_is_no_write() {
    let server = Server::start().await;
    let path = format!("{MAPS}/a");
    let made = server.config_map("a", "1").await;
    let same = server.put(&path, &config_map("a", "1")).await.body;
    assert_eq!(version(&same), version(&made));
    let changed = server.merge(&path, &json!({"data": {"k": "2"}})).await.body;
    assert!(version(&changed) > version(&made));
    let mut stale = made.clone();
    stale["data"]["k"] = "3".into();
    let refused = server.put(&path, &stale).await;
    let message = r#"Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again"#;
    assert_eq!((refused.code, text(&refused.body, "/message")), (409, message));
    assert_eq!(text(&changed, "/metadata/uid"), text(&made, "/metadata/uid"));
    let other = json!({"metadata": {"name": "a", "uid": "x"}});
    assert_eq!(server.put(&path, &other).await.code, 409);
    server.running.stop().await;
}

#[actix_web::test]
async fn a_dry_run_stores_nothing() {
    let server = Server::start().await;
    let before = version(&server.get(MAPS).await.body);
    let made = server.post(&format!("{MAPS}?dryRun=All"), &config_map("a", "1")).await;
    assert_eq!(made.code, 201);
    assert!(!text(&made.body, "/metadata/uid").is_empty());
    assert_eq!(made.body.pointer("/metadata/resourceVersion"), None);
    assert_eq!(server.get(&format!("{MAPS}/a")).await.code, 404);
    assert_eq!(version(&server.get(MAPS).await.body), before);
    server.running.stop().await;
}

#[actix_web::test]
async fn names_are_drawn() {
    let server = Server::start().await;
    let made = server.post(MAPS, &json!({"metadata": {"generateName": "web-"}})).await;
    assert_eq!(made.code, 201, "{}", made.body);
    let name = text(&made.body, "/metadata/name");
    assert!(name.starts_with("web-") && name.len() == 9, "{name}");
    server.running.stop().await;
}

#[actix_web::test]
async fn finalizers_hold_an_object_back() {
    let server = Server::start().await;
    let path = format!("{MAPS}/a");
    let held = json!({"metadata": {"name": "a", "finalizers": ["example.com/hold"]}});
    let made = server.post(MAPS, &held).await.body;
    let deleted = server.delete(&path).await;
    assert_eq!((deleted.code, text(&deleted.body, "/kind")), (200, "ConfigMap"));
    let stamp = text(&deleted.body, "/metadata/deletionTimestamp");
    assert!(!stamp.is_empty());
    assert_eq!(version(&server.delete(&path).await.body), version(&deleted.body), "deleting twice changes nothing");
    let refused = server.merge(&path, &json!({"metadata": {"finalizers": ["example.com/hold", "example.com/more"]}})).await;
    assert_eq!(refused.code, 422, "{}", refused.body);
    let released = server.merge(&path, &json!({"metadata": {"finalizers": null}})).await;
    assert_eq!((released.code, text(&released.body, "/metadata/uid")), (200, text(&made, "/metadata/uid")));
    assert_eq!(server.get(&path).await.code, 404);
    let plain = server.config_map("b", "1").await;
    let wrong = json!({"preconditions": {"uid": "x"}});
    let refused = reply(server.request(Method::DELETE, &format!("{MAPS}/b")).json(&wrong)).await;
    assert_eq!(refused.code, 409, "{}", refused.body);
    let deleted = server.delete(&format!("{MAPS}/b")).await.body;
    assert_eq!((text(&deleted, "/status"), text(&deleted, "/details/uid")), ("Success", text(&plain, "/metadata/uid")));
    server.running.stop().await;
}

#[actix_web::test]
async fn an_object_can_be_made_as_soon_as_its_namespace_is_there() {
    let server = Server::start().await;
    for index in 0..200 {
        let name = format!("n-{index}");
        let namespace = json!({"metadata": {"name": name}});
        assert_eq!(server.post("/api/v1/namespaces", &namespace).await.code, 201);
        let made = server.post(&format!("/api/v1/namespaces/{name}/configmaps"), &config_map("a", "1")).await;
        assert_eq!(made.code, 201, "{}", made.body);
    }
    server.running.stop().await;
}

#[actix_web::test]
async fn a_namespace_is_emptied_before_it_goes() {
    let server = Server::start().await;
    let made = server.post("/api/v1/namespaces", &json!({"metadata": {"name": "n"}})).await.body;
    assert_eq!(made["metadata"]["labels"]["kubernetes.io/metadata.name"], "n");
    assert_eq!((text(&made, "/status/phase"), &made["spec"]["finalizers"]), ("Active", &json!(["kubernetes"])));
    let maps = "/api/v1/namespaces/n/configmaps";
    let held = json!({"metadata": {"name": "held", "finalizers": ["example.com/hold"]}});
    for object in [config_map("a", "1"), held] {
        assert_eq!(server.post(maps, &object).await.code, 201);
    }
    let going = server.delete("/api/v1/namespaces/n").await.body;
    assert_eq!(text(&going, "/status/phase"), "Terminating");
    let refused = server.post(maps, &config_map("late", "1")).await;
    assert_eq!(
        (refused.code, text(&refused.body, "/details/causes/0/reason")),
        (403, "NamespaceTerminating"),
        "{}",
        refused.body
    );
    gone(&server, &format!("{maps}/a")).await;
    assert_eq!(server.get("/api/v1/namespaces/n").await.code, 200, "something is left in it");
    server.merge(&format!("{maps}/held"), &json!({"metadata": {"finalizers": null}})).await;
    gone(&server, "/api/v1/namespaces/n").await;
    assert_eq!(server.post("/api/v1/namespaces", &json!({"metadata": {"name": "n"}})).await.code, 201);
    assert_eq!(server.get(maps).await.body["items"], json!([]));
    server.running.stop().await;
}

#[actix_web::test]
async fn what_has_no_owner_left_goes() {
    let server = Server::start().await;
    let owner = server.config_map("owner", "1").await;
    let reference = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": text(&owner, "/metadata/uid"), "blockOwnerDeletion": true,
    });
    let child = |name: &str| json!({"metadata": {"name": name, "ownerReferences": [reference]}});
    server.post(MAPS, &child("a")).await;
    let foreground = json!({"propagationPolicy": "Foreground"});
    let waiting = reply(server.request(Method::DELETE, &format!("{MAPS}/owner")).json(&foreground)).await;
    assert_eq!(waiting.body["metadata"]["finalizers"], json!(["foregroundDeletion"]));
    gone(&server, &format!("{MAPS}/owner")).await;
    assert_eq!(server.get(&format!("{MAPS}/a")).await.code, 404, "the owner waits for its dependents");
    server.post(MAPS, &child("b")).await;
    gone(&server, &format!("{MAPS}/b")).await;
    server.running.stop().await;
}

#[actix_web::test]
async fn definitions_are_served_as_soon_as_they_are_answered() {
    let server = Server::start().await;
    let schema = json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {"size": {"type": "integer", "default": 2}}}}});
    let version = json!({"name": "v1", "served": true, "storage": true, "subresources": {"status": {}}, "schema": {"openAPIV3Schema": schema}});
    let names = json!({"plural": "widgets", "singular": "widget", "kind": "Widget"});
    let spec = json!({"group": "example.com", "scope": "Namespaced", "names": names, "versions": [version]});
    let definition = json!({"metadata": {"name": "widgets.example.com"}, "spec": spec});
    let definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    let made = server.post(definitions, &definition).await;
    assert_eq!(made.code, 201, "{}", made.body);
    let conditions = made.body["status"]["conditions"].as_array().unwrap();
    assert!(conditions.iter().any(|one| one["type"] == "Established" && one["status"] == "True"), "{}", made.body);
    let widgets = "/apis/example.com/v1/namespaces/default/widgets";
    let widget = server.post(widgets, &json!({"metadata": {"name": "w"}, "spec": {"unknown": 1}})).await;
    assert_eq!((widget.code, &widget.body["spec"]), (201, &json!({"size": 2})), "{}", widget.body);
    assert!(widget.headers["warning"].to_str().unwrap().contains(r#"unknown field \"spec.unknown\""#));
    assert_eq!(server.get("/apis/example.com/v1").await.body["resources"][0]["name"], "widgets");
    let unconditional = server.put(&format!("{widgets}/w"), &json!({"metadata": {"name": "w"}})).await;
    assert_eq!(unconditional.code, 422, "{}", unconditional.body);
    server.delete(&format!("{definitions}/widgets.example.com")).await;
    gone(&server, &format!("{definitions}/widgets.example.com")).await;
    assert_eq!(server.get(widgets).await.code, 404);
    server.running.stop().await;
}

#[actix_web::test]
async fn objects_and_revisions_outlive_the_server() {
    let directory = tempfile::tempdir().unwrap();
    let options = || Options { data_dir: Some(directory.path().join("data")), ..Options::default() };
    let server = Server::with(options()).await;
    let made = server.config_map("a", "1").await;
    server.running.stop().await;
    let server = Server::with(options()).await;
    let found: Json = server.get(&format!("{MAPS}/a")).await.body;
    assert_eq!(found, made);
    assert!(version(&server.config_map("b", "1").await) > version(&made));
    server.running.stop().await;
}
