//! What can go wrong on the way to the engine, and which of it ends a session.

use std::error::Error as StdError;
use std::io;
use std::iter::successors;
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
        source: io::Error,
    },
    /// The CA file holds no certificates.
    #[error("the engine's CA file `{file}` holds no PEM certificates that can be read")]
    Certificates {
        /// The file.
        file: PathBuf,
        /// Why; nothing: there is none.
        source: Option<reqwest::Error>,
    },
    /// TLS cannot be set up.
    #[error("cannot set up the engine's client")]
    Client(#[source] reqwest::Error),
}

/// The code of a change that takes too much of a fleet away.
const HELD_BACK: &str = "fleet_held_back";
/// When the engine does not say when it believes a second list, and the longest that it is waited for.
const AGAIN: Duration = Duration::from_secs(5);
const LONGEST: Duration = Duration::from_secs(60);

/// A failed call. All but [`Self::SessionEnded`] and [`Self::Gone`] are worth another try, later.
#[derive(Debug, Error)]
pub enum EngineError {
    /// No answer, or half of one.
    #[error("the engine{} cannot be reached: {}", at(.0), reason(.0))]
    Unreachable(#[source] reqwest::Error),
    /// Somebody else answers at its address.
    #[error("there is no engine at {url}: 404: {message}; correct `engine.url`")]
    Elsewhere {
        /// What was asked for.
        url: String,
        /// Its sentence.
        message: String,
    },
    /// No answer in time.
    #[error("the engine did not answer within {0:?}")]
    TimedOut(Duration),
    /// The session is over: another sidecar declared the source, or the engine is a new process.
    #[error("the session is over: {0}")]
    SessionEnded(String),
    /// What was sent takes too much of the fleet away to be believed at once; the session goes on: list the kind again.
    #[error("held back by the engine: {message}")]
    HeldBack {
        /// Its sentence.
        message: String,
        /// Not before this time has passed.
        after: Duration,
    },
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
    /// A document that is no decision.
    #[error(transparent)]
    NoDecision(crate::initialize::Unread),
    /// An answer of absurd size.
    #[error("the engine's answer is larger than {0} bytes")]
    TooLarge(usize),
    /// The token file cannot be read.
    #[error("cannot read the engine's token file `{file}`: {source}")]
    Token {
        /// The file.
        file: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The token file has nothing to send.
    #[error(
        "the engine's token file `{0}` has no token on its first line with text that can be sent: printable ASCII, one token a line"
    )]
    NoToken(PathBuf),
}

impl EngineError {
    /// An answer that is no success, with the seconds of its `Retry-After`; 404 for a source means that the engine knows of no
    /// session.
    pub(super) fn refused(status: u16, retry_after: Option<u64>, body: &[u8]) -> Self {
        let Answer { code, message } = read(body);
        match status {
            409 if code == HELD_BACK => {
                Self::HeldBack { message, after: retry_after.map_or(AGAIN, Duration::from_secs).min(LONGEST) }
            }
            404 | 409 => Self::SessionEnded(message),
            410 => Self::Gone,
            _ => Self::Refused { status, message },
        }
    }

    /// 404 for what every engine has.
    pub(super) fn elsewhere(url: String, body: &[u8]) -> Self {
        Self::Elsewhere { url, message: read(body).message }
    }

    /// The request itself is at fault: sending it again changes nothing.
    pub fn is_our_fault(&self) -> bool {
        matches!(self, Self::Refused { status: 400 | 413 | 422, .. })
    }
}

/// The engine's errors look like OPA's.
#[derive(Deserialize)]
struct Answer {
    #[serde(default)]
    code: String,
    message: String,
}

fn read(body: &[u8]) -> Answer {
    let text = || String::from_utf8_lossy(body).chars().take(500).collect();
    serde_json::from_slice(body).unwrap_or_else(|_| Answer { code: String::new(), message: text() })
}

/// ` at https://host:port`, if the error knows.
fn at(error: &reqwest::Error) -> String {
    error.url().map(|url| format!(" at {}", url.origin().ascii_serialization())).unwrap_or_default()
}

