//! `.signatures.json`: one JSON web token that lists every file of the bundle with its digest (OPA: `v1/bundle/verify.go`).

mod digest;
mod error;
mod token;

pub use error::{ContentError, SignatureError, TokenError};

use std::collections::BTreeMap;

use serde::Deserialize;

use super::BundleError;
use super::files::{Files, base};
use super::pattern::matches_path;
use crate::management::config::bundles::Signing;
use crate::management::config::keys::Key;

/// The keys that may sign bundles, and whether a signature is required.
#[derive(Clone, Debug, Default)]
pub struct Verifier {
    keys: BTreeMap<String, Key>,
    signing: Option<Signing>,
}

/// The file.
#[derive(Deserialize)]
struct Signatures {
    #[serde(default)]
    signatures: Vec<String>,
    #[serde(default)]
    plugin: String,
}

/// The payload of the token.
#[derive(Debug, Deserialize)]
struct Payload {
    #[serde(default)]
    files: Vec<Signed>,
    #[serde(default)]
    keyid: String,
    #[serde(default)]
    scope: String,
}

/// One file that was signed.
#[derive(Debug, Deserialize)]
struct Signed {
    name: String,
    hash: String,
    algorithm: String,
}

impl Verifier {
    /// With the keys of the configuration; `signing` makes a signature required.
    pub fn new(keys: BTreeMap<String, Key>, signing: Option<Signing>) -> Self {
        Self { keys, signing }
    }

    /// Whether the bundle is what somebody signed who may. A signature that is there is verified, required or not.
    pub fn check(&self, files: &Files) -> Result<(), BundleError> {
        self.checked(files).map_err(BundleError::Signature)
    }

    fn checked(&self, files: &Files) -> Result<(), SignatureError> {
        let delta = super::content::is_delta(files);
        let mut found = files.iter().filter(|(path, _)| base(path) == ".signatures.json");
        let (first, second) = (found.next(), found.next());
        if let (Some((first, _)), Some((second, _))) = (first, second) {
            return Err(SignatureError::Several { first: first.into(), second: second.into() });
        }
        match (&self.signing, first) {
            (Some(signing), _) if delta && !signing.allow_unsigned_delta_bundles => Err(SignatureError::Delta),
            (_, _) if delta => Ok(()),
            (None, None) => Ok(()),
            (Some(_), None) => Err(SignatureError::Missing),
            (_, Some(_)) if self.keys.is_empty() => Err(SignatureError::NoKeys),
            (_, Some((_, text))) => self.signed(text, files),
        }
    }

    fn signed(&self, text: &[u8], files: &Files) -> Result<(), SignatureError> {
        let signatures: Signatures = serde_json::from_slice(text).map_err(SignatureError::File)?;
        if !matches!(signatures.plugin.as_str(), "" | "_default") {
            return Err(SignatureError::Plugin(signatures.plugin));
        }
        let [token] = signatures.signatures.as_slice() else {
            return Err(SignatureError::Tokens(signatures.signatures.len()));
        };
        let unnamed = Signing::default();
        let signing = self.signing.as_ref().unwrap_or(&unnamed);
        let payload = token::verified(token, &self.keys, signing)?;
        let mut left: BTreeMap<&str, &Signed> =
            payload.files.iter().map(|file| (file.name.trim_start_matches('/'), file)).collect();
        for (path, bytes) in files.iter().filter(|(path, _)| base(path) != ".signatures.json") {
            let signed = left.remove(path);
            if signing.exclude_files.iter().any(|pattern| matches_path(pattern, path)) {
                continue;
            }
            let signed = signed.ok_or_else(|| SignatureError::Unsigned(path.into()))?;
            digest::check(path, bytes, signed)?;
        }
        match left.keys().next() {
            Some(missing) => Err(SignatureError::Gone((*missing).into())),
            None => Ok(()),
        }
    }
}

/// Whether a key's algorithm is known here; asked at start.
pub fn known_algorithm(algorithm: &str) -> bool {
    token::Algorithm::of(algorithm).is_some()
}

/// Whether a key can verify anything; asked at start, and why not.
pub fn usable(key: &Key) -> Result<(), TokenError> {
    token::usable(key)
}

#[cfg(test)]
mod tests;
