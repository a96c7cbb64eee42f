//! A URL's parts as Go's `url.Parse` finds them.

use super::error::UrlError;
use super::escape::{Part, escape, unescape};
use super::host;
use crate::builtins::BuiltinError;
use crate::builtins::quote::quote as quoted;

/// The parts, empty where there are none. What is opaque (`mailto:x`) has no path.
#[derive(Debug, Default)]
pub(crate) struct Url {
    pub(in crate::builtins) scheme: String,
    pub(in crate::builtins) opaque: String,
    pub(in crate::builtins) host: String,
    pub(in crate::builtins) path: String,
    /// As written, where writing out the path would give something else, or empty.
    pub(in crate::builtins) raw_path: String,
    pub(in crate::builtins) raw_query: String,
    pub(in crate::builtins) fragment: String,
    pub(in crate::builtins) raw_fragment: String,
    /// Who stands before the host, if anybody, with percent-encoding.
    pub(in crate::builtins) user: Option<String>,
    /// A question mark with nothing behind it.
    pub(in crate::builtins) force_query: bool,
    /// A scheme and a path, and no `//`.
    pub(in crate::builtins) omit_host: bool,
}

impl Url {
    /// Reads a URL or a relative reference.
    pub(crate) fn parse(text: &str) -> Result<Self, BuiltinError> {
        let (rest, fragment) = text.split_once('#').unwrap_or((text, ""));
        let failed = |of: &str, why: UrlError| BuiltinError::failed(format!("parse {}: {why}", quoted(of)));
        let mut url = Self::without_fragment(rest).map_err(|why| failed(rest, why))?;
        url.fragment = unescape(fragment, Part::Fragment).map_err(|why| failed(text, why))?;
        if escape(&url.fragment, Part::Fragment) != fragment {
            url.raw_fragment = fragment.to_owned();
        }
        Ok(url)
    }

    fn without_fragment(text: &str) -> Result<Self, UrlError> {
        if text.bytes().any(|b| b < b' ' || b == 0x7f) {
            return Err(UrlError::ControlCharacter);
        }
        if text == "*" {
            return Ok(Self { path: "*".to_owned(), ..Self::default() });
        }
        let (scheme, rest) = scheme(text)?;
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let force_query = query.is_empty() && text.ends_with('?');
        let url = Self { scheme: scheme.to_ascii_lowercase(), raw_query: query.to_owned(), force_query, ..Self::default() };
        url.with_rest(rest)
    }

    fn with_rest(mut self, rest: &str) -> Result<Self, UrlError> {
        if !rest.starts_with('/') {
            if !self.scheme.is_empty() {
                self.opaque = rest.to_owned();
                return Ok(self);
            }
            if rest.split('/').next().is_some_and(|segment| segment.contains(':')) {
                return Err(UrlError::ColonInSegment);
            }
        }
        let has_authority = !self.scheme.is_empty() || !rest.starts_with("///");
        let mut path = rest;
        if let Some(after) = rest.strip_prefix("//").filter(|_| has_authority) {
            let (authority, below) = after.split_at(after.find('/').unwrap_or(after.len()));
            (self.user, self.host) = host::authority(&self.scheme, authority)?;
            path = below;
        } else {
            self.omit_host = !self.scheme.is_empty();
        }
        self.path = unescape(path, Part::Path)?;
        if escape(&self.path, Part::Path) != path {
            self.raw_path = path.to_owned();
        }
        Ok(self)
    }
}

/// Returns the scheme, empty without one, and what is behind its colon.
fn scheme(text: &str) -> Result<(&str, &str), UrlError> {
    for (at, c) in text.char_indices() {
        match c {
            'a'..='z' | 'A'..='Z' => {}
            '0'..='9' | '+' | '-' | '.' if at > 0 => {}
            ':' if at == 0 => return Err(UrlError::MissingScheme),
            ':' => return Ok(text.split_once(':').unwrap_or((text, ""))),
            _ => break,
        }
    }
    Ok(("", text))
}
