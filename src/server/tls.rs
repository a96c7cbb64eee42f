//! TLS on ring, with certificates and client authorities that are read again when they change; connections stay.

use std::path::PathBuf;
use std::sync::Arc;

use rustls::client::danger::HandshakeSignatureValid;
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, UnixTime};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::server::{ClientHello, ResolvesServerCert, VerifierBuilderError, WebPkiClientVerifier};
use rustls::sign::CertifiedKey;
use rustls::{DigitallySignedStruct, DistinguishedName, Error, RootCertStore, ServerConfig, SignatureScheme};

use crate::server::reload::{LoadError, Reloaded};

/// The files of one TLS listener.
#[derive(Clone, Debug)]
pub struct Files {
    /// PEM: the chain, leaf first.
    pub certificate: PathBuf,
    /// PEM.
    pub key: PathBuf,
    /// PEM: callers must show a certificate of one of these authorities.
    pub client_ca: Option<PathBuf>,
}

/// Files or settings that TLS cannot be served with.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The library refuses its configuration.
    #[error("TLS cannot be configured")]
    Configure(#[from] Error),
}

/// Why PEM files are of no use.
#[derive(Debug, thiserror::Error)]
enum CertificateError {
    #[error("a certificate and a key are needed")]
    NoPair,
    #[error("there is no certificate in it")]
    NoCertificate,
    #[error("a certificate cannot be read: {0}")]
    Certificate(pem::Error),
    #[error("no private key can be read: {0}")]
    Key(pem::Error),
    #[error("certificate and key do not go together: {0}")]
    Pair(Error),
    #[error("an authority cannot be used: {0}")]
    Authority(Error),
    #[error("the authorities cannot be used: {0}")]
    Authorities(VerifierBuilderError),
}

/// A configuration that follows its files.
pub fn server_config(files: Files) -> Result<ServerConfig, TlsError> {
    let provider = Arc::new(ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    let certificate = Certificate(Reloaded::load(vec![files.certificate, files.key], |contents| Ok(certified_key(contents)?))?);
    let builder = match files.client_ca {
        None => builder.with_no_client_auth(),
        Some(ca) => builder
            .with_client_cert_verifier(Arc::new(Authorities(Reloaded::load(vec![ca], |contents| Ok(authorities(contents)?))?))),
    };
    Ok(builder.with_cert_resolver(Arc::new(certificate)))
}

#[derive(Debug)]
struct Certificate(Reloaded<Arc<CertifiedKey>>);

impl ResolvesServerCert for Certificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(&*self.0.get()))
    }
}

#[derive(Debug)]
struct Authorities(Reloaded<Arc<dyn ClientCertVerifier>>);

impl ClientCertVerifier for Authorities {
    /// No hints: they could not follow a change, and callers have one certificate.
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    fn verify_client_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        now: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        self.0.get().verify_client_cert(end_entity, intermediates, now)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.0.get().verify_tls12_signature(message, cert, dss)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.0.get().verify_tls13_signature(message, cert, dss)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.get().supported_verify_schemes()
    }
}

/// Chain and key; that they belong together is checked, so that a half-swapped pair is never served.
fn certified_key(contents: &[Vec<u8>]) -> Result<Arc<CertifiedKey>, CertificateError> {
    let [chain, key] = contents else { return Err(CertificateError::NoPair) };
    let chain = certificates(chain)?;
    let key = PrivateKeyDer::from_pem_slice(key).map_err(CertificateError::Key)?;
    let provider: CryptoProvider = ring::default_provider();
    let pair = CertifiedKey::from_der(chain, key, &provider);
    pair.map(Arc::new).map_err(CertificateError::Pair)
}

fn authorities(contents: &[Vec<u8>]) -> Result<Arc<dyn ClientCertVerifier>, CertificateError> {
    let mut roots = RootCertStore::empty();
    for certificate in contents.iter().map(|content| certificates(content)).collect::<Result<Vec<_>, _>>()?.concat() {
        roots.add(certificate).map_err(CertificateError::Authority)?;
    }
    let provider = Arc::new(ring::default_provider());
    let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build();
    verifier.map_err(CertificateError::Authorities)
}

fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, CertificateError> {
    let chain = CertificateDer::pem_slice_iter(pem).collect::<Result<Vec<_>, _>>();
    let chain = chain.map_err(CertificateError::Certificate)?;
    if chain.is_empty() { Err(CertificateError::NoCertificate) } else { Ok(chain) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair() -> (Vec<u8>, Vec<u8>) {
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        (made.cert.pem().into_bytes(), made.signing_key.serialize_pem().into_bytes())
    }

    #[test]
    fn only_a_pair_that_goes_together_is_taken() {
        let ((certificate, key), (_, other)) = (pair(), pair());
        assert!(certified_key(&[certificate.clone(), key.clone()]).is_ok());
        let table = [
            ([certificate.clone(), other], "do not go together"),
            ([Vec::new(), key], "no certificate"),
            ([certificate, b"x".to_vec()], "no private key"),
        ];
        for (contents, part) in table {
            let error = certified_key(&contents).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn authorities_need_a_certificate() {
        assert!(authorities(&[pair().0]).is_ok());
        assert!(authorities(&[b"".to_vec()]).unwrap_err().to_string().contains("no certificate"));
    }
}
