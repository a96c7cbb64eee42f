//! Why a text is no URL, in the words of Go's `net/url`.

use thiserror::Error;

use crate::builtins::quote::quote as quoted;

/// What is wrong with a URL.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub(in crate::builtins) enum UrlError {
    /// A character below a space, or DEL.
    #[error("net/url: invalid control character in URL")]
    ControlCharacter,
    /// A colon with nothing before it.
    #[error("missing protocol scheme")]
    MissingScheme,
    /// A relative reference that would be read as one with a scheme.
    #[error("first path segment in URL cannot contain colon")]
    ColonInSegment,
    /// A character of the user that must be encoded.
    #[error("net/url: invalid userinfo")]
    UserInfo,
    /// Brackets around what is no address, or behind something.
    #[error("invalid IP-literal")]
    Literal,
    /// An opening bracket alone.
    #[error("missing ']' in host")]
    MissingBracket,
    /// No address between the brackets.
    #[error("invalid host: ParseAddr({}): {why}", quoted(.name))]
    Address {
        /// What stands between the brackets.
        name: String,
        /// What is wrong with it.
        why: AddressError,
    },
    /// Something else than digits.
    #[error("invalid port {} after host", quoted(.0))]
    Port(String),
    /// A character of the host that must be encoded.
    #[error("invalid character {} in host name", quoted(.0))]
    HostCharacter(String),
    /// A percent sign without two digits behind it, or a byte that may not be encoded there.
    #[error("invalid URL escape {}", quoted(.0))]
    Escape(String),
}

/// What is wrong with an address of IPv6, in the words of Go's `net/netip`.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub(in crate::builtins) enum AddressError {
    /// A percent sign with nothing behind it.
    #[error("zone must be a non-empty string")]
    EmptyZone,
    /// No address.
    #[error("unable to parse IP")]
    Unparsable,
}
