//! Which versions and resources of the built-in kinds are served.

use std::path::Path;

use plimsoll_apiserver::resources::RuntimeConfig;
use plimsoll_apiserver::run::{Options, start};
use serde_json::{Value as Json, json};

use super::alpha;
use super::engine::ok;
use super::eventually::eventually;
use super::server::{Kind, MAPS, Server, map, review};
use super::switches::disabled;

const GROUP: &str = "/apis/admissionregistration.k8s.io";
const LEASES: &str = "/apis/coordination.k8s.io/v1/namespaces/n/leases";

pub(super) fn serving(text: &str) -> Options {
    Options { runtime_config: RuntimeConfig::new([text]), ..Options::default() }
}

fn keeping(folder: &Path, options: Options) -> Options {
    Options { data_dir: Some(folder.into()), ..options }
}

#[actix_web::test]
async fn a_version_that_is_off_is_found_nowhere() {
    let table: [(&str, &[&str]); 5] = [
        ("", &["v1", "v1beta1", "v1alpha1"]),
        ("admissionregistration.k8s.io/v1alpha1=false", &["v1", "v1beta1"]),
        ("admissionregistration.k8s.io/v1alpha1=true,admissionregistration.k8s.io/v1beta1=false", &["v1", "v1alpha1"]),
        ("api/all=false,/v1=true,rbac.authorization.k8s.io/v1=true", &[]),
        ("api/all=false,admissionregistration.k8s.io/v1=true", &["v1"]),
    ];
    for (said, served) in table {
        let server = Server::with(serving(said)).await;
        let group = server.get(GROUP).await;
        let listed: Vec<&str> =
            group.body["versions"].as_array().into_iter().flatten().map(|one| one["version"].as_str().unwrap()).collect();
        assert_eq!((group.code, listed.as_slice()), (if served.is_empty() { 404 } else { 200 }, served), "{said}");
        let (index, all) = (server.get("/openapi/v3").await.body, server.get("/openapi/v2").await.body.to_string());
        for (version, plural) in [
            ("v1", "mutatingwebhookconfigurations"),
            ("v1beta1", "validatingwebhookconfigurations"),
            ("v1alpha1", "initializerconfigurations"),
            ("v1alpha1", "externaladmissionhookconfigurations"),
        ] {
            let (is_served, path) = (served.contains(&version), format!("{GROUP}/{version}"));
            let code = if is_served { 200 } else { 404 };
            for path in [path.clone(), format!("{path}/{plural}"), format!("/openapi/v3{path}")] {
                assert_eq!(server.get(&path).await.code, code, "{said}: {path}");
            }
            if !is_served {
                server.post(&format!("{path}/{plural}"), &json!({"metadata": {"name": "a"}})).await.expect(404);
            }
            assert_eq!(index["paths"].get(path.trim_start_matches('/')).is_some(), is_served, "{said}: {path}");
            assert_eq!(all.contains(&format!("io.k8s.api.admissionregistration.{version}.")), is_served, "{said}: {version}");
        }
        server.running.stop().await;
    }
}

/// `v1beta1` is another view of what is stored as `v1`, whether or not that is served.
#[actix_web::test]
async fn what_is_stored_in_a_version_that_is_off_is_seen_in_the_other() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::keeping(Some(folder.path().into())).await;
    let hook = server.hook([review(json!({"allowed": false}))]);
    server.register(Kind::Validating, "h", &[server.spec("h", &hook.origin(), json!({}))]).await;
    let server = server.again(keeping(folder.path(), serving("admissionregistration.k8s.io/v1=false"))).await;
    server.post(MAPS, &map("a")).await.expect(400);
    let collection = format!("{GROUP}/v1beta1/validatingwebhookconfigurations");
    let seen = server.get(&format!("{collection}/h")).await.expect(200).body;
    assert_eq!(
        (&seen["apiVersion"], &seen["webhooks"][0]["timeoutSeconds"]),
        (&json!("admissionregistration.k8s.io/v1beta1"), &json!(10))
    );
    let body = json!({"metadata": {"name": "i"}, "webhooks": [server.spec("i", &hook.origin(), json!({}))]});
    server.post(&collection, &body).await.expect(201);
    server.delete(&format!("{collection}/h")).await.expect(200);
    let server = server.again(keeping(folder.path(), Options::default())).await;
    let stored = server.get(&Kind::Validating.collection()).await.body;
    let listed: Vec<(&Json, &Json)> = stored["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| (&item["metadata"]["name"], &item["webhooks"][0]["timeoutSeconds"]))
        .collect();
    assert_eq!(listed, [(&json!("i"), &json!(30))], "with the defaults of its own version");
    server.running.stop().await;
}

/// Switching a version off hides its objects and frees nobody from them: its plugin does.
#[actix_web::test]
async fn hooks_of_a_version_that_is_off_are_in_force_until_their_plugin_is_off_too() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::keeping(Some(folder.path().into())).await;
    let refuses = json!({"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1alpha1", "status": {"allowed": false}});
    let _hook = alpha::register(&server, "a", [ok(refuses)], json!({})).await;
    server.post(MAPS, &map("a")).await.expect(400);
    let off = || keeping(folder.path(), serving("api/alpha=false"));
    let server = server.again(off()).await;
    server.get(&format!("{GROUP}/v1alpha1/externaladmissionhookconfigurations")).await.expect(404);
    server.post(MAPS, &map("a")).await.expect(400);
    let server = server.again(Options { plugins: disabled("GenericAdmissionWebhook").plugins, ..off() }).await;
    server.post(MAPS, &map("a")).await.expect(201);
    server.running.stop().await;
}

#[actix_web::test]
async fn a_namespace_takes_objects_of_versions_that_are_off_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::keeping(Some(folder.path().into())).await;
    server.post("/api/v1/namespaces", &json!({"metadata": {"name": "n"}})).await.expect(201);
    server.post(LEASES, &json!({"metadata": {"name": "a"}})).await.expect(201);
    let server = server.again(keeping(folder.path(), serving("coordination.k8s.io/v1=false"))).await;
    server.get(LEASES).await.expect(404);
    server.delete("/api/v1/namespaces/n").await.expect(200);
    eventually(async || (server.get("/api/v1/namespaces/n").await.code == 404).then_some(())).await;
    let server = server.again(keeping(folder.path(), Options::default())).await;
    assert_eq!(server.get("/apis/coordination.k8s.io/v1/leases").await.body["items"], json!([]));
    server.running.stop().await;
}

#[actix_web::test]
async fn what_means_nothing_does_not_start() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let table = [
        ("api/all=false", "invalid runtime-config with only api/all=false"),
        ("policy/v1=false", "unknown api groups policy/v1: known are admissionregistration.k8s.io, "),
    ];
    for (said, part) in table {
        let refused = start(serving(said)).await.err().map(|error| error.to_string()).unwrap_or_default();
        assert!(refused.contains(part), "{part}: {refused}");
    }
}
