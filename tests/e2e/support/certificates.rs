//! Throw-away certificates and keys.

use std::path::{Path, PathBuf};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, KeyUsagePurpose};

/// A certificate authority that lives as long as a test.
#[derive(Debug)]
pub(crate) struct Authority(CertifiedIssuer<'static, KeyPair>);

/// A certificate and its key, as files.
#[derive(Clone, Debug)]
pub(crate) struct CertificateFiles {
    pub(crate) certificate: PathBuf,
    pub(crate) key: PathBuf,
}

impl Authority {
    pub(crate) fn new(name: &str) -> Self {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        Self(CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
    }

    /// The authority's own certificate, PEM.
    pub(crate) fn pem(&self) -> String {
        self.0.pem()
    }

    /// A serving certificate for loopback, written as `<directory>/tls.crt` and `tls.key`.
    pub(crate) fn serving(&self, directory: &Path) -> CertificateFiles {
        self.serving_as(&["localhost", "127.0.0.1"], directory)
    }

    /// The same for these names and addresses.
    pub(crate) fn serving_as(&self, names: &[&str], directory: &Path) -> CertificateFiles {
        let names: Vec<String> = names.iter().map(ToString::to_string).collect();
        let key = KeyPair::generate().unwrap();
        let certificate = CertificateParams::new(names).unwrap().signed_by(&key, &self.0).unwrap();
        std::fs::create_dir_all(directory).unwrap();
        let files = CertificateFiles { certificate: directory.join("tls.crt"), key: directory.join("tls.key") };
        std::fs::write(&files.certificate, certificate.pem()).unwrap();
        std::fs::write(&files.key, key.serialize_pem()).unwrap();
        files
    }
}

/// A key pair for signing ServiceAccount tokens: `<directory>/sa.pub` and `sa.key`.
pub(crate) fn signing_key(directory: &Path) -> CertificateFiles {
    let key = KeyPair::generate().unwrap();
    let files = CertificateFiles { certificate: directory.join("sa.pub"), key: directory.join("sa.key") };
    std::fs::write(&files.certificate, key.public_key_pem()).unwrap();
    std::fs::write(&files.key, key.serialize_pem()).unwrap();
    files
}
