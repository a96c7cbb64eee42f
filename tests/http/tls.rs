//! Certificates: rotated under a running engine, asked of clients; silent connections are closed.

use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::sync::Arc;

use reqwest::{Certificate, Client, Identity};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, ClientConnection, RootCertStore};
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::authority::Authority;
use super::support::{DEADLINE, Engine, client, eventually, start};

impl Authority {
    fn client(&self, identity: Option<&Self>) -> Client {
        let root = Certificate::from_pem(self.pem().as_bytes()).unwrap();
        let builder = client().tls_certs_only([root]).pool_max_idle_per_host(4);
        let builder = match identity {
            None => builder,
            Some(authority) => {
                let (certificate, key) = authority.pair();
                builder.identity(Identity::from_pem(format!("{certificate}{key}").as_bytes()).unwrap())
            }
        };
        builder.build().unwrap()
    }
}

fn secured(authority: &Authority, more: impl Fn(&Path) -> Vec<String>) -> Engine {
    let dir = tempfile::tempdir().unwrap();
    authority.issue(dir.path(), "tls");
    let file = |name: &str| dir.path().join(name).display().to_string();
    let mut args = vec![
        "--review-addr=127.0.0.1:0".to_owned(),
        format!("--review-cert-file={}", file("tls.crt")),
        format!("--review-key-file={}", file("tls.key")),
        format!("--tls-cert-file={}", file("tls.crt")),
        format!("--tls-private-key-file={}", file("tls.key")),
    ];
    args.extend(more(dir.path()));
    start(dir, &args.iter().map(String::as_str).collect::<Vec<_>>())
}

fn on_localhost(url: &str) -> String {
    url.replace("127.0.0.1", "localhost")
}

#[tokio::test]
async fn certificates_are_read_again_and_connections_stay() {
    let (first, second) = (Authority::new(), Authority::new());
    let engine = secured(&first, |_| Vec::new());
    let url = format!("{}/health", on_localhost(&engine.api));
    let (old, new) = (first.client(None), second.client(None));
    assert_eq!(old.get(&url).send().await.unwrap().status(), 200);
    assert!(new.get(&url).send().await.is_err());
    second.issue(engine.path(), "tls");
    eventually("the new certificate is served", async || second.client(None).get(&url).send().await.ok()).await;
    assert_eq!(old.get(&url).send().await.unwrap().status(), 200, "the connection of before the change still works");
    assert!(first.client(None).get(&url).send().await.is_err(), "a new connection sees the new certificate only");
    fs::write(engine.path().join("tls.key"), "broken").unwrap();
    eventually("it says so", async || {
        // The files are looked at when somebody connects.
        assert_eq!(second.client(None).get(&url).send().await.unwrap().status(), 200);
        engine.log().contains("the last good one stays").then_some(())
    })
    .await;
    assert_eq!(second.client(None).get(&url).send().await.unwrap().status(), 200);
}

/// As Go's client, hence kube-apiserver, begins: HTTP/2 offered first, and no certificate.
fn negotiated(authority: &Authority, url: &str, version: &'static rustls::SupportedProtocolVersion) -> (Vec<u8>, String) {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(authority.pem().as_bytes()).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_protocol_versions(&[version]).unwrap();
    let mut config = config.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let mut connection = ClientConnection::new(Arc::new(config), "localhost".try_into().unwrap()).unwrap();
    let mut socket = std::net::TcpStream::connect(url.strip_prefix("https://").unwrap()).unwrap();
    let mut stream = rustls::Stream::new(&mut connection, &mut socket);
    stream.write_all(b"POST /mutate HTTP/1.1\r\nHost: plimsoll.plimsoll.svc\r\nContent-Length: 2\r\n\r\n{}").unwrap();
    let mut begin = [0; 12];
    stream.read_exact(&mut begin).unwrap();
    (connection.alpn_protocol().unwrap_or_default().to_vec(), String::from_utf8_lossy(&begin).into_owned())
}

#[tokio::test]
async fn an_api_server_that_offers_http_2_and_shows_no_certificate_is_answered_in_http_1_1() {
    let authority = Authority::new();
    let engine = secured(&authority, |_| Vec::new());
    for version in [&rustls::version::TLS12, &rustls::version::TLS13] {
        let (protocol, begin) = negotiated(&authority, engine.review.as_deref().unwrap(), version);
        assert_eq!(
            (protocol.as_slice(), begin.as_str()),
            (&b"http/1.1"[..], "HTTP/1.1 400"),
            "{version:?}: the body is no review"
        );
    }
}

