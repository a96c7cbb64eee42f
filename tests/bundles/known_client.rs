//! A service that demands a certificate of its clients (`credentials.client_tls`).

use std::path::Path;
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use serde_json::json;

use super::archive::bundle;
use super::authority::Authority;
use super::service::Service;
use super::support::{Engine, plimsoll};

const DELAYS: &str = "{min_delay_seconds: 0, max_delay_seconds: 1}";

/// Nobody connects without a certificate of this authority.
fn service(authority: &Authority) -> Service {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(authority.pem().as_bytes()).unwrap()).unwrap();
    let clients = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider)).build().unwrap();
    let (certificate, key) = authority.pair();
    let chain = vec![CertificateDer::from_pem_slice(certificate.as_bytes()).unwrap()];
    let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap();
    let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let service = Service::secured(config.with_client_cert_verifier(clients).with_single_cert(chain, key).unwrap());
    service.offer("/bundles/main", bundle(&[("a/data.json", r#"{"x": 1}"#)]), "e1");
    service
}

fn engine(service: &Service, credentials: &str, prepare: impl FnOnce(&Path)) -> Engine {
    let dir = tempfile::tempdir().unwrap();
    prepare(dir.path());
    let url = &service.url;
    let config = format!(
        "services: {{s: {{url: '{url}', tls: {{ca_cert: ca.crt}}, credentials: {{{credentials}}}}}}}\n\
         bundles: {{main: {{service: s, polling: {DELAYS}}}}}\ndecision_logs: {{service: s, reporting: {DELAYS}}}\nstatus: {{service: s}}\n"
    );
    std::fs::write(dir.path().join("config.yaml"), config).unwrap();
    plimsoll(dir, &["--config-file", "config.yaml"])
}

const OWN: &str = "client_tls: {cert: own.crt, private_key: own.key}";

#[tokio::test]
async fn bundles_logs_and_status_reach_a_service_that_demands_a_certificate() {
    let authority = Authority::new();
    let service = service(&authority);
    let engine = engine(&service, OWN, |dir| {
        std::fs::write(dir.join("ca.crt"), authority.pem()).unwrap();
        authority.issue(dir, "own");
    });
    engine.becomes("a/x", &json!(1)).await;
    service.eventually("an event", |state| state.events.iter().find(|event| event["result"] == 1).cloned()).await;
    service.eventually("a report", |state| state.reports.first().cloned()).await;
}

#[tokio::test]
async fn a_stranger_gets_nothing_until_the_right_certificate_is_in_its_place() {
    let (authority, stranger) = (Authority::new(), Authority::new());
    let service = service(&authority);
    let engine = engine(&service, OWN, |dir| {
        std::fs::write(dir.join("ca.crt"), authority.pem()).unwrap();
        stranger.issue(dir, "own");
    });
    engine.says("the request failed").await;
    assert!(service.with(|state| state.requests.is_empty()), "no request came through the handshake");
    authority.issue(engine.dir.path(), "own");
    engine.becomes("a/x", &json!(1)).await;
}

#[tokio::test]
async fn without_a_certificate_there_is_nothing() {
    let authority = Authority::new();
    let service = service(&authority);
    let engine = engine(&service, "", |dir| std::fs::write(dir.join("ca.crt"), authority.pem()).unwrap());
    engine.says("CertificateRequired").await;
    assert!(service.with(|state| state.requests.is_empty()), "no request came through the handshake");
}
