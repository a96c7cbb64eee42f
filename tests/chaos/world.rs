//! A server with an audit log, and its administrator.

use std::path::{Path, PathBuf};

use reqwest::{Certificate, Client, Method};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use super::super::e2e::{ApiServer, Assets, Embedded};

const TOKEN: &str = "chaos-admin";
const POLICY: &str = "apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nrules: [{level: Metadata}]\n";

/// A server on which cells run.
pub(super) struct World {
    server: Server,
    client: Client,
    token: String,
    directory: TempDir,
}

enum Server {
    Embedded(Embedded),
    Real(Box<ApiServer>),
}

/// What came back.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    pub(super) code: u16,
    pub(super) body: Json,
}

impl World {
    /// `plimsoll dev`'s.
    pub(super) fn embedded(assets: &Assets) -> Self {
        let directory = directory();
        let tokens = directory.path().join("tokens.csv");
        std::fs::write(&tokens, format!("{TOKEN},admin,1,\"system:masters\"\n")).unwrap();
        let arguments = [audit(directory.path()), vec![format!("--token-auth-file={}", tokens.display())]].concat();
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let server = Embedded::kept_with(assets, &arguments);
        let kubeconfig = std::fs::read_to_string(server.kubeconfig()).unwrap();
        Self { client: client(&kubeconfig), server: Server::Embedded(server), token: TOKEN.into(), directory }
    }

    /// kube-apiserver on etcd.
    pub(super) fn real(assets: &Assets) -> Self {
        let directory = directory();
        let arguments = [audit(directory.path()), vec!["--audit-log-mode=blocking".into()]].concat();
        let server = ApiServer::start_with(assets, &arguments);
        let kubeconfig = std::fs::read_to_string(server.admin().kubeconfig()).unwrap();
        let config: Json = yaml_serde::from_str(&kubeconfig).unwrap();
        let token = config["users"][0]["user"]["token"].as_str().unwrap().to_owned();
        Self { client: client(&kubeconfig), server: Server::Real(Box::new(server)), token, directory }
    }

    pub(super) fn is_real(&self) -> bool {
        matches!(self.server, Server::Real(_))
    }

    pub(super) async fn ask(&self, method: Method, path: &str, body: &Json, audit_id: &str) -> Answer {
        let url = match &self.server {
            Server::Embedded(server) => server.url(),
            Server::Real(server) => server.url().to_owned(),
        };
        let request = self.client.request(method, format!("{url}{path}")).bearer_auth(&self.token).header("Audit-ID", audit_id);
        let request = request.header("Content-Type", "application/json");
        let request = if body.is_null() { request } else { request.body(body.to_string()) };
        let answer = request.send().await.unwrap();
        let (code, text) = (answer.status().as_u16(), answer.text().await.unwrap());
        Answer { code, body: serde_json::from_str(&text).unwrap_or(Json::String(text)) }
    }

    /// Fails unless it is created.
    pub(super) async fn create(&self, path: &str, object: &Json) {
        let answer = self.ask(Method::POST, path, object, "setup").await;
        assert_eq!(answer.code, 201, "{path}: {answer:?}");
    }

    /// What `/metrics` says.
    pub(super) async fn metrics(&self) -> String {
        let answer = self.ask(Method::GET, "/metrics", &json!(null), "setup").await;
        answer.body.as_str().unwrap().to_owned()
    }

    /// Every line of the audit log.
    pub(super) fn audited(&self) -> Vec<Json> {
        let text = std::fs::read_to_string(log(self.directory.path())).unwrap();
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }
}

fn directory() -> TempDir {
    tempfile::Builder::new().prefix("plimsoll-chaos-").tempdir().unwrap()
}

fn log(directory: &Path) -> PathBuf {
    directory.join("audit.log")
}

fn audit(directory: &Path) -> Vec<String> {
    let policy = directory.join("audit-policy.yaml");
    std::fs::write(&policy, POLICY).unwrap();
    vec![format!("--audit-log-path={}", log(directory).display()), format!("--audit-policy-file={}", policy.display())]
}

fn client(kubeconfig: &str) -> Client {
    use base64::Engine as _;
    let _ = rustls::crypto::ring::default_provider().install_default();
    let config: Json = yaml_serde::from_str(kubeconfig).unwrap();
    let cluster = &config["clusters"][0]["cluster"];
    let ca = match cluster["certificate-authority-data"].as_str() {
        Some(data) => base64::engine::general_purpose::STANDARD.decode(data).unwrap(),
        None => std::fs::read(cluster["certificate-authority"].as_str().unwrap()).unwrap(),
    };
    Client::builder().no_proxy().tls_certs_only([Certificate::from_pem(&ca).unwrap()]).build().unwrap()
}
