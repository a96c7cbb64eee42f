//! Somebody else's mutating webhook: it stamps every object that it is shown with an annotation.
#![allow(dead_code, reason = "benchmarks have none")]

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::{Value as Json, json};

use super::certificates::{Authority, CertificateFiles};

/// The annotation; its value is the review's uid, hence new each time.
pub(crate) const STAMP: &str = "example.com/stamp";

/// The running webhook; it ends when dropped.
#[derive(Debug)]
pub(crate) struct Hook {
    address: SocketAddr,
    authority: Authority,
    stop: Arc<AtomicBool>,
}

impl Hook {
    pub(crate) fn start() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let authority = Authority::new("e2e-other-webhook");
        let config = Arc::new(tls(&authority.serving(directory.path())));
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        thread::spawn(move || {
            for connection in listener.incoming().map_while(Result::ok) {
                if stopped.load(Ordering::Acquire) {
                    return;
                }
                let config = Arc::clone(&config);
                thread::spawn(move || serve(connection, config));
            }
        });
        Self { address, authority, stop }
    }

    /// Asked about updates of Deployments and ReplicaSets in one namespace.
    pub(crate) fn configuration(&self, namespace: &str) -> Json {
        json!({
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingWebhookConfiguration",
            "metadata": {"name": "stamps"},
            "webhooks": [{
                "name": "stamps.example.com",
                "clientConfig": {
                    "url": format!("https://{}/", self.address), "caBundle": STANDARD.encode(self.authority.pem()),
                },
                "rules": [{
                    "apiGroups": ["apps"], "apiVersions": ["v1"], "resources": ["deployments", "replicasets"],
                    "operations": ["UPDATE"],
                }],
                "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}},
                "admissionReviewVersions": ["v1"], "sideEffects": "None", "failurePolicy": "Fail",
            }],
        })
    }
}

impl Drop for Hook {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Release);
        // Wakes the listener up.
        let _ = TcpStream::connect(self.address);
    }
}

fn tls(files: &CertificateFiles) -> ServerConfig {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let chain = vec![CertificateDer::from_pem_file(&files.certificate).unwrap()];
    let key = PrivateKeyDer::from_pem_file(&files.key).unwrap();
    let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    config.with_no_client_auth().with_single_cert(chain, key).unwrap()
}

/// Answers until the API server goes.
fn serve(connection: TcpStream, config: Arc<ServerConfig>) {
    connection.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let mut stream = BufReader::new(StreamOwned::new(ServerConnection::new(config).unwrap(), connection));
    while let Some(review) = read(&mut stream) {
        let answer = stamped(&review).to_string();
        let head = format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n", answer.len());
        if stream.get_mut().write_all((head + &answer).as_bytes()).is_err() {
            return;
        }
    }
}

fn read(stream: &mut impl BufRead) -> Option<Json> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end().split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => length = value.trim().parse().ok()?,
            None if line == "\r\n" => break,
            _ => (),
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}

fn stamped(review: &Json) -> Json {
    let (uid, annotations) = (&review["request"]["uid"], &review["request"]["object"]["metadata"]["annotations"]);
    let patch = match annotations {
        Json::Null => json!([{"op": "add", "path": "/metadata/annotations", "value": {STAMP: uid}}]),
        _ => json!([{"op": "add", "path": format!("/metadata/annotations/{}", STAMP.replace('/', "~1")), "value": uid}]),
    };
    json!({
        "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
        "response": {
            "uid": uid, "allowed": true, "patchType": "JSONPatch", "patch": STANDARD.encode(patch.to_string()),
        },
    })
}
