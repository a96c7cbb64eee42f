//! Configurations that another API server has: they judge here, at once after a start, and nothing is admitted where they are not known.

mod reads;

use std::fs;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use plimsoll_apiserver::admission::remote::Settings;
use plimsoll_apiserver::run::Options;
use reqwest::Method;
use serde_json::json;
use tempfile::TempDir;

use super::eventually::eventually;
use super::server::{Answer, Kind, MAPS, Server, asked, map, review};

const INITIALIZERS: &str = "/apis/admissionregistration.k8s.io/v1alpha1/initializerconfigurations";

/// A server that keeps its objects and its address across restarts, and a folder with its kubeconfig.
struct Host {
    server: Server,
    folder: TempDir,
    listen: SocketAddr,
}

impl Host {
    async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let server = Server::keeping(Some(folder.path().join("data"))).await;
        fs::write(folder.path().join("kubeconfig"), server.running.admin_kubeconfig().unwrap()).unwrap();
        let listen = server.running.url().trim_start_matches("https://").parse().unwrap();
        Self { server, folder, listen }
    }

    /// At the same place.
    fn options(&self) -> Options {
        Options { data_dir: Some(self.folder.path().join("data")), listen: self.listen, ..Options::default() }
    }

    fn settings(&self, stale_after: Duration) -> Settings {
        settings(self.folder.path().join("kubeconfig"), stale_after)
    }

    /// A server that takes the configurations from this one.
    async fn beside(&self, stale_after: Duration) -> Server {
        Server::with(Options { remote: Some(self.settings(stale_after)), ..Options::default() }).await
    }

    async fn refuse_maps(&self, name: &str) {
        let hook = json!({"name": "no.example.com", "failurePolicy": "Fail"});
        let spec = self.server.spec("no", "https://localhost:1", hook);
        self.server.register(Kind::Validating, name, &[spec]).await;
    }
}

fn settings(kubeconfig: PathBuf, stale_after: Duration) -> Settings {
    Settings { every: Duration::from_millis(5), stale_after, ..Settings::new(kubeconfig) }
}

const LONG: Duration = Duration::from_secs(60);

/// What a create is answered, of an object that is not kept.
async fn tried(server: &Server, name: &str) -> Answer {
    server.post(&format!("{MAPS}?dryRun=All"), &map(name)).await
}

async fn until(server: &Server, code: u16) -> Answer {
    eventually(async || Some(tried(server, "x").await).filter(|answer| answer.code == code)).await
}

#[actix_web::test]
async fn what_another_api_server_has_judges_here_and_is_not_served() {
    let host = Host::start().await;
    let local = host.beside(LONG).await;
    tried(&local, "x").await.expect(201);
    host.refuse_maps("no").await;
    let refused = until(&local, 500).await;
    assert!(refused.message().contains("failed calling webhook \"no.example.com\""), "{refused:?}");
    host.server.unregister(Kind::Validating, "no").await;
    until(&local, 201).await;
    for path in [Kind::Validating.collection(), INITIALIZERS.to_owned(), "/apis/admissionregistration.k8s.io".to_owned()] {
        local.get(&path).await.expect(404);
    }
    let readyz = local.get("/readyz?verbose").await.expect(200);
    assert!(readyz.body.as_str().unwrap().contains("[+]admission-configuration ok"), "{readyz:?}");
    assert!(local.metric("plimsoll_remote_admission_configuration_refreshes_total{status=\"success\"}").await > 1);
    local.running.stop().await;
    host.server.running.stop().await;
}

/// No request is judged by what was there before the start, or by nothing.
#[actix_web::test]
async fn the_first_request_after_a_start_meets_the_latest_configuration() {
    let host = Host::start().await;
    for round in 0..10 {
        host.refuse_maps(&format!("no-{round}")).await;
        let local = host.beside(LONG).await;
        tried(&local, "first").await.expect(500);
        host.server.unregister(Kind::Validating, &format!("no-{round}")).await;
        let local = local.again(Options { remote: Some(host.settings(LONG)), ..Options::default() }).await;
        tried(&local, "first").await.expect(201);
        local.running.stop().await;
    }
    host.server.running.stop().await;
}

fn loading(answer: &Answer, message: &str, cause: &str) {
    let details = &answer.body["details"];
    let told = (&answer.body["reason"], &details["retryAfterSeconds"], &details["causes"][0]["reason"]);
    assert_eq!((answer.code, told), (500, (&json!("LoadingConfiguration"), &json!(1), &json!(cause))), "{answer:?}");
    assert!(answer.message().starts_with(message), "{answer:?}");
}

