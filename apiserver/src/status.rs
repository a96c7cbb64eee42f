//! Kubernetes' `Status`: what every error, and every successful delete, looks like on the wire.

mod errors;
pub mod field;
mod wire;

pub use field::{FieldError, FieldReason};
pub use wire::success;

use serde::{Deserialize, Serialize};

/// A failed request, as clients decode it. Source of the fields: `meta/v1` `Status`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
#[serde(rename_all = "camelCase")]
pub struct Status {
    /// For people; clients match on some of these texts.
    pub message: String,
    /// The machine-readable cause, such as `NotFound`.
    #[serde(skip_serializing_if = "Reason::is_unknown")]
    pub reason: Reason,
    /// What the request was about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Box<Details>>,
    /// The HTTP status code.
    pub code: u16,
    /// A continue token that works, beside a 410 for one that does not.
    #[serde(skip)]
    pub continue_token: Option<String>,
}

/// Kubernetes' reasons; a webhook may give others.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names are Kubernetes' own and say what they mean")]
pub enum Reason {
    AlreadyExists,
    BadRequest,
    Conflict,
    Expired,
    Forbidden,
    Gone,
    InternalError,
    Invalid,
    MethodNotAllowed,
    NotAcceptable,
    NotFound,
    RequestEntityTooLarge,
    ServerTimeout,
    ServiceUnavailable,
    Timeout,
    TooManyRequests,
    Unauthorized,
    /// None: upstream's bare errors.
    #[serde(rename = "")]
    Unknown,
    UnsupportedMediaType,
    /// A webhook's own.
    #[serde(untagged)]
    Other(String),
}

impl Reason {
    /// The reason of this name.
    pub fn named(name: &str) -> Self {
        serde_json::from_value(name.into()).unwrap_or(Self::Unknown)
    }

    /// An unknown reason is not sent.
    pub fn is_unknown(&self) -> bool {
        *self == Self::Unknown
    }
}

/// What a failed request was about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Details {
    /// The object's name.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// API group; empty for core.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub group: String,
    /// The resource (plural), except for `Invalid`, where it is the kind.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// The object's uid.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub uid: String,
    /// One for each field or conflict.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<Cause>,
    /// When to try again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after_seconds: Option<u32>,
}

/// One reason of several.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Cause {
    /// Such as `FieldValueRequired` or `FieldManagerConflict`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// For people.
    pub message: String,
    /// Path of the field, such as `spec.replicas`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub field: String,
}
