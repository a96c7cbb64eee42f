//! Credentials that change, against an API server that takes one token, and shows one certificate, at a time.

use std::path::{Path, PathBuf};

use actix_web::http::KeepAlive;
use actix_web::{App, HttpRequest, HttpResponse, HttpServer, web};
use kube::core::Request;
use kube::core::params::ListParams;
use parking_lot::Mutex;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::pki_types::PrivateKeyDer;
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use tokio::time::Instant;

use super::*;
use crate::health::Health;

const PERIOD: Duration = Duration::from_millis(50);
const DEADLINE: Duration = Duration::from_secs(20);

type Ca = CertifiedIssuer<'static, KeyPair>;

/// What the server goes by at the moment.
#[derive(Debug)]
struct Now {
    token: Mutex<String>,
    certificate: Mutex<Arc<CertifiedKey>>,
    requests: Mutex<u32>,
}

impl ResolvesServerCert for Now {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.certificate.lock().clone())
    }
}

fn ca() -> Ca {
    let mut params = CertificateParams::new(vec![]).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

fn certificate(ca: &Ca) -> Arc<CertifiedKey> {
    let key = KeyPair::generate().unwrap();
    let signed = CertificateParams::new(vec!["127.0.0.1".into()]).unwrap().signed_by(&key, ca).unwrap();
    let private = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
    let signing = rustls::crypto::ring::sign::any_supported_type(&private).unwrap();
    Arc::new(CertifiedKey::new(vec![signed.der().clone()], signing))
}

/// A server, the files that lead to it, and a sidecar's connection to it.
struct World {
    now: Arc<Now>,
    url: String,
    dir: tempfile::TempDir,
    server: actix_web::dev::ServerHandle,
    health: Health,
    metrics: Metrics,
}

fn answer(request: &HttpRequest, now: &Now) -> HttpResponse {
    *now.requests.lock() += 1;
    let wanted = format!("Bearer {}", now.token.lock());
    let given = request.headers().get("authorization").and_then(|value| value.to_str().ok());
    if given != Some(&wanted) {
        let body = serde_json::json!({ "kind": "Status", "code": 401, "reason": "Unauthorized", "message": "who is there" });
        return HttpResponse::Unauthorized().json(body);
    }
    let version = ["major", "minor", "gitVersion", "gitCommit", "gitTreeState", "buildDate", "goVersion", "compiler", "platform"];
    let version: serde_json::Map<_, _> = version.into_iter().map(|key| (key.to_owned(), "1".into())).collect();
    HttpResponse::Ok().json(version)
}

impl World {
    async fn start(ca: &Ca) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let (token, certificate) = (Mutex::new("one".into()), Mutex::new(certificate(ca)));
        let now = Arc::new(Now { token, certificate, requests: Mutex::new(0) });
        let mut tls = rustls::ServerConfig::builder().with_no_client_auth().with_cert_resolver(now.clone());
        // A session that is resumed shows no certificate.
        tls.send_tls13_tickets = 0;
        tls.session_storage = Arc::new(rustls::server::NoServerSessionStorage {});
        let shown = now.clone();
        let server = HttpServer::new(move || {
            let now = shown.clone();
            let handler = move |request: HttpRequest| std::future::ready(answer(&request, &now));
            App::new().default_service(web::to(handler))
        });
        // Each request shows the certificate again.
        let server = server.workers(1).disable_signals().keep_alive(KeepAlive::Disabled);
        let server = server.bind_rustls_0_23("127.0.0.1:0", tls).unwrap();
        let url = format!("https://{}", server.addrs()[0]);
        let running = server.run();
        let handle = running.handle();
        tokio::spawn(running);
        let (dir, health, metrics) = (tempfile::tempdir().unwrap(), Health::default(), Metrics::new().unwrap());
        std::fs::write(dir.path().join("ca.crt"), ca.pem()).unwrap();
        Self { now, url, dir, server: handle, health, metrics }
    }

    fn kubeconfig(&self, token: &str) -> String {
        format!(
            "apiVersion: v1\nkind: Config\ncurrent-context: c\ncontexts: [{{name: c, context: {{cluster: c, user: u}}}}]\n\
             clusters: [{{name: c, cluster: {{server: '{}', certificate-authority: {}/ca.crt}}}}]\n\
             users: [{{name: u, user: {{token: {token}}}}}]\n",
            self.url,
            self.dir.path().display(),
        )
    }

    async fn connect(&self, file: &Path) -> Connection {
        let access = Access { kubeconfig: Some(file.into()), context: None };
        let connection = Connection::open(&access).await.unwrap();
        let (accepted, metrics) = (self.health.note("credentials", "no"), self.metrics.clone());
        let pace = MirrorConfig { credentials: PERIOD, ..MirrorConfig::default() };
        tokio::spawn(Rotation::new(&connection, access, &pace, accepted, metrics).run());
        connection
    }

    fn counted(&self, result: &str) -> bool {
        self.metrics.text().unwrap().contains(&format!("credential_reloads_total{{result=\"{result}\"}}"))
    }

    async fn end(self) {
        self.server.stop(false).await;
    }
}

