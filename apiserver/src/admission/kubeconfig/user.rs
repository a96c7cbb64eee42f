//! A user of a kubeconfig: a client certificate, and what is sent with each request.

use std::io;
use std::path::{Path, PathBuf};

use reqwest::RequestBuilder;
use serde::Deserialize;
use serde_json::Value as Json;

use super::identity::{self, IdentityError, UnusableIdentity};
use super::{KubeconfigError, data};

/// How a server knows us, apart from a client certificate.
#[derive(Clone, PartialEq, Eq)]
pub enum Credentials {
    /// It does not.
    None,
    /// A bearer token.
    Token(String),
    /// A bearer token in a file that is read for each request.
    TokenFile(PathBuf),
    /// Basic authentication.
    Password {
        /// Name.
        user: String,
        /// Secret.
        password: String,
    },
}

/// A token file that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("the token file `{file}` cannot be read: {source}")]
pub struct TokenError {
    file: PathBuf,
    source: io::Error,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct User {
    token: Option<String>,
    #[serde(rename = "tokenFile")]
    token_file: Option<PathBuf>,
    client_certificate: Option<PathBuf>,
    client_certificate_data: Option<String>,
    client_key: Option<PathBuf>,
    client_key_data: Option<String>,
    username: Option<String>,
    password: Option<String>,
    exec: Option<Json>,
    auth_provider: Option<Json>,
    #[serde(rename = "as")]
    impersonate: Option<Json>,
    #[serde(rename = "extensions")]
    _extensions: Option<Json>,
}

impl User {
    pub(super) fn credentials(&self, folder: &Path) -> Result<Credentials, KubeconfigError> {
        let unsupported = [("exec", &self.exec), ("auth-provider", &self.auth_provider), ("as", &self.impersonate)];
        if let Some((name, _)) = unsupported.into_iter().find(|(_, value)| value.is_some()) {
            return Err(KubeconfigError::Unsupported(name));
        }
        // In this order of precedence: client-go `rest/config`.
        Ok(match (&self.token_file, &self.token, &self.username) {
            (Some(file), _, _) => Credentials::TokenFile(folder.join(file)),
            (_, Some(token), _) => Credentials::Token(token.clone()),
            (_, _, Some(user)) => {
                Credentials::Password { user: user.clone(), password: self.password.clone().unwrap_or_default() }
            }
            _ => Credentials::None,
        })
    }

    pub(super) fn identity(&self, folder: &Path) -> Result<Option<Vec<u8>>, KubeconfigError> {
        let certificate = self.client_certificate_data.as_deref();
        let certificate = data("client-certificate-data", certificate, self.client_certificate.as_deref(), folder)?;
        let key = data("client-key-data", self.client_key_data.as_deref(), self.client_key.as_deref(), folder)?;
        match (certificate, key) {
            (Some(certificate), Some(key)) => {
                identity::check(&certificate, &key).map_err(|why| self.unusable(folder, why))?;
                Ok(Some([key, b"\n".into(), certificate].concat()))
            }
            (None, None) => Ok(None),
            _ => Err(KubeconfigError::HalfIdentity),
        }
    }

    /// Returns the error that names certificate and key by where they are.
    fn unusable(&self, folder: &Path, why: IdentityError) -> KubeconfigError {
        let place = |inline: &Option<String>, field: &str, file: &Option<PathBuf>| match (inline, file) {
            (None, Some(file)) => folder.join(file).display().to_string(),
            _ => field.to_owned(),
        };
        let certificate = place(&self.client_certificate_data, "client-certificate-data", &self.client_certificate);
        let key = place(&self.client_key_data, "client-key-data", &self.client_key);
        KubeconfigError::Identity(Box::new(UnusableIdentity { certificate, key, why }))
    }
}

impl Credentials {
    /// Returns the request with these. A token file is read each time: others replace it now and then. Fails when it cannot be read.
    pub async fn authenticate(&self, request: RequestBuilder) -> Result<RequestBuilder, TokenError> {
        Ok(match self {
            Self::None => request,
            Self::Token(token) => request.bearer_auth(token),
            Self::TokenFile(file) => {
                let read = tokio::fs::read_to_string(file).await;
                request.bearer_auth(read.map_err(|source| TokenError { file: file.clone(), source })?.trim())
            }
            Self::Password { user, password } => request.basic_auth(user, Some(password)),
        })
    }
}

impl std::fmt::Debug for Credentials {
    /// Secrets stay out of logs.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::None => "None",
            Self::Token(_) => "Token(..)",
            Self::TokenFile(_) => "TokenFile(..)",
            Self::Password { .. } => "Password(..)",
        })
    }
}
