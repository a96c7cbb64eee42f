//! Certificates: the engine's must be one that the kubeconfig trusts, and the hook shows its own.

use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, ExtendedKeyUsagePurpose, IsCa, KeyPair};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use serde_json::json;

use super::engine::{Engine, ok};
use super::hook::{Setup, nginx};

struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::new([]).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Self(CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
    }

    /// Certificate and key, PEM.
    fn issue(&self, name: &str) -> (String, String) {
        let mut params = CertificateParams::new([name.to_owned()]).unwrap();
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth];
        let key = KeyPair::generate().unwrap();
        (params.signed_by(&key, &self.0).unwrap().pem(), key.serialize_pem())
    }

    /// A server called `name`, which asks for certificates of `clients`.
    fn server(&self, name: &str, clients: Option<&Self>) -> ServerConfig {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let (certificate, key) = self.issue(name);
        let builder = match clients {
            None => ServerConfig::builder().with_no_client_auth(),
            Some(clients) => {
                let mut roots = RootCertStore::empty();
                roots.add(CertificateDer::from_pem_slice(clients.0.pem().as_bytes()).unwrap()).unwrap();
                let verifier = WebPkiClientVerifier::builder(Arc::new(roots)).build().unwrap();
                ServerConfig::builder().with_client_cert_verifier(verifier)
            }
        };
        let chain = vec![CertificateDer::from_pem_slice(certificate.as_bytes()).unwrap()];
        builder.with_single_cert(chain, PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap()).unwrap()
    }
}

#[tokio::test]
async fn a_certificate_that_is_not_trusted_denies_at_once_and_nothing_is_sent() {
    let (ours, other) = (Authority::new(), Authority::new());
    for (authority, name) in [(&other, "localhost"), (&ours, "elsewhere")] {
        let engine = Engine::secured([ok("{}")], authority.server(name, None));
        let mut setup = Setup::new(&engine.origin());
        let pem = ours.0.pem();
        setup.authority = Some(&pem);
        let hook = setup.hook();
        let refusal = hook.admit(&mut nginx()).await.unwrap_err();
        assert_eq!(refusal.code, 403);
        assert!(refusal.message.contains("SchedulingPolicy: engine https://localhost:"), "{refusal}");
        assert!(refusal.message.contains("the engine's certificate is refused"), "{refusal}");
        assert!(refusal.message.contains("give the hook's kubeconfig the certificate authority"), "{refusal}");
        assert_eq!((hook.metrics.attempts(), engine.came().len(), hook.events().len()), (1, 0, 1), "{name}");
    }
}

#[tokio::test]
async fn the_hook_shows_the_kubeconfigs_client_certificate() {
    let (ours, clients) = (Authority::new(), Authority::new());
    let engine = Engine::secured([ok(json!({"annotations": {"a": "b"}}))], ours.server("localhost", Some(&clients)));
    let pem = ours.0.pem();
    let folder = tempfile::tempdir().unwrap();
    let (certificate, key) = clients.issue("hook");
    let (certificate_file, key_file) = (folder.path().join("hook.crt"), folder.path().join("hook.key"));
    std::fs::write(&certificate_file, certificate).unwrap();
    std::fs::write(&key_file, key).unwrap();
    let mut setup = Setup::new(&engine.origin());
    (setup.authority, setup.user) = (Some(pem.as_str()), json!({"client-certificate": certificate_file, "client-key": key_file}));
    setup.hook().admit(&mut nginx()).await.unwrap();
    assert_eq!(engine.came().len(), 1);
    setup.user = json!({});
    assert_eq!(setup.hook().admit(&mut nginx()).await.unwrap_err().code, 403);
    assert_eq!(engine.came().len(), 1, "nobody without a certificate is served");
}
