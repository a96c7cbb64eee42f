//! Kubeconfigs that hold everything in themselves, as kubectl, kube-rs and the Python client read them.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Value as Json, json};

use super::{Identity, PkiError, files};

/// How a caller proves who it is.
#[derive(Clone)]
pub enum Credential {
    /// By a client certificate.
    Certificate(Identity),
    /// By a bearer token.
    Token(String),
}

/// The name of cluster, user and context.
const NAME: &str = "plimsoll";

/// The text of a kubeconfig for one server, one caller.
pub fn text(server: &str, authority: &str, credential: &Credential) -> Result<String, PkiError> {
    let config = json!({
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": NAME, "cluster": {"server": server, "certificate-authority-data": BASE64.encode(authority)}}],
        "users": [{"name": NAME, "user": user(credential)}],
        "contexts": [{"name": NAME, "context": {"cluster": NAME, "user": NAME}}],
        "current-context": NAME,
    });
    Ok(yaml_serde::to_string(&config)?)
}

/// Writes a kubeconfig that its owner alone can read.
pub fn write(path: &Path, server: &str, authority: &str, credential: &Credential) -> Result<(), PkiError> {
    files::write_private(path, &text(server, authority, credential)?)
}

fn user(credential: &Credential) -> Json {
    match credential {
        Credential::Certificate(Identity { certificate, key }) => json!({
            "client-certificate-data": BASE64.encode(certificate),
            "client-key-data": BASE64.encode(key),
        }),
        Credential::Token(token) => json!({"token": token}),
    }
}

impl std::fmt::Debug for Credential {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            Self::Certificate(_) => "Certificate(..)",
            Self::Token(_) => "Token(..)",
        })
    }
}
