//! Bytes that are no UTF-8 in text. OPA's strings hold any bytes; ours are UTF-8.
//!
//! A byte that belongs to no character is kept as a private character of the last plane, so that what decodes and what encodes
//! agree (`hex.encode(base64.decode("/w=="))` is `"ff"`) and it counts as one character, as in Go. JSON shows each as U+FFFD.

use std::borrow::Cow;

/// The private character of byte 0.
const FIRST: u32 = 0x10_ff00;

/// The text of bytes.
pub(super) fn text(bytes: Vec<u8>) -> String {
    match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => escaped(error.as_bytes()),
    }
}

fn escaped(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        let private = |byte: &u8| char::from_u32(FIRST.saturating_add(u32::from(*byte)));
        text.extend(chunk.invalid().iter().map(|byte| private(byte).unwrap_or(char::REPLACEMENT_CHARACTER)));
    }
    text
}

/// The byte that a private character stands for.
pub(super) fn byte(c: char) -> Option<u8> {
    u8::try_from(u32::from(c).checked_sub(FIRST)?).ok().filter(|byte| !byte.is_ascii())
}

/// Returns the hexadecimal digit of half a byte. `ten` is the digit of ten: `a`, or `A` for upper case.
pub(super) fn digit(half: u8, ten: u8) -> u8 {
    half.wrapping_add(if half < 10 { b'0' } else { ten.wrapping_sub(10) })
}

/// The bytes of a text.
pub(super) fn of(text: &str) -> Cow<'_, [u8]> {
    // All of these characters begin so, and hardly any other.
    if !text.as_bytes().contains(&0xf4) {
        return Cow::Borrowed(text.as_bytes());
    }
    let mut bytes = Vec::with_capacity(text.len());
    for c in text.chars() {
        match byte(c) {
            Some(byte) => bytes.push(byte),
            None => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    Cow::Owned(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back_from_the_text_they_are_kept_as() {
        for bytes in [&b""[..], b"plain", "gr\u{fc}n \u{10ffff}".as_bytes().get(..5).unwrap(), b"\xff\x80a\xe2\x82", &[0x9f, 0]] {
            let text = text(bytes.to_vec());
            assert_eq!(of(&text), bytes, "{text:?}");
        }
        assert_eq!(text(b"\xff\xfe".to_vec()).chars().count(), 2);
    }
}
