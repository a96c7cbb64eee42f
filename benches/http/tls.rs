//! A certificate for one server, and a client that trusts it alone.

use std::path::Path;
use std::sync::Arc;

use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::{ClientConfig, RootCertStore};

use crate::support::Outcome;

/// Writes `tls.crt` and `tls.key` for localhost. Returns what a client needs to know.
pub(crate) fn issue(folder: &Path) -> Outcome<Arc<ClientConfig>> {
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed(["localhost".to_owned()])?;
    std::fs::write(folder.join("tls.crt"), cert.pem())?;
    std::fs::write(folder.join("tls.key"), signing_key.serialize_pem())?;
    let mut roots = RootCertStore::empty();
    roots.add(cert.der().clone())?;
    let config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()));
    Ok(Arc::new(config.with_safe_default_protocol_versions()?.with_root_certificates(roots).with_no_client_auth()))
}
