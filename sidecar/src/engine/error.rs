//! What can go wrong on the way to the engine, and which of it ends a session.

use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;
use thiserror::Error;

/// Why there is no client. None is worth a retry.
#[derive(Debug, Error)]
pub enum SetupError {
    /// The CA file cannot be read.
    #[error("cannot read the engine's CA file `{file}`")]
    CaFile {
        /// The file.
        file: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The CA file holds no certificates.
    #[error("the engine's CA file `{file}` holds no PEM certificates")]
    Certificates {
        /// The file.
        file: PathBuf,
        /// Why.
        source: reqwest::Error,
    },
    /// TLS cannot be set up.
    #[error("cannot set up the engine's client")]
    Client(#[source] reqwest::Error),
}

/// A failed call. All but [`Self::SessionEnded`] and [`Self::Gone`] are worth another try, later.
#[derive(Debug, Error)]
pub enum EngineError {
    /// No answer, or half of one.
    #[error("the engine cannot be reached: {}", innermost(.0))]
    Unreachable(#[source] reqwest::Error),
    /// No answer in time.
    #[error("the engine did not answer within {0:?}")]
    TimedOut(Duration),
    /// The session is over: another sidecar declared the source, or the engine is a new process.
    #[error("the session is over: {0}")]
    SessionEnded(String),
    /// The position in the placement stream is too old: list again.
    #[error("the position in the placement stream is too old")]
    Gone,
    /// The engine refused the request.
    #[error("the engine answered {status}: {message}")]
    Refused {
        /// HTTP status.
        status: u16,
        /// Its sentence.
        message: String,
    },
    /// An answer that is not what was asked for.
    #[error("the engine's answer cannot be read")]
    Unreadable(#[source] serde_json::Error),
    /// An answer of absurd size.
    #[error("the engine's answer is larger than {0} bytes")]
    TooLarge(usize),
    /// The token file cannot be read.
    #[error("cannot read the engine's token file `{file}`")]
    Token {
        /// The file.
        file: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

impl EngineError {
    /// An answer that is no success; 404 for a source means that the engine knows of no session.
    pub(super) fn refused(status: u16, body: &[u8]) -> Self {
        let message = message(body);
        match status {
            404 | 409 => Self::SessionEnded(message),
            410 => Self::Gone,
            _ => Self::Refused { status, message },
        }
    }

    /// The request itself is at fault: sending it again changes nothing.
    pub fn is_our_fault(&self) -> bool {
        matches!(self, Self::Refused { status: 400 | 413 | 422, .. })
    }
}

/// The engine's errors look like OPA's: `{"code":…,"message":…}`.
fn message(body: &[u8]) -> String {
    #[derive(Deserialize)]
    struct Message {
        message: String,
    }
    match serde_json::from_slice::<Message>(body) {
        Ok(Message { message }) => message,
        Err(_) => String::from_utf8_lossy(body).chars().take(500).collect(),
    }
}

fn innermost(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    cause.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_for_what_it_means_to_the_session() {
        let body = br#"{"code":"conflict","message":"superseded by pod-b"}"#;
        assert!(matches!(EngineError::refused(409, body), EngineError::SessionEnded(m) if m == "superseded by pod-b"));
        assert!(matches!(EngineError::refused(404, b""), EngineError::SessionEnded(_)));
        assert!(matches!(EngineError::refused(410, b""), EngineError::Gone));
        assert!(EngineError::refused(413, b"big").is_our_fault());
        assert!(!EngineError::refused(503, b"later").is_our_fault());
    }
}
