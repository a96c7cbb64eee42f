//! Webhooks in files (KEP-5793): the API does not know them, and nobody removes, renames or shadows them through it.

mod attacks;
mod reloads;

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use plimsoll_apiserver::admission::webhook::manifest::Interval;
use plimsoll_apiserver::run::{Options, start};
use reqwest::Method;
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use super::engine::{Act, Engine};
use super::eventually::eventually;
use super::server::{Kind, MAPS, Server, asked, map, patching, review};
use super::switches::disabled;
use super::versions::serving;

/// A folder for the manifests of each stage, and the configuration that names them.
struct Folders(TempDir);

impl Folders {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let stage = |name: &str, kind: Kind| {
            fs::create_dir(folder.path().join(directory(kind))).unwrap();
            let manifests = folder.path().join(directory(kind));
            let kind = "apiVersion: apiserver.config.k8s.io/v1, kind: WebhookAdmissionConfiguration";
            format!("- {{name: {name}, configuration: {{{kind}, staticManifestsDir: {}}}}}\n", manifests.display())
        };
        let stages = stage("MutatingAdmissionWebhook", Kind::Mutating) + &stage("ValidatingAdmissionWebhook", Kind::Validating);
        let head = "apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\nplugins:\n";
        fs::write(folder.path().join("admission.yaml"), format!("{head}{stages}")).unwrap();
        Self(folder)
    }

    fn options(&self) -> Options {
        let admission = Some(self.0.path().join("admission.yaml"));
        Options { admission, manifest_interval: Interval::new(Duration::from_millis(5)).unwrap(), ..Options::default() }
    }

    fn of(&self, kind: Kind) -> PathBuf {
        self.0.path().join(directory(kind))
    }

    /// Puts a manifest in its place as a whole.
    fn write(&self, kind: Kind, file: &str, manifest: &Json) {
        let draft = self.0.path().join("draft");
        fs::write(&draft, manifest.to_string()).unwrap();
        fs::rename(draft, self.of(kind).join(file)).unwrap();
    }
}

fn directory(kind: Kind) -> &'static str {
    if kind == Kind::Mutating { "mutating" } else { "validating" }
}

fn manifest(kind: Kind, name: &str, hooks: &[Json]) -> Json {
    let kind = if kind == Kind::Mutating { "Mutating" } else { "Validating" };
    json!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": format!("{kind}WebhookConfiguration"),
        "metadata": {"name": format!("{name}.static.k8s.io")}, "webhooks": hooks,
    })
}

fn refusing() -> Act {
    review(json!({"allowed": false, "status": {"message": "never", "code": 403}}))
}

/// A server whose validating stage has one hook in `guard.yaml`, which refuses new ConfigMaps, or what its members say.
async fn guarded(members: Json) -> (Server, Folders, Engine) {
    let folders = Folders::new();
    let server = Server::with(folders.options()).await;
    let hook = server.hook([refusing()]);
    let spec = server.spec("guard", &hook.origin(), members);
    folders.write(Kind::Validating, "guard.yaml", &manifest(Kind::Validating, "guard", &[spec]));
    (server.again(folders.options()).await, folders, hook)
}

/// How many reloads ended so.
async fn reloads(server: &Server, plugin: &str, status: &str) -> u64 {
    let text = server.get("/metrics").await.body;
    let name = "apiserver_manifest_admission_config_controller_automatic_reloads_total{";
    let of_plugin = |line: &&str| {
        [name, &format!("plugin=\"{plugin}\""), &format!("status=\"{status}\"")].iter().all(|part| line.contains(part))
    };
    let line = text.as_str().unwrap().lines().find(of_plugin);
    line.map_or(0, |line| line.rsplit_once(' ').unwrap().1.parse().unwrap())
}

/// Makes a change of the folder of the validating stage, and waits until it counts as this.
async fn after(server: &Server, status: &str, change: impl FnOnce()) {
    const PLUGIN: &str = "ValidatingAdmissionWebhook";
    let before = reloads(server, PLUGIN, status).await;
    change();
    eventually(async || (reloads(server, PLUGIN, status).await > before).then_some(())).await;
}

fn everything_of(group: &str) -> Json {
    json!({"rules": [{"operations": ["*"], "apiGroups": [group], "apiVersions": ["*"], "resources": ["*"]}]})
}

