//! Go's reading of URLs: `net/url`, `ParseRequestURI` and `Parse`.

use super::authority;
use super::escape::{self, EscapeError};

/// What a URL consists of, as far as anybody asks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Url {
    /// In lower case; empty for a path alone.
    pub(super) scheme: String,
    /// With the port.
    pub(super) host: String,
    /// As it was written.
    pub(super) path: String,
    /// As it was written, without the question mark.
    pub(super) query: String,
}

/// Why a text is no URL.
#[derive(Debug, thiserror::Error)]
#[error("parse {text:?}: {source}")]
pub(in crate::expression::library) struct UrlError {
    text: String,
    source: Fault,
}

/// What is wrong with it. The texts are Go's.
#[derive(Debug, thiserror::Error)]
pub(super) enum Fault {
    #[error("net/url: invalid control character in URL")]
    Control,
    #[error("empty url")]
    Empty,
    #[error("missing protocol scheme")]
    NoScheme,
    #[error("invalid URI for request")]
    Relative,
    #[error("net/url: invalid userinfo")]
    User,
    #[error("invalid IP-literal")]
    Literal,
    #[error("missing ']' in host")]
    Bracket,
    #[error("invalid port {0:?} after host")]
    Port(String),
    #[error(transparent)]
    Escape(#[from] EscapeError),
}

/// Whether a text is an absolute URL, or an absolute path. Fails when it is neither.
pub(in crate::expression::library) fn check(text: &str) -> Result<(), UrlError> {
    read(text, true).map(drop).map_err(|source| UrlError { text: text.to_owned(), source })
}

impl Url {
    /// Reads a URL, without its fragment. Fails when the whole text is none.
    pub(super) fn parse(text: &str) -> Result<Self, UrlError> {
        check(text)?;
        let before = text.split_once('#').map_or(text, |(before, _)| before);
        read(before, false).map_err(|source| UrlError { text: text.to_owned(), source })
    }
}

/// Of a request a path may begin with two slashes; otherwise a host follows them.
fn read(text: &str, is_request: bool) -> Result<Url, Fault> {
    if text.bytes().any(|byte| byte < b' ' || byte == 0x7f) {
        return Err(Fault::Control);
    }
    match text {
        "" => return Err(Fault::Empty),
        "*" => return Ok(Url { path: text.to_owned(), ..Url::default() }),
        _ => {}
    }
    let (scheme, rest) = scheme(text)?;
    let scheme = scheme.to_lowercase();
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let query = query.to_owned();
    if !rest.starts_with('/') {
        let is_opaque = !scheme.is_empty();
        return if is_opaque { Ok(Url { scheme, query, ..Url::default() }) } else { Err(Fault::Relative) };
    }
    let (host, path) = match rest.strip_prefix("//").filter(|after| !scheme.is_empty() || !is_request && !after.starts_with('/'))
    {
        None => (String::new(), rest),
        Some(rest) => {
            let (authority, path) = rest.split_at_checked(rest.find('/').unwrap_or(rest.len())).unwrap_or((rest, ""));
            (authority::host(&scheme, authority)?, path)
        }
    };
    escape::check_path(path)?;
    Ok(Url { scheme, host, path: path.to_owned(), query })
}

/// What is before the first colon, if that can be a scheme.
fn scheme(text: &str) -> Result<(&str, &str), Fault> {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.')));
    match end.and_then(|end| text.split_at_checked(end)) {
        Some(("", rest)) if rest.starts_with(':') => Err(Fault::NoScheme),
        Some((scheme, rest)) if rest.starts_with(':') && scheme.starts_with(|c: char| c.is_ascii_alphabetic()) => {
            Ok((scheme, rest.strip_prefix(':').unwrap_or(rest)))
        }
        _ => Ok(("", text)),
    }
}
