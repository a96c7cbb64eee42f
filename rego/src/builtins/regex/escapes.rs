//! Escapes that are one character (Go: `parseEscape`).

use super::reader::{ESCAPE, PatternError, Reader, TRAILING_BACKSLASH};

/// The code of the character that the escape at the reader is. It may be a surrogate, which no text has.
pub(super) fn character(reader: &mut Reader<'_>) -> Result<u32, PatternError> {
    let before = reader.rest;
    reader.take("\\");
    let Some(c) = reader.next() else { return Err(PatternError::syntax(TRAILING_BACKSLASH, "")) };
    let found = match c {
        '0'..='7' => octal(c, reader),
        'x' => hexadecimal(reader),
        'a' => Some(0x07),
        'f' => Some(0x0C),
        'n' => Some(0x0A),
        'r' => Some(0x0D),
        't' => Some(0x09),
        'v' => Some(0x0B),
        _ => (c.is_ascii() && !c.is_ascii_alphanumeric()).then_some(c.into()),
    };
    found.ok_or_else(|| PatternError::syntax(ESCAPE, reader.since(before)))
}

/// One to three digits; a single one that is not zero would be a reference back.
fn octal(first: char, reader: &mut Reader<'_>) -> Option<u32> {
    let mut code = first.to_digit(8)?;
    for more in 0..2 {
        match reader.rest.chars().next().and_then(|c| c.to_digit(8)) {
            Some(digit) => code = code * 8 + digit,
            None if more == 0 && first != '0' => return None,
            None => break,
        }
        reader.next();
    }
    Some(code)
}

/// Two digits, or any number of them in braces.
fn hexadecimal(reader: &mut Reader<'_>) -> Option<u32> {
    let first = reader.next()?;
    if first != '{' {
        let second = reader.next();
        return Some(first.to_digit(16)? * 16 + second?.to_digit(16)?);
    }
    let (mut code, mut digits) = (0_u32, false);
    loop {
        let c = reader.next()?;
        if c == '}' {
            return digits.then_some(code);
        }
        code = code.checked_mul(16)?.checked_add(c.to_digit(16)?)?;
        if code > u32::from(char::MAX) {
            return None;
        }
        digits = true;
    }
}