async fn ask(connection: &Connection) -> Result<(), Fault> {
    let request = Request::new("/api/v1/pods").list(&ListParams::default()).unwrap();
    connection.client.request_text(request).await.map(|_| ()).map_err(Fault::from)
}

/// Waits for a condition; the time between two looks is short.
async fn eventually(what: &str, mut condition: impl AsyncFnMut() -> bool) {
    let start = Instant::now();
    while !condition().await {
        assert!(start.elapsed() < DEADLINE, "never: {what}");
        sleep(Duration::from_millis(10)).await;
    }
}

/// The ways in which a file gets another content.
type Change = fn(&Path, &str);

fn in_place(file: &Path, text: &str) {
    std::fs::write(file, text).unwrap();
}

fn renamed(file: &Path, text: &str) {
    let new = file.with_extension("new");
    std::fs::write(&new, text).unwrap();
    std::fs::rename(new, file).unwrap();
}

/// As kubelet does: the file is a link through `..data`, a link to a folder that is exchanged.
fn relinked(file: &Path, text: &str) {
    let dir = file.parent().unwrap();
    let version = dir.join(format!("..{}", text.len() + std::fs::read_dir(dir).unwrap().count()));
    std::fs::create_dir(&version).unwrap();
    std::fs::write(version.join("config"), text).unwrap();
    std::os::unix::fs::symlink(&version, dir.join("..data_tmp")).unwrap();
    std::fs::rename(dir.join("..data_tmp"), dir.join("..data")).unwrap();
    if !file.exists() {
        std::os::unix::fs::symlink(PathBuf::from("..data/config"), file).unwrap();
    }
}

#[tokio::test]
async fn a_new_token_is_taken_into_use_however_its_file_changes() {
    let changes: [(&str, Change); 3] = [("in place", in_place), ("renamed", renamed), ("relinked", relinked)];
    let ca = ca();
    for (name, change) in changes {
        let world = World::start(&ca).await;
        let file = world.dir.path().join("config");
        change(&file, &world.kubeconfig("one"));
        let connection = world.connect(&file).await;
        let mut swaps = connection.swaps();
        ask(&connection).await.unwrap();
        // The old token is taken as long as the new one is not there.
        change(&file, &world.kubeconfig("two-and-more"));
        eventually("the new one is tried", async || world.counted("failed")).await;
        ask(&connection).await.unwrap();
        assert!(world.health.notes()[0].contains("401 Unauthorized: who is there; trying the credentials in"), "{name}");
        *world.now.token.lock() = "two-and-more".into();
        timeout(DEADLINE, swaps.changed()).await.unwrap().unwrap();
        ask(&connection).await.unwrap();
        eventually("healed", async || world.health.notes().is_empty()).await;
        assert!(world.counted("swapped"), "{name}");
        world.end().await;
    }
}

#[tokio::test]
async fn a_refused_token_is_said_and_tried_again_but_not_in_a_tight_loop() {
    let world = World::start(&ca()).await;
    let file = world.dir.path().join("config");
    in_place(&file, &world.kubeconfig("one"));
    let connection = world.connect(&file).await;
    *world.now.token.lock() = "other".into();
    assert_eq!(ask(&connection).await.unwrap_err().code(), Some(401));
    eventually("said", async || !world.health.notes().is_empty()).await;
    let (before, start) = (*world.now.requests.lock(), Instant::now());
    eventually("tried again", async || *world.now.requests.lock() > before + 4).await;
    let most = 2 * (start.elapsed().as_millis() / PERIOD.as_millis() + 2);
    assert!(u128::from(*world.now.requests.lock() - before) <= most, "at most two questions in a period");
    *world.now.token.lock() = "one".into();
    eventually("healed", async || world.health.notes().is_empty()).await;
    ask(&connection).await.unwrap();
    world.end().await;
}

#[tokio::test]
async fn a_new_certificate_authority_is_taken_into_use() {
    let world = World::start(&ca()).await;
    let file = world.dir.path().join("config");
    in_place(&file, &world.kubeconfig("one"));
    let connection = world.connect(&file).await;
    ask(&connection).await.unwrap();
    let next = ca();
    *world.now.certificate.lock() = certificate(&next);
    assert_eq!(ask(&connection).await.unwrap_err().code(), None, "the old authority did not sign it");
    renamed(&world.dir.path().join("ca.crt"), &next.pem());
    eventually("the new authority counts", async || ask(&connection).await.is_ok()).await;
    world.end().await;
}
