//! Strings of JSON: read and written as Go does.

use std::borrow::Cow;

use super::super::text::byte;
use super::JsonError;
use super::scan::Scanner;

/// The string that begins here. Bytes that are no UTF-8 and halves of surrogates become U+FFFD (`encoding/json/decode.go`,
/// `unquote`).
pub(super) fn read<'t>(scanner: &mut Scanner<'t>) -> Result<Cow<'t, str>, JsonError> {
    scanner.skip(1);
    let plain = plain_part(scanner);
    if scanner.peek() == Some(b'"') {
        scanner.skip(1);
        return Ok(valid(plain));
    }
    let mut text = valid(plain).into_owned();
    loop {
        match scanner.peek() {
            Some(b'"') => {
                scanner.skip(1);
                return Ok(Cow::Owned(text));
            }
            Some(b'\\') => {
                scanner.skip(1);
                text.push(escaped(scanner)?);
            }
            _ => return Err(scanner.unexpected("in string literal")),
        }
        text.push_str(&valid(plain_part(scanner)));
    }
}

/// What stands before the next quote, backslash or control character.
fn plain_part<'t>(scanner: &mut Scanner<'t>) -> &'t [u8] {
    let start = scanner.offset();
    let rest = scanner.rest();
    scanner.skip(rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20)).unwrap_or(rest.len()));
    scanner.since(start)
}

fn valid(bytes: &[u8]) -> Cow<'_, str> {
    match str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(replaced(bytes)),
    }
}

/// One U+FFFD for each byte that is not UTF-8, as Go decodes.
pub(super) fn replaced(mut bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    loop {
        match str::from_utf8(bytes) {
            Ok(rest) => {
                text.push_str(rest);
                return text;
            }
            Err(error) => {
                let (good, bad) = bytes.split_at_checked(error.valid_up_to()).unwrap_or_default();
                text.push_str(str::from_utf8(good).unwrap_or_default());
                text.push('\u{fffd}');
                bytes = bad.get(1..).unwrap_or_default();
            }
        }
    }
}

fn escaped(scanner: &mut Scanner) -> Result<char, JsonError> {
    let found = match scanner.peek() {
        Some(simple @ (b'"' | b'\\' | b'/')) => char::from(simple),
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => {
            scanner.skip(1);
            let first = four(scanner)?;
            return Ok(char::from_u32(first).unwrap_or_else(|| surrogates(first, scanner)));
        }
        _ => return Err(scanner.unexpected("in string escape code")),
    };
    scanner.skip(1);
    Ok(found)
}

/// A pair of surrogates is one character; a half of it is none, and what follows it stands for itself.
fn surrogates(first: u32, scanner: &mut Scanner) -> char {
    let second = scanner.rest().get(..6).filter(|next| next.starts_with(b"\\u")).and_then(|next| hex(next.get(2..)?));
    match (first, second) {
        (0xd800..0xdc00, Some(second @ 0xdc00..0xe000)) => {
            scanner.skip(6);
            char::from_u32(0x1_0000 + ((first & 0x3ff) << 10 | (second & 0x3ff))).unwrap_or('\u{fffd}')
        }
        _ => '\u{fffd}',
    }
}

fn four(scanner: &mut Scanner) -> Result<u32, JsonError> {
    let mut code = 0;
    for _ in 0..4 {
        let Some(digit) = scanner.peek().and_then(|byte| char::from(byte).to_digit(16)) else {
            return Err(scanner.unexpected("in \\u hexadecimal character escape"));
        };
        code = code * 16 + digit;
        scanner.skip(1);
    }
    Ok(code)
}

fn hex(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0, |code, byte| Some(code * 16 + char::from(*byte).to_digit(16)?))
}

/// Appends text in quotes, with the escapes of Go's encoder.
pub(super) fn write(text: &str, out: &mut String) {
    out.push('"');
    let mut from = 0;
    for (at, byte) in text.bytes().enumerate() {
        let length = match byte {
            0x20..0x7f if !matches!(byte, b'"' | b'\\' | b'<' | b'>' | b'&') => continue,
            0xe2 if is_separator(text, at) => 3,
            0xf4 if private_byte(text, at) => 4,
            0x7f.. => continue,
            _ => 1,
        };
        out.push_str(text.get(from..at).unwrap_or_default());
        from = at.saturating_add(length);
        escape(text.get(at..from).unwrap_or_default(), out);
    }
    out.push_str(text.get(from..).unwrap_or_default());
    out.push('"');
}

fn is_separator(text: &str, at: usize) -> bool {
    text.get(at..).is_some_and(|rest| rest.starts_with(['\u{2028}', '\u{2029}']))
}

/// Returns a text of a value as it is shown: bytes that are no UTF-8, such as `base64.decode` makes, as U+FFFD.
pub fn shown(text: &str) -> Cow<'_, str> {
    if !text.bytes().enumerate().any(|(at, first)| first == 0xf4 && private_byte(text, at)) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|character| byte(character).map_or(character, |_| '\u{fffd}')).collect())
}

/// What is no UTF-8 is written as U+FFFD.
fn private_byte(text: &str, at: usize) -> bool {
    text.get(at..).and_then(|rest| rest.chars().next()).and_then(byte).is_some()
}

fn escape(character: &str, out: &mut String) {
    match character {
        "\"" => out.push_str("\\\""),
        "\\" => out.push_str("\\\\"),
        "\u{8}" => out.push_str("\\b"),
        "\u{c}" => out.push_str("\\f"),
        "\n" => out.push_str("\\n"),
        "\r" => out.push_str("\\r"),
        "\t" => out.push_str("\\t"),
        other => {
            for character in other.chars() {
                let code = if byte(character).is_some() { 0xfffd } else { u32::from(character) };
                out.push_str(&format!("\\u{code:04x}"));
            }
        }
    }
}
