//! Why a signature is not accepted; the words are OPA's.

use std::error::Error;
use std::str::Utf8Error;

/// What is wrong with a bundle's signature. Nothing of the bundle is used.
#[derive(Debug, thiserror::Error)]
pub enum SignatureError {
    /// Which of them counts is anybody's guess.
    #[error("bundle contains multiple signatures files: {first:?} and {second:?}")]
    Several {
        /// One file.
        first: String,
        /// The other.
        second: String,
    },
    /// A signature is required, and a delta has none.
    #[error("delta bundles do not support signature verification")]
    Delta,
    /// A signature is required.
    #[error("bundle missing .signatures.json file")]
    Missing,
    /// There is a signature, and no key at all.
    #[error("verification key not provided")]
    NoKeys,
    /// The file cannot be read.
    #[error(".signatures.json: {0}")]
    File(serde_json::Error),
    /// It asks for a verifier that is not here.
    #[error("no verifier exists under id {0}")]
    Plugin(String),
    /// None, or several.
    #[error(".signatures.json: expected exactly one JWT, found {0}")]
    Tokens(usize),
    /// The token is not accepted.
    #[error(transparent)]
    Token(#[from] TokenError),
    /// A file that nobody signed.
    #[error("file {0} not included in bundle signature")]
    Unsigned(String),
    /// A file that was signed and is gone.
    #[error("file {0} specified in bundle signatures but not found in the target bundle")]
    Gone(String),
    /// A file that cannot be digested by its meaning.
    #[error("{path}: {source}")]
    Content {
        /// The file.
        path: String,
        /// Why.
        source: ContentError,
    },
    /// A hash that is not known here, or proves nothing.
    #[error("unsupported hashing algorithm: {0}")]
    Hash(String),
    /// The file is not the one that was signed.
    #[error("{path}: digest mismatch (want: {wanted}, got: {found})")]
    Mismatch {
        /// The file.
        path: String,
        /// As signed.
        wanted: String,
        /// As it is.
        found: String,
    },
}

/// Why a document has no digest.
#[derive(Debug, thiserror::Error)]
pub enum ContentError {
    /// Not text.
    #[error(transparent)]
    Text(#[from] Utf8Error),
    /// No JSON.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// No YAML.
    #[error("{0}")]
    Yaml(#[source] Box<dyn Error + Send + Sync>),
    /// No bundle's.
    #[error("nested deeper than {0} levels")]
    TooDeep(usize),
}

/// Why a token, or a key, is not accepted.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// Not three parts.
    #[error("failed to split compact JWT")]
    Parts,
    /// A part is not base64.
    #[error("failed to decode JWT {part}: {source}")]
    Base64 {
        /// Which.
        part: &'static str,
        /// Why.
        source: base64::DecodeError,
    },
    /// A part is not the JSON that it should be.
    #[error("JWT {part}: {source}")]
    Json {
        /// Which.
        part: &'static str,
        /// Why.
        source: serde_json::Error,
    },
    /// Neither configuration nor token says which key it is.
    #[error("verification key ID is empty")]
    NoKeyId,
    /// There is none of this id.
    #[error("verification key corresponding to ID {0} not found")]
    UnknownKey(String),
    /// Signed for something else.
    #[error("scope mismatch")]
    Scope,
    /// The key's algorithm is not known here.
    #[error("unknown signature algorithm: {0}")]
    Algorithm(String),
    /// Signed by somebody else, or altered.
    #[error("failed to verify JWT signature")]
    Wrong,
    /// The key is no PEM, or nothing in it is a key.
    #[error("failed to parse PEM block containing the key")]
    Key,
    /// A PEM block that holds no public key.
    #[error("a key of PEM type {0:?} verifies nothing: give the public key")]
    KeyType(String),
}
