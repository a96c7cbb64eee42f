//! `%41` for `A`: what must be written so, and what it means. Source: Go's `net/url`, `unescape` and `shouldEscape`.

/// What is written wrongly. The texts are Go's.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub(super) enum EscapeError {
    #[error("invalid URL escape {0:?}")]
    Escape(String),
    #[error("invalid character {0:?} in host name")]
    Host(String),
}

/// Fails when an escape is not well formed.
pub(super) fn check_path(text: &str) -> Result<(), EscapeError> {
    bytes(text).map(drop)
}

/// A part of a query: `+` is a space.
pub(super) fn query(text: &str) -> Result<String, EscapeError> {
    bytes(&text.replace('+', " ")).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// A host: only what is not ASCII, and the percent sign itself, may be escaped.
pub(super) fn host(text: &str) -> Result<String, EscapeError> {
    let is_host = |c: char| !c.is_ascii() || c.is_ascii_alphanumeric() || "-_.~!$&'()*+,;=:[]<>\"%".contains(c);
    if let Some(wrong) = text.chars().find(|c| !is_host(*c)) {
        return Err(EscapeError::Host(wrong.to_string()));
    }
    let ascii = text.match_indices('%').filter_map(|(at, _)| text.get(at..at + 3)).find(|escape| {
        let value = escape.get(1..).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        *escape != "%25" && value.is_some_and(|value| value < 0x80)
    });
    if let Some(escape) = ascii {
        return Err(EscapeError::Escape(escape.to_owned()));
    }
    bytes(text).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// A path as it goes over the wire: as it was written, if that may be written so.
pub(super) fn path(text: &str) -> String {
    let is_valid = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~!$&'()*+,;=:@[]%/".contains(&byte);
    if text.bytes().all(is_valid) {
        return text.to_owned();
    }
    let stays = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~$&+,/:;=@".contains(&byte);
    let shown = |byte: u8| if stays(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    bytes(text).unwrap_or_else(|_| text.as_bytes().to_vec()).into_iter().map(shown).collect()
}

fn bytes(text: &str) -> Result<Vec<u8>, EscapeError> {
    let mut found = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        if *first != b'%' {
            found.push(*first);
            rest = after;
            continue;
        }
        let value = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok()).and_then(hex);
        found
            .push(value.ok_or_else(|| EscapeError::Escape(String::from_utf8_lossy(rest.get(..3).unwrap_or(rest)).into_owned()))?);
        rest = after.get(2..).unwrap_or_default();
    }
    Ok(found)
}

fn hex(digits: &str) -> Option<u8> {
    u8::from_str_radix(digits, 16).ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}
