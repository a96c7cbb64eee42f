//! Configurations that another API server has: they judge here, at once after a start, and nothing is admitted where they are not known.

mod forwarder;
mod reads;

use std::fs;
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::time::Duration;

use plimsoll_apiserver::admission::remote::Settings;
use plimsoll_apiserver::run::Options;
use reqwest::{Client, Method};
use serde_json::json;
use tempfile::TempDir;

use super::engine::{Act, Engine};
use super::eventually::eventually;
use super::server::{Answer, Kind, MAPS, Server, asked, map, review};
use forwarder::Forwarder;

const INITIALIZERS: &str = "/apis/admissionregistration.k8s.io/v1alpha1/initializerconfigurations";
/// Longer than a test may take.
const LONG: Duration = Duration::from_secs(600);

/// A server, the way to it, and a folder with a kubeconfig that goes this way.
struct Host {
    server: Server,
    way: Forwarder,
    folder: TempDir,
}

impl Host {
    async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let server = Server::start().await;
        let url = server.running.url();
        let way = Forwarder::to(url.trim_start_matches("https://").parse().unwrap());
        let kubeconfig = server.running.admin_kubeconfig().unwrap().replace(url, &format!("https://{}", way.address()));
        fs::write(folder.path().join("kubeconfig"), kubeconfig).unwrap();
        Self { server, way, folder }
    }

    /// With configurations of this server that count for so long.
    fn options(&self, stale_after: Duration) -> Options {
        Options { remote: Some(settings(self.folder.path().join("kubeconfig"), stale_after)), ..Options::default() }
    }

    async fn refuse_maps(&self, name: &str) {
        let spec = self.server.spec("no", "https://localhost:1", json!({"failurePolicy": "Fail"}));
        self.server.register(Kind::Validating, name, &[spec]).await;
    }
}

/// A read may take long on a machine that does much else.
fn settings(kubeconfig: PathBuf, stale_after: Duration) -> Settings {
    Settings { every: Duration::from_millis(50), stale_after, timeout: LONG, ..Settings::new(kubeconfig) }
}

/// What a create is answered, of an object that is not kept.
async fn tried(server: &Server) -> Answer {
    server.post(&format!("{MAPS}?dryRun=All"), &map("x")).await
}

/// Waits until a create is answered so.
async fn until(server: &Server, code: u16, part: &str) -> Answer {
    let answered = |answer: &Answer| answer.code == code && (code == 201 || answer.message().contains(part));
    eventually(async || Some(tried(server).await).filter(answered)).await
}

const CALLED: &str = "failed calling webhook \"no.example.com\"";

#[actix_web::test]
async fn what_another_api_server_has_judges_here_and_is_not_served() {
    let host = Host::start().await;
    let local = Server::with(host.options(LONG)).await;
    tried(&local).await.expect(201);
    host.refuse_maps("no").await;
    until(&local, 500, CALLED).await;
    host.server.unregister(Kind::Validating, "no").await;
    until(&local, 201, "").await;
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
    let mut local = Server::with(host.options(LONG)).await;
    for round in 0..10 {
        host.refuse_maps(&format!("no-{round}")).await;
        local = local.again(host.options(LONG)).await;
        let refused = tried(&local).await.expect(500);
        assert!(refused.message().contains(CALLED), "{refused:?}");
        host.server.unregister(Kind::Validating, &format!("no-{round}")).await;
        local = local.again(host.options(LONG)).await;
        tried(&local).await.expect(201);
    }
    local.running.stop().await;
    host.server.running.stop().await;
}

fn loading(answer: &Answer, message: &str, cause: &str) {
    let details = &answer.body["details"];
    let told = (&answer.body["reason"], &details["retryAfterSeconds"], &details["causes"][0]["reason"]);
    assert_eq!((answer.code, told), (500, (&json!("LoadingConfiguration"), &json!(1), &json!(cause))), "{answer:?}");
    assert!(answer.message().starts_with(message), "{answer:?}");
}

/// Reads go on, writes wait for who can judge them; so does what this server does itself.
#[actix_web::test]
async fn writes_are_refused_while_the_configurations_are_not_known_and_admitted_again_afterwards() {
    let host = Host::start().await;
    let local = Server::with(host.options(Duration::from_secs(2))).await;
    eventually(async || Some(local.post(MAPS, &map("kept")).await).filter(|answer| answer.code == 201)).await;
    host.way.cut();
    let refused = until(&local, 500, "refresh the initializer").await;
    loading(&refused, "Unable to refresh the initializer configuration: ", "InitializerConfigurationFailure");
    let patch = json!({"data": {"k": "2"}});
    let kept = format!("{MAPS}/kept");
    for refused in [local.ask(Method::PATCH, &kept, &patch).await, local.delete(&kept).await] {
        loading(&refused, "Unable to refresh the webhook configuration: ", "WebhookConfigurationFailure");
    }
    assert_eq!(local.get(&kept).await.expect(200).body["data"]["k"], "v");
    let readyz = local.get("/readyz").await.expect(500);
    assert!(readyz.body.as_str().unwrap().contains("[-]admission-configuration failed"), "{readyz:?}");
    local.get("/livez").await.expect(200);
    host.way.mend();
    eventually(async || Some(local.ask(Method::PATCH, &kept, &patch).await).filter(|answer| answer.code == 200)).await;
    eventually(async || Some(local.get("/readyz").await).filter(|answer| answer.code == 200)).await;
    local.running.stop().await;
    host.server.running.stop().await;
}