#[actix_web::test]
async fn the_first_request_meets_them_and_the_api_shows_none() {
    let (server, _folders, hook) = guarded(json!({})).await;
    let refused = server.post(MAPS, &map("a")).await.expect(403);
    assert_eq!(refused.message(), "admission webhook \"guard.example.com\" denied the request: never");
    assert_eq!(hook.came().len(), 1);
    for kind in [Kind::Mutating, Kind::Validating] {
        assert_eq!(server.get(&kind.collection()).await.body["items"], json!([]));
    }
    server.get(&format!("{}/guard.static.k8s.io", Kind::Validating.collection())).await.expect(404);
    server.running.stop().await;
}

#[actix_web::test]
async fn they_come_before_those_of_the_api_whatever_their_names() {
    let folders = Folders::new();
    let server = Server::with(folders.options()).await;
    let label = |name: &str| patching(json!([{"op": "add", "path": "/data/first", "value": name}]));
    let (of_file, of_api) = (server.hook([label("file")]), server.hook([review(json!({}))]));
    let spec = server.spec("z", &of_file.origin(), json!({}));
    folders.write(Kind::Mutating, "z.json", &manifest(Kind::Mutating, "zzz", &[spec]));
    server.register(Kind::Mutating, "aaa", &[server.spec("a", &of_api.origin(), json!({}))]).await;
    eventually(async || (reloads(&server, "MutatingAdmissionWebhook", "success").await == 2).then_some(())).await;
    let created = server.post(MAPS, &map("x")).await.expect(201);
    assert_eq!((&created.body["data"]["first"], &asked(&of_api)[0]["object"]["data"]["first"]), (&json!("file"), &json!("file")));
    server.running.stop().await;
}

#[actix_web::test]
async fn they_alone_see_what_registers_webhooks() {
    let (server, folders, hook) = guarded(everything_of("admissionregistration.k8s.io")).await;
    let of_api = server.hook([refusing()]);
    let spec = server.spec("api", &of_api.origin(), everything_of("*"));
    let collection = Kind::Validating.collection();
    let body = json!({"metadata": {"name": "api"}, "webhooks": [spec]});
    server.post(&collection, &body).await.expect(403);
    hook.set([review(json!({}))]);
    server.post(&collection, &body).await.expect(201);
    hook.set([refusing()]);
    for (method, body) in [(Method::DELETE, Json::Null), (Method::PATCH, json!({"webhooks": []}))] {
        server.ask(method, &format!("{collection}/api"), &body).await.expect(403);
    }
    server.delete(&collection).await.expect(403);
    let operations: Vec<Json> = asked(&hook).iter().map(|request| request["operation"].clone()).collect();
    assert_eq!(operations, ["CREATE", "CREATE", "DELETE", "UPDATE", "DELETE"]);
    assert!(of_api.came().is_empty());
    // What it guarded against is possible when the administrator takes it away.
    after(&server, "success", || fs::remove_file(folders.of(Kind::Validating).join("guard.yaml")).unwrap()).await;
    server.delete(&format!("{collection}/api")).await.expect(200);
    server.running.stop().await;
}

/// What registers them is read by the server itself; whether the API serves it does not matter.
#[actix_web::test]
async fn they_need_no_served_version_but_their_plugin() {
    let (server, folders, hook) = guarded(json!({})).await;
    let without_version = serving("admissionregistration.k8s.io/v1=false").runtime_config;
    let server = server.again(Options { runtime_config: without_version, ..folders.options() }).await;
    server.post(MAPS, &map("a")).await.expect(403);
    let without_plugin = disabled("ValidatingAdmissionWebhook").plugins;
    let server = server.again(Options { plugins: without_plugin, ..folders.options() }).await;
    server.post(MAPS, &map("a")).await.expect(201);
    assert_eq!(hook.came().len(), 1);
    server.running.stop().await;
}

#[actix_web::test]
async fn a_server_does_not_start_with_manifests_that_cannot_be_used() {
    let folders = Folders::new();
    let good = manifest(Kind::Validating, "a", &[]);
    let file = folders.of(Kind::Validating).join("a.yaml");
    fs::write(&file, format!("{good}\n---\nkind: ConfigMap\n")).unwrap();
    let refused = start(folders.options()).await.err().unwrap().to_string();
    assert!(refused.contains("a.yaml`: document 2: unsupported resource type"), "{refused}");
    fs::remove_file(file).unwrap();
    fs::remove_dir(folders.of(Kind::Mutating)).unwrap();
    let refused = start(folders.options()).await.err().unwrap().to_string();
    assert!(refused.contains("the staticManifestsDir") && refused.contains("MutatingAdmissionWebhook"), "{refused}");
}