#[tokio::test]
async fn a_client_certificate_can_be_asked_for() {
    let (authority, stranger) = (Authority::new(), Authority::new());
    let engine = secured(&authority, |dir| {
        fs::write(dir.join("ca.crt"), authority.pem()).unwrap();
        vec![format!("--review-client-ca={}", dir.join("ca.crt").display())]
    });
    let url = format!("{}/mutate", on_localhost(engine.review.as_deref().unwrap()));
    let known = authority.client(Some(&authority)).post(&url).send().await.unwrap();
    assert_eq!(known.status(), 400, "the handshake succeeded; the body is no review");
    assert!(authority.client(None).post(&url).send().await.is_err());
    assert!(authority.client(Some(&stranger)).post(&url).send().await.is_err());
    eventually("the log says it", async || engine.log().contains("the TLS handshake failed").then_some(())).await;
    let metrics =
        authority.client(None).get(format!("{}/metrics", on_localhost(&engine.api))).send().await.unwrap().text().await.unwrap();
    let counted = metrics
        .lines()
        .find_map(|line| line.strip_prefix("plimsoll_connections_closed_total{listener=\"review\",reason=\"handshake\"} "));
    assert!(counted.is_some_and(|count| count.parse::<u32>().unwrap() >= 2), "{metrics}");
    let api = format!("{}/health", on_localhost(&engine.api));
    assert_eq!(authority.client(None).get(api).send().await.unwrap().status(), 200, "only reviews ask for one");
}

#[tokio::test]
async fn a_policy_judges_by_the_clients_certificate() {
    const AUTHZ: &str = "package system.authz\n\nallow if {\n  input.identity == \"CN=rcgen self signed cert\"\n  input.client_certificates[0].DNSNames == [\"localhost\"]\n  input.method == \"GET\"\n}\n\ndefault allow := false\n";
    let (authority, stranger) = (Authority::new(), Authority::new());
    let engine = secured(&authority, |dir| {
        fs::write(dir.join("ca.crt"), authority.pem()).unwrap();
        fs::write(dir.join("authz.rego"), AUTHZ).unwrap();
        let file = |name: &str| dir.join(name).display().to_string();
        vec![
            format!("--tls-ca-cert-file={}", file("ca.crt")),
            format!("--policies={}", file("authz.rego")),
            "--authentication=tls".to_owned(),
            "--authorization=basic".to_owned(),
        ]
    });
    let url = format!("{}/v1/data", on_localhost(&engine.api));
    let known = authority.client(Some(&authority));
    assert_eq!(known.get(&url).send().await.unwrap().status(), 200);
    assert_eq!(known.put(&url).body("{}").send().await.unwrap().status(), 401);
    assert!(authority.client(None).get(&url).send().await.is_err(), "no certificate");
    assert!(authority.client(Some(&stranger)).get(&url).send().await.is_err(), "of somebody else");
}

#[tokio::test]
async fn many_silent_connections_keep_nobody_out() {
    let count: usize = std::env::var("SILENT_CONNECTIONS").map_or(200, |count| count.parse().unwrap());
    let engine = super::support::bare(&[]);
    let address = engine.api.strip_prefix("http://").unwrap().to_owned();
    let mut silent = Vec::new();
    for _ in 0..count {
        silent.push(TcpStream::connect(&address).await.unwrap());
    }
    for _ in 0..20 {
        assert_eq!(engine.get("/health").await.status, 200);
        assert_eq!(engine.ask("POST", "/v1/data", r#"{"input":{}}"#).await.status, 200);
    }
    let mut first = silent.swap_remove(0);
    let end = timeout(DEADLINE, first.read(&mut [0; 512])).await.expect("closed within the deadline");
    assert!(end.is_ok_and(|read| read == 0 || read > 12), "it is told 408, or nothing, and closed");
    assert_eq!(engine.get("/health").await.status, 200);
}

#[tokio::test]
async fn a_silent_connection_is_closed() {
    let engine = secured(&Authority::new(), |_| Vec::new());
    let address = engine.review.as_deref().unwrap().strip_prefix("https://").unwrap().to_owned();
    let mut silent = TcpStream::connect(address).await.unwrap();
    let end = timeout(DEADLINE, silent.read(&mut [0; 16])).await.expect("closed within the deadline");
    assert!(matches!(end, Ok(0) | Err(_)), "{end:?}");
}
