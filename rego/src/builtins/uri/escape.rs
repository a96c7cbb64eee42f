//! Percent-encoding by part of a URL, as in Go's `net/url`.

use super::error::UrlError;
use crate::builtins::bytes;

/// Where a text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Path,
    UserPassword,
    Host,
    Zone,
    Fragment,
}

/// Whether a byte must be encoded there (`shouldEscape`).
fn must_escape(byte: u8, part: Part) -> bool {
    if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
        return false;
    }
    match part {
        Part::Host | Part::Zone => !b"!$&'()*+,;=:[]<>\"".contains(&byte),
        Part::Path => !b"$&+,/:;=@".contains(&byte),
        Part::UserPassword => !b"$&+,;=".contains(&byte),
        Part::Fragment => !b"$&+,/:;=?@!()*".contains(&byte),
    }
}

/// The text with percent-encoding, as Go writes it out.
pub(super) fn escape(text: &str, part: Part) -> String {
    let mut written = String::with_capacity(text.len());
    for byte in bytes::of(text).iter().copied() {
        if must_escape(byte, part) {
            written.push_str(&format!("%{byte:02X}"));
        } else {
            written.push(char::from(byte));
        }
    }
    written
}

/// Whether a text may stand there as it is, though Go would write it otherwise (`validEncoded`).
pub(super) fn may_stand(written: &str, part: Part) -> bool {
    written.bytes().all(|byte| b"!$&'()*+,;=:@[]%".contains(&byte) || !must_escape(byte, part))
}

/// The text without percent-encoding; bytes that are no UTF-8 are kept.
pub(super) fn unescape(text: &str, part: Part) -> Result<String, UrlError> {
    let bytes = text.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at).copied() {
        if byte == b'%' {
            plain.push(decoded(bytes.get(at..).unwrap_or_default(), part)?);
            at += 3;
            continue;
        }
        if matches!(part, Part::Host | Part::Zone) && byte.is_ascii() && must_escape(byte, part) {
            return Err(UrlError::HostCharacter(char::from(byte).into()));
        }
        plain.push(byte);
        at += 1;
    }
    Ok(bytes::text(plain))
}

/// The byte that `%xy` at the beginning stands for.
fn decoded(rest: &[u8], part: Part) -> Result<u8, UrlError> {
    let escape = rest.get(..3.min(rest.len())).unwrap_or_default();
    let invalid = || UrlError::Escape(bytes::text(escape.to_vec()));
    let digit = |at: usize| escape.get(at).and_then(|b| char::from(*b).to_digit(16)).and_then(|d| u8::try_from(d).ok());
    let (Some(high), Some(low)) = (digit(1), digit(2)) else { return Err(invalid()) };
    let byte = high << 4 | low;
    let allowed = match part {
        Part::Host => high >= 8 || byte == b'%',
        Part::Zone => byte == b'%' || byte == b' ' || !must_escape(byte, Part::Host),
        _ => true,
    };
    if allowed { Ok(byte) } else { Err(invalid()) }
}
