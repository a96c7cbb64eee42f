//! A kind of one's own whose objects are stored in another version from some day on.

use serde_json::{Value as Json, json};

use super::server::Server;

const DEFINITION: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

fn widgets(version: &str) -> String {
    format!("/apis/example.com/{version}/namespaces/default/widgets")
}

/// Both are served; one is stored.
fn versions(stored: &str) -> Json {
    let schema = json!({"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}});
    let version = |name: &str| json!({"name": name, "served": true, "storage": name == stored, "schema": schema});
    json!([version("v1"), version("v2")])
}

async fn with_a_widget() -> Server {
    let server = Server::start().await;
    let names = json!({"plural": "widgets", "singular": "widget", "kind": "Widget"});
    let spec = json!({"group": "example.com", "scope": "Namespaced", "names": names, "versions": versions("v1")});
    let made = server.post(DEFINITION, &json!({"metadata": {"name": "widgets.example.com"}, "spec": spec})).await;
    assert_eq!(made.code, 201, "{}", made.body);
    let widget = json!({"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w"}, "data": {"k": "v"}});
    assert_eq!(server.post(&widgets("v1"), &widget).await.code, 201);
    let changed =
        server.merge(&format!("{DEFINITION}/widgets.example.com"), &json!({"spec": {"versions": versions("v2")}})).await;
    assert_eq!((changed.code, &changed.body["status"]["storedVersions"]), (200, &json!(["v1", "v2"])), "{}", changed.body);
    server
}

#[actix_web::test]
async fn an_object_is_in_the_version_that_is_asked_for_whichever_it_is_stored_in() {
    let server = with_a_widget().await;
    for version in ["v1", "v2"] {
        let api_version = json!(format!("example.com/{version}"));
        assert_eq!(server.get(&format!("{}/w", widgets(version))).await.body["apiVersion"], api_version);
        assert_eq!(server.get(&widgets(version)).await.body["items"][0]["apiVersion"], api_version);
        let mut watch = server.watch(&format!("{}?watch=1&resourceVersion=0", widgets(version))).await;
        assert_eq!(watch.next().await.unwrap()["object"]["apiVersion"], api_version);
    }
    let patched = server.merge(&format!("{}/w", widgets("v2")), &json!({"dummy": "test"})).await;
    assert_eq!((patched.code, &patched.body["dummy"], &patched.body["data"]), (200, &json!("test"), &json!({"k": "v"})));
    assert_eq!(server.get(&format!("{}/w", widgets("v1"))).await.body["dummy"], "test");
    server.running.stop().await;
}

/// This is how objects are migrated before the old version is taken away.
#[actix_web::test]
async fn a_write_that_changes_nothing_stores_the_object_in_the_new_version_once() {
    let server = with_a_widget().await;
    for version in ["v1", "v2"] {
        let path = format!("{}/w", widgets(version));
        let before = server.get(&path).await.body;
        let after = server.put(&path, &before).await.body;
        let is_migrated = before["metadata"]["resourceVersion"] != after["metadata"]["resourceVersion"];
        assert_eq!(is_migrated, version == "v1", "{after}");
        assert_eq!((&after["apiVersion"], &after["data"]), (&before["apiVersion"], &before["data"]));
    }
    server.running.stop().await;
}
