//! Servers that speak OPA's management API: bundles come from them, logs and status go to them (OPA: `v1/plugins/rest`).

mod backoff;
mod client;

pub use backoff::Backoff;
pub use client::{Client, Fetched, Question};

/// A request that did not do what it was for.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// The server said no.
    #[error("server replied with HTTP {0}")]
    Status(u16),
    /// No answer, or half of one.
    #[error("the request failed: {0}")]
    Request(String),
    /// Larger than allowed.
    #[error("the answer is larger than {0} bytes")]
    TooLarge(u64),
    /// A token, a certificate.
    #[error("`{what}` cannot be used: {why}")]
    Credentials {
        /// The file.
        what: String,
        /// Why; never the secret.
        why: String,
    },
}

impl ServiceError {
    /// The answer's status, if there was an answer.
    pub fn code(&self) -> Option<u16> {
        match self {
            Self::Status(code) => Some(*code),
            _ => None,
        }
    }
}
