//! `keys`: what signatures of bundles are verified with.

use serde::Deserialize;

use super::services::Secret;

/// One key (OPA: `v1/keys`).
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Key {
    /// PEM of a public key or certificate; for `HS…` the secret.
    #[serde(default)]
    pub key: Secret,
    /// OPA signs tokens with it; nothing here does.
    #[serde(default)]
    pub private_key: Secret,
    /// `RS256` by default.
    #[serde(default = "rs256")]
    pub algorithm: String,
    /// What a signature must be for, unless the bundle says otherwise.
    #[serde(default)]
    pub scope: String,
}

fn rs256() -> String {
    "RS256".into()
}
