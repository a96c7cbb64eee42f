//! `services`: where bundles come from and logs go to.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use serde::Deserialize;

use super::KeyError;

/// A text that is never shown.
#[derive(Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Secret(pub String);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[secret]")
    }
}

/// A server that speaks OPA's management API (OPA: `v1/plugins/rest`).
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Service {
    /// As in the map; repeated in the list form.
    #[serde(default)]
    pub name: Option<String>,
    /// Where it is.
    pub url: String,
    /// Sent with every request.
    #[serde(default)]
    pub headers: BTreeMap<String, Secret>,
    /// Its certificate is not checked.
    #[serde(default)]
    pub allow_insecure_tls: bool,
    /// Until the answer begins; 0 waits for ever, 10 by default.
    #[serde(default = "ten")]
    pub response_header_timeout_seconds: u64,
    /// How it is known.
    #[serde(default)]
    pub tls: Tls,
    /// How we are known.
    #[serde(default)]
    pub credentials: Credentials,
}

/// The authorities that a server's certificate is checked with.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tls {
    /// Its authorities, PEM.
    #[serde(default)]
    pub ca_cert: Option<PathBuf>,
    /// Beside those, the system's.
    #[serde(default)]
    pub system_ca_required: bool,
}

/// At most one of them.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Credentials {
    /// A token in the `Authorization` header.
    #[serde(default)]
    pub bearer: Option<Bearer>,
    /// A client certificate.
    #[serde(default)]
    pub client_tls: Option<ClientTls>,
}

/// A token, or the file that holds it, read for every request.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bearer {
    /// The token.
    #[serde(default)]
    pub token: Secret,
    /// The file.
    #[serde(default)]
    pub token_path: Option<PathBuf>,
    /// `Bearer` by default.
    #[serde(default)]
    pub scheme: Option<String>,
}

/// A client certificate, PEM, read again when the files change.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClientTls {
    /// Certificate chain.
    pub cert: PathBuf,
    /// Private key, not encrypted.
    pub private_key: PathBuf,
}

fn ten() -> u64 {
    10
}

impl Service {
    /// Fails where credentials or URL are wrong in a way that the types allow.
    pub(super) fn check(&self) -> Result<(), KeyError> {
        let Credentials { bearer, client_tls } = &self.credentials;
        if bearer.is_some() && client_tls.is_some() {
            return Err(KeyError::SeveralCredentials);
        }
        if let Some(Bearer { token, token_path, .. }) = bearer
            && token.0.is_empty() == token_path.is_none()
        {
            return Err(KeyError::Token);
        }
        match reqwest::Url::parse(&self.url) {
            Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => Ok(()),
            // The text may hold a password.
            Ok(_) => Err(KeyError::Scheme),
            Err(error) => Err(KeyError::Url(error)),
        }
    }
}