#[actix_web::test]
async fn a_server_that_starts_alone_refuses_writes_until_it_has_read() {
    let host = Host::start().await;
    host.way.cut();
    let local = Server::with(host.options(Duration::from_secs(2))).await;
    let refused = tried(&local).await;
    loading(&refused, "Waiting for initialization configuration to load: ", "InitializerConfigurationPending");
    let patched = local.ask(Method::PATCH, "/api/v1/namespaces/default", &json!({"metadata": {"labels": {"a": "b"}}})).await;
    loading(&patched, "Waiting for webhook configuration to load: ", "WebhookConfigurationPending");
    local.get("/readyz").await.expect(500);
    host.way.mend();
    until(&local, 201, "").await;
    local.running.stop().await;
    host.server.running.stop().await;
}

/// The port answers before the start is over; nothing is admitted there.
#[actix_web::test]
async fn what_comes_before_the_first_read_is_not_admitted() {
    let folder = tempfile::tempdir().unwrap();
    let (tokens, kubeconfig) = (folder.path().join("tokens"), folder.path().join("kubeconfig"));
    fs::write(&tokens, "t,admin,1,\"system:masters\"\n").unwrap();
    let silent = Engine::start([Act::Hang]);
    let cluster = json!({"clusters": [{"name": "c", "cluster": {"server": silent.origin()}}], "contexts": [{"name": "x", "context": {"cluster": "c"}}]});
    fs::write(&kubeconfig, cluster.to_string()).unwrap();
    let listen: SocketAddr = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let remote = Some(settings(kubeconfig, Duration::from_secs(20)));
    let starting = Server::with(Options { listen, remote, token_file: Some(tokens), ..Options::default() });
    let client = Client::builder().no_proxy().tls_danger_accept_invalid_certs(true).build().unwrap();
    let ask = async |method: Method, path: &str, body: String| {
        let request =
            client.request(method, format!("https://{listen}{path}")).bearer_auth("t").header("content-type", "application/json");
        Some(request.body(body).send().await.ok()?.status().as_u16())
    };
    let before = async {
        eventually(async || ask(Method::GET, MAPS, String::new()).await.filter(|code| *code == 200)).await;
        assert_eq!(ask(Method::POST, MAPS, map("x").to_string()).await, Some(500));
        assert_eq!(ask(Method::GET, "/readyz", String::new()).await, Some(500));
    };
    let local = tokio::select! {
        biased;
        () = before => None,
        local = starting => Some(local),
    };
    assert!(local.is_none(), "it was ready before it had read anything");
}

#[actix_web::test]
async fn initializers_are_assigned_and_fail_as_the_other_api_server_says() {
    let host = Host::start().await;
    let rule = json!({"apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"]});
    let initializers = json!([{"name": "a.example.com", "failurePolicy": "Fail", "rules": [rule]}]);
    host.server.post(INITIALIZERS, &json!({"metadata": {"name": "c"}, "initializers": initializers})).await.expect(201);
    let mut options = host.options(LONG);
    options.initializers.timeout = Duration::from_millis(50);
    let local = Server::with(options).await;
    let late = local.post(MAPS, &map("x")).await.expect(504);
    assert!(late.message().contains("initializer \"a.example.com\" did not answer"), "{late:?}");
    host.server.delete(&format!("{INITIALIZERS}/c")).await.expect(200);
    until(&local, 201, "").await;
    for server in [local, host.server] {
        server.running.stop().await;
    }
}

/// A webhook is called by this server, at the Service of the one that has its configuration, also while that cannot be asked.
#[actix_web::test]
async fn services_are_those_of_the_other_api_server() {
    let host = Host::start().await;
    // Each review comes on a connection of its own.
    let denial = || review(json!({"allowed": false, "status": {"message": "never"}}));
    let hook = host.server.hook_called("hook.default.svc", [denial(), Act::Close, denial()]);
    let port: u16 = hook.origin().rsplit_once(':').unwrap().1.parse().unwrap();
    let spec = json!({"type": "ExternalName", "externalName": "localhost"});
    host.server
        .post("/api/v1/namespaces/default/services", &json!({"metadata": {"name": "hook"}, "spec": spec}))
        .await
        .expect(201);
    let registered = |name: &str| {
        let client = json!({"service": {"name": name, "namespace": "default", "port": port}});
        let mut spec = host.server.spec(name, "", json!({"failurePolicy": "Ignore"}));
        let bundle = spec["clientConfig"]["caBundle"].take();
        spec["clientConfig"] = client;
        spec["clientConfig"]["caBundle"] = bundle;
        spec
    };
    host.server.register(Kind::Validating, "there", &[registered("hook")]).await;
    let local = Server::with(host.options(LONG)).await;
    let denied = tried(&local).await.expect(400);
    assert_eq!(denied.message(), "admission webhook \"hook.example.com\" denied the request: never");
    host.way.cut();
    // The connection is gone, and the Service is looked up again, in vain.
    tried(&local).await.expect(201);
    tried(&local).await.expect(400);
    assert_eq!(asked(&hook).len(), 3);
    host.way.mend();
    host.server.unregister(Kind::Validating, "there").await;
    let mut gone = registered("none");
    gone["failurePolicy"] = "Fail".into();
    host.server.register(Kind::Validating, "gone", &[gone]).await;
    until(&local, 500, "service \"none\" not found").await;
    for server in [local, host.server] {
        server.running.stop().await;
    }
}
