//! A server that stops in the middle, and what the next one makes of it.

use std::path::PathBuf;

use plimsoll_apiserver::server::InitializerSettings;
use plimsoll_apiserver::storage::{Change, Expect, Key, Write};
use serde_json::json;

use super::eventually::eventually;
use super::server::{CONFIGURATIONS, MAPS, Server, map, patient, pending, within};

/// As if a server had stopped between a refusal and the removal: one without initializers removes nothing.
async fn leave_refused(data_dir: Option<PathBuf>) {
    let settings = InitializerSettings { enabled: false, ..InitializerSettings::default() };
    let server = Server::keeping(data_dir, settings).await;
    let mut refused = server.stored("refused").await.unwrap();
    refused["metadata"]["initializers"]["result"] = json!({"status": "Failure", "message": "no"});
    refused["metadata"]["finalizers"] = json!(["example.com/held"]);
    let at = refused["metadata"]["resourceVersion"].as_str().unwrap().parse().unwrap();
    let key = Key { collection: "core/configmaps".into(), namespace: "default".into(), name: "refused".into() };
    let write = Write { key, expect: Expect::Revision(at), change: Change::Put(refused) };
    server.running.server().write(write).await.unwrap();
    server.running.stop().await;
}

#[actix_web::test]
async fn every_state_goes_on_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let kept = || Some(folder.path().into());
    let server = Server::keeping(kept(), patient()).await;
    server.register("c", &[("a", json!({})), ("b", json!({}))]).await;
    for name in ["new", "half", "done", "refused"] {
        server.uninitialized(name).await;
    }
    let half = json!({"metadata": {"initializers": {"pending": [{"name": "b.example.com"}]}}});
    server.admin.merge(&format!("{MAPS}/half"), &half).await.expect(200);
    server.finish("done").await;
    server.running.stop().await;
    leave_refused(kept()).await;

    let server = Server::keeping(kept(), patient()).await;
    assert_eq!(server.admin.get(MAPS).await.expect(200).names(), ["done"]);
    eventually(async || server.stored("refused").await.is_none().then_some(())).await;
    assert_eq!(pending(&server.stored("new").await.unwrap()), ["a.example.com", "b.example.com"]);
    assert_eq!(pending(&server.stored("half").await.unwrap()), ["b.example.com"]);
    assert_eq!(pending(&server.uninitialized("later").await).len(), 2, "configurations are in force from the start");
    server.finish("later").await;
    server.running.stop().await;

    let server = Server::keeping(kept(), within(300)).await;
    for name in ["new", "half"] {
        eventually(async || (server.admin.get(&format!("{MAPS}/{name}")).await.code == 200).then_some(())).await;
    }
    let opened = r#"apiserver_initializer_fail_open_count{name="b.example.com",reason="timer"}"#;
    eventually(async || (server.metric(opened).await == 2).then_some(())).await;
    server.admin.delete(&format!("{CONFIGURATIONS}/c")).await.expect(200);
    server.admin.post(MAPS, &map("last")).await.expect(201);
    server.running.stop().await;
}

#[actix_web::test]
async fn a_dead_initializer_for_everything_keeps_no_server_from_starting() {
    let folder = tempfile::tempdir().unwrap();
    let everything = json!({"failurePolicy": "Fail", "rules": [{"apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*"]}]});
    let server = Server::keeping(Some(folder.path().into()), patient()).await;
    server.register("all", &[("dead", everything)]).await;
    server.admin.delete("/apis/rbac.authorization.k8s.io/v1/clusterroles/view").await.expect(200);
    server.running.stop().await;
    let server = Server::keeping(Some(folder.path().into()), patient()).await;
    server.admin.get("/apis/rbac.authorization.k8s.io/v1/clusterroles/view").await.expect(200);
    server.running.stop().await;
}
