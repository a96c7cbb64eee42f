//! What can go wrong in one exchange with the engine, whether to try again, and what a person can do about it.

use std::time::Duration;

use reqwest::StatusCode;

use crate::admission::kubeconfig::TokenError;
use crate::admission::outbound::{ReadError, innermost, is_about_certificates};

/// A failed exchange.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// Nobody listens, the name is unknown, the handshake failed for want of a peer.
    #[error("cannot connect: {}", innermost(.0))]
    Connect(#[source] reqwest::Error),
    /// The engine's certificate is not one that the kubeconfig trusts.
    #[error("the engine's certificate is refused: {}", innermost(.0))]
    Certificate(#[source] reqwest::Error),
    /// The connection broke before the answer was complete.
    #[error("the connection broke: {}", innermost(.0))]
    Broken(#[source] reqwest::Error),
    /// No complete answer in time.
    #[error("no answer within {0:.0?}")]
    TimedOut(Duration),
    /// 429 or 5xx.
    #[error("{status}{}", after_colon(message))]
    Busy {
        /// Which.
        status: StatusCode,
        /// The engine's sentence; may be empty.
        message: String,
        /// When to come again.
        retry_after: Option<Duration>,
    },
    /// 3xx: never followed.
    #[error("the engine answered {0}, and redirects are not followed")]
    Redirected(StatusCode),
    /// 404: there is no document at the path.
    #[error("policy decision is undefined")]
    Undefined,
    /// Another 4xx.
    #[error("{status}{}", after_colon(message))]
    Refused {
        /// Which.
        status: StatusCode,
        /// The engine's sentence; may be empty.
        message: String,
    },
    /// Not the JSON that was asked for.
    #[error("the engine's answer cannot be read: {0}")]
    Unreadable(#[source] serde_json::Error),
    /// An answer of this many bytes or more.
    #[error("the engine's answer is larger than {0} bytes")]
    TooLarge(usize),
    /// The kubeconfig's token file.
    #[error(transparent)]
    Token(#[from] TokenError),
}

/// A fault without its particulars: a metric's label, and the key of the advice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the variants of `Fault`, where they are described")]
pub enum Cause {
    Connect,
    Certificate,
    Broken,
    TimedOut,
    Busy,
    Redirected,
    Undefined,
    Refused,
    Unreadable,
    TooLarge,
    Token,
}

// --- impl Fault ---

impl Fault {
    /// Sorts an error of the HTTP client.
    pub fn of(error: reqwest::Error) -> Self {
        // The address is said once, by whoever tells the fault; it may hold more than is for every eye.
        let error = error.without_url();
        if is_about_certificates(&error) {
            Self::Certificate(error)
        } else if error.is_connect() {
            Self::Connect(error)
        } else {
            Self::Broken(error)
        }
    }

    /// Its kind.
    pub fn cause(&self) -> Cause {
        match self {
            Self::Connect(_) => Cause::Connect,
            Self::Certificate(_) => Cause::Certificate,
            Self::Broken(_) => Cause::Broken,
            Self::TimedOut(_) => Cause::TimedOut,
            Self::Busy { .. } => Cause::Busy,
            Self::Redirected(_) => Cause::Redirected,
            Self::Undefined => Cause::Undefined,
            Self::Refused { .. } => Cause::Refused,
            Self::Unreadable(_) => Cause::Unreadable,
            Self::TooLarge(_) => Cause::TooLarge,
            Self::Token(_) => Cause::Token,
        }
    }

    /// How long the engine asks to be left alone.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Busy { retry_after, .. } => *retry_after,
            _ => None,
        }
    }
}

impl From<ReadError> for Fault {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::TooLarge(most) => Self::TooLarge(most),
            ReadError::Broken(error) => Self::of(error),
        }
    }
}

// --- impl Cause ---

impl Cause {
    /// Each, for metrics that exist before the first fault.
    pub const ALL: [Self; 11] = [
        Self::Connect,
        Self::Certificate,
        Self::Broken,
        Self::TimedOut,
        Self::Busy,
        Self::Redirected,
        Self::Undefined,
        Self::Refused,
        Self::Unreadable,
        Self::TooLarge,
        Self::Token,
    ];

    /// The label.
    pub fn name(self) -> &'static str {
        match self {
            Self::Connect => "connect",
            Self::Certificate => "certificate",
            Self::Broken => "broken",
            Self::TimedOut => "timed_out",
            Self::Busy => "busy",
            Self::Redirected => "redirected",
            Self::Undefined => "undefined",
            Self::Refused => "refused",
            Self::Unreadable => "unreadable",
            Self::TooLarge => "too_large",
            Self::Token => "token",
        }
    }

    /// Whether the same request may succeed a moment later. What the engine decided, and what cannot be read, stays so.
    pub fn is_passing(self) -> bool {
        matches!(self, Self::Connect | Self::Broken | Self::TimedOut | Self::Busy)
    }

    /// Whether the engine said something.
    pub fn is_answer(self) -> bool {
        !matches!(self, Self::Connect | Self::Certificate | Self::Broken | Self::TimedOut | Self::Token)
    }

    /// What a person can do.
    pub fn advice(self) -> &'static str {
        match self {
            Self::Connect => "start the engine, or correct `server` in the hook's kubeconfig",
            Self::Certificate => "give the hook's kubeconfig the certificate authority that signed the engine's certificate",
            Self::Broken | Self::TimedOut => "look at the engine's log and load, then try again",
            Self::Busy => "see what the engine waits for at its /health/ready and in its log, then try again",
            Self::Redirected => "let `server` in the hook's kubeconfig be the engine's own address",
            Self::Undefined => {
                "load a policy that defines the document, or correct the path of `server` in the hook's kubeconfig"
            }
            Self::Refused => "correct the credentials and the path of `server` in the hook's kubeconfig",
            Self::Unreadable => "let the policy give `annotations` as an object and `errors` as a set or array of strings",
            Self::TooLarge => "let the policy give less beside `annotations` and `errors`",
            Self::Token => "put the engine's token where the hook's kubeconfig says",
        }
    }
}

fn after_colon(message: &str) -> String {
    if message.is_empty() { String::new() } else { format!(": {message}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t14_what_may_pass_is_tried_again_and_what_was_decided_is_not() {
        let passing: Vec<&str> = Cause::ALL.into_iter().filter(|cause| cause.is_passing()).map(Cause::name).collect();
        assert_eq!(passing, ["connect", "broken", "timed_out", "busy"]);
    }

    #[test]
    fn every_cause_has_a_name_of_its_own_and_advice() {
        let names: std::collections::BTreeSet<&str> = Cause::ALL.into_iter().map(Cause::name).collect();
        assert_eq!(names.len(), Cause::ALL.len());
        assert!(Cause::ALL.into_iter().all(|cause| !cause.advice().is_empty()));
    }
}
