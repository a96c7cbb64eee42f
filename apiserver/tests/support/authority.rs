//! A certificate authority of the test's own.

use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, ExtendedKeyUsagePurpose, IsCa, KeyPair};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use time::{Duration, OffsetDateTime};

/// A certificate authority.
pub(crate) struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    pub(crate) fn new() -> Self {
        let mut params = CertificateParams::new([]).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Self(CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
    }

    /// What must be trusted, PEM.
    pub(crate) fn pem(&self) -> String {
        self.0.pem()
    }

    /// Certificate and key, PEM.
    pub(crate) fn issue(&self, name: &str) -> (String, String) {
        let mut params = CertificateParams::new([name.to_owned()]).unwrap();
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth];
        let key = KeyPair::generate().unwrap();
        (params.signed_by(&key, &self.0).unwrap().pem(), key.serialize_pem())
    }

    /// The same, of a certificate that was good until yesterday.
    #[allow(dead_code, reason = "for the matrix of faults, which is elsewhere")]
    pub(crate) fn expired(&self, name: &str) -> ServerConfig {
        let mut params = CertificateParams::new([name.to_owned()]).unwrap();
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        let now = OffsetDateTime::now_utc();
        (params.not_before, params.not_after) = (now - Duration::days(9), now - Duration::days(1));
        let key = KeyPair::generate().unwrap();
        serving((params.signed_by(&key, &self.0).unwrap().pem(), key.serialize_pem()), None)
    }

    /// A server called `name`, which asks for certificates of `clients`.
    pub(crate) fn server(&self, name: &str, clients: Option<&Self>) -> ServerConfig {
        serving(self.issue(name), clients)
    }
}

fn serving((certificate, key): (String, String), clients: Option<&Authority>) -> ServerConfig {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = match clients {
        None => ServerConfig::builder().with_no_client_auth(),
        Some(clients) => {
            let mut roots = RootCertStore::empty();
            roots.add(CertificateDer::from_pem_slice(clients.pem().as_bytes()).unwrap()).unwrap();
            let verifier = WebPkiClientVerifier::builder(Arc::new(roots)).build().unwrap();
            ServerConfig::builder().with_client_cert_verifier(verifier)
        }
    };
    let chain = vec![CertificateDer::from_pem_slice(certificate.as_bytes()).unwrap()];
    builder.with_single_cert(chain, PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap()).unwrap()
}
