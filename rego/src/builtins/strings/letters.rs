//! `lower` and `upper`, letter by letter as Go's `unicode` maps them: each to one other, whatever stands beside it.

use crate::builtins::error::Answer;
use crate::builtins::{Context, operand};
use crate::value::{Str, Value};

pub(super) fn lower(context: &mut Context, operands: &[&Value]) -> Answer {
    each(context, operands, (u8::is_ascii_uppercase, <[u8]>::make_ascii_lowercase, lowered))
}

pub(super) fn upper(context: &mut Context, operands: &[&Value]) -> Answer {
    each(context, operands, (u8::is_ascii_lowercase, <[u8]>::make_ascii_uppercase, raised))
}

/// How letters are mapped: which bytes of ASCII change, all of a text of ASCII, and every letter.
type Mapping = (fn(&u8) -> bool, fn(&mut [u8]), fn(char) -> char);

fn each(context: &mut Context, operands: &[&Value], (changes, ascii, map): Mapping) -> Answer {
    let text = operand::string(operands, 0)?;
    context.account.charge(text.len())?;
    if text.is_ascii() {
        if !text.bytes().any(|byte| changes(&byte)) {
            return Ok(Some(Value::String(text.clone())));
        }
        let mapped = Str::written(text.len(), |bytes| {
            bytes.copy_from_slice(text.as_bytes());
            ascii(bytes);
        });
        return Ok(mapped.map(Value::String));
    }
    if text.chars().all(|c| map(c) == c) {
        return Ok(Some(Value::String(text.clone())));
    }
    Ok(Some(text.chars().map(map).collect::<String>().into()))
}

/// A letter in lower case.
pub(super) fn lowered(c: char) -> char {
    if c.is_ascii() {
        return c.to_ascii_lowercase();
    }
    let mut mapped = c.to_lowercase();
    match (mapped.next(), mapped.next()) {
        (Some(one), None) if !is_young(c) => one,
        // The dot has no place in one letter.
        _ if c == '\u{130}' => 'i',
        _ => c,
    }
}

fn raised(c: char) -> char {
    if c.is_ascii() {
        return c.to_ascii_uppercase();
    }
    let mut mapped = c.to_uppercase();
    match (mapped.next(), mapped.next()) {
        (Some(one), None) if !is_young(c) && !matches!(c, '\u{19b}' | '\u{264}') => one,
        // Greek with a subscript iota has one letter for both.
        (_, Some(_)) => match c {
            '\u{1f80}'..='\u{1f87}' | '\u{1f90}'..='\u{1f97}' | '\u{1fa0}'..='\u{1fa7}' => later(c, 8),
            '\u{1fb3}' | '\u{1fc3}' | '\u{1ff3}' => later(c, 9),
            _ => c,
        },
        _ => c,
    }
}

fn later(c: char, by: u32) -> char {
    char::from_u32(u32::from(c).saturating_add(by)).unwrap_or(c)
}

/// Letters that Unicode 16 and 17 have brought, and Go's 15 does not know.
fn is_young(c: char) -> bool {
    matches!(c, '\u{1c89}' | '\u{1c8a}' | '\u{a7cb}'..='\u{a7cf}' | '\u{a7d2}'..='\u{a7d5}' | '\u{a7da}'..='\u{a7dc}'
        | '\u{10d50}'..='\u{10d65}' | '\u{10d70}'..='\u{10d85}' | '\u{16ea0}'..='\u{16eb8}' | '\u{16ebb}'..='\u{16ed3}')
}
