//! The certificates that the engine's own is checked against.

use std::path::Path;

use reqwest::Certificate;

use super::SetupError;

/// Returns the certificates of a PEM file. Fails when it cannot be read, or has none: then no engine would ever be believed.
pub(super) fn certificates(file: &Path) -> Result<Vec<Certificate>, SetupError> {
    let pem = std::fs::read(file).map_err(|source| SetupError::CaFile { file: file.into(), source })?;
    let none = |source| SetupError::Certificates { file: file.into(), source };
    let certificates = Certificate::from_pem_bundle(&pem).map_err(|source| none(Some(source)))?;
    if certificates.is_empty() { Err(none(None)) } else { Ok(certificates) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_certificates_is_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ca.pem");
        for text in ["", "no PEM", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"] {
            std::fs::write(&file, text).unwrap();
            let error = certificates(&file).unwrap_err().to_string();
            assert!(error.contains("ca.pem") && error.contains("holds no PEM certificates"), "{text}: {error}");
        }
        assert!(certificates(&folder.path().join("none")).unwrap_err().to_string().contains("cannot read"));
    }
}
