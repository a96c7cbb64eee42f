//! The server's own certificate authority: its serving certificate, client certificates, and the key for ServiceAccount
//! tokens. New at each start, or kept in a directory so that kubeconfigs outlive a restart.

pub mod files;
pub mod kubeconfig;

use std::fs;
use std::io;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, SanType,
};
use rustls::RootCertStore;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::server::WebPkiClientVerifier;
use time::{Duration, OffsetDateTime};

use super::service_account::{TokenError, TokenKey};

/// How long the authority is valid; longer than any development directory lives.
const AUTHORITY_LIFE: Duration = Duration::days(3650);
/// How long what it signs is valid; made anew at each start.
const LIFE: Duration = Duration::days(365);
/// Validity starts in the past, for clocks that are a little behind.
const EARLIER: Duration = Duration::hours(1);

/// A certificate authority, and the key for ServiceAccount tokens. Its keys are neither printed nor logged.
pub struct Authority {
    certificate: CertificateDer<'static>,
    pem: String,
    issuer: Issuer<'static, KeyPair>,
    tokens: Arc<TokenKey>,
}

/// A certificate with its key, as PEM.
#[derive(Clone)]
pub struct Identity {
    /// The certificate.
    pub certificate: String,
    /// Its private key.
    pub key: String,
}