/// The innermost cause, and what to do where that does not say it.
fn reason(error: &reqwest::Error) -> String {
    let innermost = causes(error).last().map(ToString::to_string).unwrap_or_default();
    let hint =
        if causes(error).any(is_plain) { "; no TLS is spoken there: `engine.url` may have to begin with http://" } else { "" };
    innermost + hint
}

fn causes(error: &reqwest::Error) -> impl Iterator<Item = &(dyn StdError + 'static)> {
    successors(Some(error as &(dyn StdError + 'static)), |cause| (*cause).source())
}

/// What answers does not speak TLS.
fn is_plain(cause: &(dyn StdError + 'static)) -> bool {
    if let Some(tls) = cause.downcast_ref() {
        return matches!(tls, rustls::Error::InvalidMessage(_));
    }
    // An `io::Error` does not name what is inside of it as its cause; there may be another one.
    cause.downcast_ref::<io::Error>().and_then(io::Error::get_ref).is_some_and(|inside| is_plain(inside))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_for_what_it_means_to_the_session() {
        let body = br#"{"code":"conflict","message":"superseded by pod-b"}"#;
        let refused = |status, body| EngineError::refused(status, None, body);
        assert!(matches!(refused(409, body), EngineError::SessionEnded(m) if m == "superseded by pod-b"));
        assert!(matches!(refused(404, b""), EngineError::SessionEnded(_)));
        assert!(matches!(refused(410, b""), EngineError::Gone));
        assert!(refused(413, b"big").is_our_fault());
        assert!(!refused(503, b"later").is_our_fault());
    }

    /// Asks for the status of what answers every connection with `answer`, and closes it.
    async fn asked(scheme: &str, path: &str, answer: &'static [u8]) -> (String, String) {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("{scheme}://{}", listener.local_addr().unwrap());
        let _ = rustls::crypto::ring::default_provider().install_default();
        let config = crate::config::EngineConfig { url: format!("{address}{path}"), ..Default::default() };
        let engine = super::super::Engine::new(&config).unwrap();
        let server = async {
            let (mut connection, _) = listener.accept().await.unwrap();
            tokio::io::AsyncReadExt::read(&mut connection, &mut [0; 4096]).await.unwrap();
            tokio::io::AsyncWriteExt::write_all(&mut connection, answer).await.unwrap();
            connection
        };
        let (answer, _connection) = tokio::join!(engine.status(), server);
        (address, answer.unwrap_err().to_string())
    }

    #[tokio::test]
    async fn an_engine_that_is_not_there_is_named_by_its_address() {
        let (address, error) = asked("http", "/path", b"HTTP/1.1 404 X\r\ncontent-length: 2\r\n\r\nno").await;
        let expected = format!("there is no engine at {address}/path/plimsoll/v1/status: 404: no; correct `engine.url`");
        assert_eq!(error, expected);
        let (address, error) = asked("https", "", b"HTTP/1.1 400 X\r\ncontent-length: 0\r\n\r\n").await;
        assert!(error.starts_with(&format!("the engine at {address} cannot be reached: ")), "{error}");
        assert!(error.ends_with("`engine.url` may have to begin with http://"), "{error}");
    }

    #[test]
    fn a_fleet_that_is_held_back_ends_no_session_and_says_when_to_list_again() {
        let body = br#"{"code":"fleet_held_back","message":"12 of 12 are gone"}"#;
        for (header, expected) in [(None, 5), (Some(2), 2), (Some(u64::MAX), 60)] {
            let error = EngineError::refused(409, header, body);
            let EngineError::HeldBack { message, after } = &error else { panic!("{error:?}") };
            assert_eq!((message.as_str(), *after), ("12 of 12 are gone", Duration::from_secs(expected)));
            assert!(!error.is_our_fault(), "its changes are not sent one by one");
        }
        assert!(matches!(EngineError::refused(404, None, body), EngineError::SessionEnded(_)));
    }
}
