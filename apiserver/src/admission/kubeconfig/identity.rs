//! A client certificate and its key: whether they can be shown to anybody.

use rustls::crypto::ring;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;

/// A certificate and a key of which no identity can be made.
#[derive(Debug, thiserror::Error)]
#[error("`{certificate}` and `{key}` cannot be used as a client certificate and its key: {why}")]
pub struct UnusableIdentity {
    /// Where the certificate is: a file, or a field.
    pub(super) certificate: String,
    pub(super) key: String,
    pub(super) why: IdentityError,
}

/// Why they are none.
#[derive(Debug, thiserror::Error)]
pub(super) enum IdentityError {
    #[error("a certificate cannot be read: {0}")]
    Certificate(pem::Error),
    #[error("there is no certificate in the first one")]
    NoCertificate,
    #[error("no private key can be read: {0}")]
    Key(pem::Error),
    #[error("they do not go together: {0}")]
    Pair(rustls::Error),
}

/// Fails for a chain without a certificate, without a key, or with the key of another certificate.
pub(super) fn check(certificate: &[u8], key: &[u8]) -> Result<(), IdentityError> {
    let chain = CertificateDer::pem_slice_iter(certificate).collect::<Result<Vec<_>, _>>();
    let chain = chain.map_err(IdentityError::Certificate)?;
    if chain.is_empty() {
        return Err(IdentityError::NoCertificate);
    }
    let key = PrivateKeyDer::from_pem_slice(key).map_err(IdentityError::Key)?;
    CertifiedKey::from_der(chain, key, &ring::default_provider()).map(drop).map_err(IdentityError::Pair)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair() -> [Vec<u8>; 2] {
        let made = rcgen::generate_simple_self_signed(["me".to_owned()]).unwrap();
        [made.cert.pem().into_bytes(), made.signing_key.serialize_pem().into_bytes()]
    }

    #[test]
    fn a_key_is_of_its_own_certificate() {
        let ([certificate, key], [_, other]) = (pair(), pair());
        check(&certificate, &key).unwrap();
        for (certificate, key, part) in [
            (certificate.as_slice(), other.as_slice(), "do not go together"),
            (&certificate, b"Hi", "no private key"),
            (b"Hi", &key, "no certificate"),
        ] {
            let error = check(certificate, key).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