/// Reads go on, writes wait for who can judge them.
#[actix_web::test]
async fn writes_are_refused_while_the_configurations_are_not_known_and_admitted_again_afterwards() {
    let host = Host::start().await;
    let (options, local) = (host.options(), host.beside(Duration::from_secs(1)).await);
    local.post(MAPS, &map("kept")).await.expect(201);
    host.server.running.stop().await;
    let refused = until(&local, 500).await;
    loading(&refused, "Unable to refresh the initializer configuration: GET apis/", "InitializerConfigurationFailure");
    let patch = json!({"data": {"k": "2"}});
    let kept = format!("{MAPS}/kept");
    for refused in [local.ask(Method::PATCH, &kept, &patch).await, local.delete(&kept).await] {
        loading(&refused, "Unable to refresh the webhook configuration: GET apis/", "WebhookConfigurationFailure");
    }
    assert_eq!(local.get(&kept).await.expect(200).body["data"]["k"], "v");
    let readyz = local.get("/readyz").await.expect(500);
    assert!(readyz.body.as_str().unwrap().contains("[-]admission-configuration failed"), "{readyz:?}");
    local.get("/livez").await.expect(200);
    let server = Server::with(options).await;
    until(&local, 201).await;
    local.ask(Method::PATCH, &kept, &patch).await.expect(200);
    local.get("/readyz").await.expect(200);
    for server in [local, server] {
        server.running.stop().await;
    }
}

#[actix_web::test]
async fn a_server_that_starts_alone_refuses_writes_until_it_has_read() {
    let host = Host::start().await;
    let (options, settings) = (host.options(), host.settings(Duration::from_millis(200)));
    host.server.running.stop().await;
    let local = Server::with(Options { remote: Some(settings), ..Options::default() }).await;
    let refused = tried(&local, "x").await;
    loading(&refused, "Waiting for initialization configuration to load: GET apis/", "InitializerConfigurationPending");
    let patched = local.ask(Method::PATCH, "/api/v1/namespaces/default", &json!({"metadata": {"labels": {"a": "b"}}})).await;
    loading(&patched, "Waiting for webhook configuration to load: GET apis/", "WebhookConfigurationPending");
    local.get("/readyz").await.expect(500);
    let server = Server::with(options).await;
    until(&local, 201).await;
    for server in [local, server] {
        server.running.stop().await;
    }
}

#[actix_web::test]
async fn initializers_are_assigned_and_fail_as_the_other_api_server_says() {
    let host = Host::start().await;
    let rule = json!({"apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"]});
    let initializers = json!([{"name": "a.example.com", "failurePolicy": "Fail", "rules": [rule]}]);
    host.server.post(INITIALIZERS, &json!({"metadata": {"name": "c"}, "initializers": initializers})).await.expect(201);
    let mut options = Options { remote: Some(host.settings(LONG)), ..Options::default() };
    options.initializers.timeout = Duration::from_millis(50);
    let local = Server::with(options).await;
    let late = local.post(MAPS, &map("x")).await.expect(504);
    assert!(late.message().contains("initializer \"a.example.com\" did not answer"), "{late:?}");
    host.server.delete(&format!("{INITIALIZERS}/c")).await.expect(200);
    until(&local, 201).await;
    for server in [local, host.server] {
        server.running.stop().await;
    }
}

/// A webhook is called by this server, at the Service of the one that has its configuration.
#[actix_web::test]
async fn services_are_those_of_the_other_api_server() {
    let host = Host::start().await;
    let hook = host.server.hook_called("hook.default.svc", [review(json!({"allowed": false, "status": {"message": "never"}}))]);
    let port: u16 = hook.origin().rsplit_once(':').unwrap().1.parse().unwrap();
    let service = |name: &str| json!({"name": name, "namespace": "default", "port": port});
    let spec = json!({"type": "ExternalName", "externalName": "localhost"});
    host.server
        .post("/api/v1/namespaces/default/services", &json!({"metadata": {"name": "hook"}, "spec": spec}))
        .await
        .expect(201);
    let registered = |name: &str| {
        let mut spec = host.server.spec(name, "", json!({}));
        let client = spec["clientConfig"].as_object_mut().unwrap();
        client.remove("url");
        client.insert("service".into(), service(name));
        spec
    };
    host.server.register(Kind::Validating, "there", &[registered("hook")]).await;
    let local = host.beside(LONG).await;
    let denied = tried(&local, "x").await.expect(400);
    assert_eq!(denied.message(), "admission webhook \"hook.example.com\" denied the request: never");
    assert_eq!(asked(&hook).len(), 1);
    host.server.unregister(Kind::Validating, "there").await;
    host.server.register(Kind::Validating, "gone", &[registered("none")]).await;
    let missing = until(&local, 500).await;
    assert!(missing.message().contains("service \"none\" not found"), "{missing:?}");
    for server in [local, host.server] {
        server.running.stop().await;
    }
}