/// What went wrong with certificates.
#[derive(Debug, thiserror::Error)]
pub enum PkiError {
    /// A file cannot be read or written.
    #[error("cannot {action} {}", path.display())]
    File {
        /// `read` or `write`.
        action: &'static str,
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A kept file does not hold what it should.
    #[error("{} does not hold {expected}; restore it, or delete the directory to start with a new authority", path.display())]
    Damaged {
        /// Which file.
        path: PathBuf,
        /// Such as `the key of ca.crt`.
        expected: &'static str,
    },
    /// Keys or certificates cannot be made.
    #[error("cannot make a certificate")]
    Make(#[from] rcgen::Error),
    /// The key for tokens is not usable.
    #[error(transparent)]
    Token(#[from] TokenError),
    /// rustls refuses what was made.
    #[error("cannot set up TLS")]
    Tls(#[from] rustls::Error),
    /// The authority cannot verify clients.
    #[error("cannot set up the verification of client certificates")]
    Verifier(#[from] rustls::server::VerifierBuilderError),
    /// The kubeconfig cannot be written as YAML.
    #[error("cannot write the kubeconfig as YAML")]
    Yaml(#[from] yaml_serde::Error),
}

// --- Authority ---

impl Authority {
    /// A new one that nobody keeps.
    pub fn ephemeral() -> Result<Self, PkiError> {
        Self::new(KeyPair::generate()?, &KeyPair::generate()?)
    }

    /// The one kept in `directory`, or a new one that is kept there; its files are readable by the owner alone.
    pub fn kept(directory: &Path) -> Result<Self, PkiError> {
        let [certificate, key, tokens] = ["ca.crt", "ca.key", "sa.key"].map(|name| directory.join(name));
        if !key.exists() {
            let (signing, token_key) = (KeyPair::generate()?, KeyPair::generate()?);
            let (signing_pem, token_pem) = (signing.serialize_pem(), token_key.serialize_pem());
            let authority = Self::new(signing, &token_key)?;
            files::write_private(&tokens, &token_pem)?;
            files::write_private(&certificate, &authority.pem)?;
            // Last, because it tells that the others are there.
            files::write_private(&key, &signing_pem)?;
            return Ok(authority);
        }
        let pem = read(&certificate)?;
        let der = CertificateDer::from_pem_slice(pem.as_bytes())
            .map_err(|_| PkiError::Damaged { path: certificate, expected: "a certificate" })?;
        let signing = key_pair(&key)?;
        if !is_key_of(&der, &signing) {
            return Err(PkiError::Damaged { path: key, expected: "the key of the certificate in ca.crt" });
        }
        let tokens = Arc::new(TokenKey::from_pkcs8(&key_pair(&tokens)?.serialize_der())?);
        Ok(Self { certificate: der, pem, issuer: Issuer::new(authority_params(), signing), tokens })
    }

    fn new(signing: KeyPair, token_key: &KeyPair) -> Result<Self, PkiError> {
        let params = authority_params();
        let certificate = params.self_signed(&signing)?;
        let tokens = Arc::new(TokenKey::from_pkcs8(&token_key.serialize_der())?);
        let (der, pem) = (certificate.der().clone(), certificate.pem());
        Ok(Self { certificate: der, pem, issuer: Issuer::new(params, signing), tokens })
    }

    /// Its certificate as PEM, for whoever must trust the server.
    pub fn pem(&self) -> &str {
        &self.pem
    }

    /// The key for ServiceAccount tokens.
    pub fn token_key(&self) -> Arc<TokenKey> {
        Arc::clone(&self.tokens)
    }

    /// A certificate for the server: loopback, its names in a cluster, and `more` addresses.
    pub fn serving(&self, more: &[IpAddr]) -> Result<Identity, PkiError> {
        let names = ["localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"];
        let mut params = CertificateParams::new(names.map(str::to_owned))?;
        let loopback = [IpAddr::from([127, 0, 0, 1]), IpAddr::from([0, 0, 0, 0, 0, 0, 0, 1])];
        params.subject_alt_names.extend(loopback.iter().chain(more).map(|address| SanType::IpAddress(*address)));
        params.distinguished_name = subject("plimsoll-apiserver", &[]);
        self.sign(params, ExtendedKeyUsagePurpose::ServerAuth)
    }

    /// A certificate for a client: the common name is the user, the organizations are the groups.
    pub fn client(&self, user: &str, groups: &[&str]) -> Result<Identity, PkiError> {
        let mut params = CertificateParams::default();
        params.distinguished_name = subject(user, groups);
        self.sign(params, ExtendedKeyUsagePurpose::ClientAuth)
    }

    fn sign(&self, mut params: CertificateParams, purpose: ExtendedKeyUsagePurpose) -> Result<Identity, PkiError> {
        let now = OffsetDateTime::now_utc();
        (params.not_before, params.not_after) = (now - EARLIER, now + LIFE);
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![purpose];
        params.use_authority_key_identifier_extension = true;
        let key = KeyPair::generate()?;
        let certificate = params.signed_by(&key, &self.issuer)?;
        Ok(Identity { certificate: certificate.pem(), key: key.serialize_pem() })
    }

    /// TLS for the server: clients may show a certificate of this authority, but need not.
    pub fn server_config(&self, serving: &Identity) -> Result<rustls::ServerConfig, PkiError> {
        let mut roots = RootCertStore::empty();
        roots.add(self.certificate.clone())?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider));
        let verifier = verifier.allow_unauthenticated().build()?;
        let config = rustls::ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
        let (chain, key) = serving.der()?;
        Ok(config.with_client_cert_verifier(verifier).with_single_cert(chain, key)?)
    }
}

impl Identity {
    fn der(&self) -> Result<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>), PkiError> {
        let certificate = CertificateDer::from_pem_slice(self.certificate.as_bytes())
            .map_err(|_| rustls::Error::General("the certificate is no PEM".into()))?;
        let key = KeyPair::from_pem(&self.key)?;
        Ok((vec![certificate], PrivatePkcs8KeyDer::from(key.serialize_der()).into()))
    }
}

fn authority_params() -> CertificateParams {
    let now = OffsetDateTime::now_utc();
    let mut params = CertificateParams::default();
    (params.not_before, params.not_after) = (now - EARLIER, now + AUTHORITY_LIFE);
    params.distinguished_name = subject("plimsoll-ca", &[]);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign, KeyUsagePurpose::DigitalSignature];
    params
}

fn subject(name: &str, groups: &[&str]) -> DistinguishedName {
    let mut subject = DistinguishedName::new();
    for group in groups {
        subject.push(DnType::OrganizationName, *group);
    }
    subject.push(DnType::CommonName, name);
    subject
}

fn read(path: &Path) -> Result<String, PkiError> {
    fs::read_to_string(path).map_err(|source| PkiError::File { action: "read", path: path.into(), source })
}

fn key_pair(path: &Path) -> Result<KeyPair, PkiError> {
    KeyPair::from_pem(&read(path)?).map_err(|_| PkiError::Damaged { path: path.into(), expected: "a private key" })
}

fn is_key_of(certificate: &CertificateDer<'_>, key: &KeyPair) -> bool {
    let parsed = x509_parser::parse_x509_certificate(certificate);
    parsed.is_ok_and(|(_, certificate)| certificate.public_key().subject_public_key.data.as_ref() == key.public_key_raw())
}

impl std::fmt::Debug for Authority {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Authority").finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Identity {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Identity").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
