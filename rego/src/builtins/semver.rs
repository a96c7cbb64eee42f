//! Versions (`v1/topdown/semver.go`, `internal/semver`).

use std::cmp::Ordering;

use super::error::Answer;
use super::signature::Type;
use super::table::{Builtin, row};
use super::{BuiltinError, Context, operand, quote};
use crate::value::{Str, Value};

/// One row each, in the order of their names.
pub(super) const ROWS: &[Builtin] = &[
    row("semver.compare", &[Type::String, Type::String], Some(Type::Number)).by(compare),
    row("semver.is_valid", &[Type::Any], Some(Type::Boolean)).by(is_valid),
];

/// A version; what is built from it does not count.
#[derive(Clone, Copy, Debug)]
struct Version<'t> {
    numbers: [i64; 3],
    pre_release: &'t str,
}

impl<'t> Version<'t> {
    fn parse(text: &'t str) -> Option<Self> {
        let text = text.strip_prefix('v').unwrap_or(text);
        let (text, metadata) = text.split_once('+').map_or((text, None), |(text, metadata)| (text, Some(metadata)));
        let (text, pre_release) = text.split_once('-').map_or((text, None), |(text, pre)| (text, Some(pre)));
        if !metadata.is_none_or(is_identifier)
            || !pre_release.is_none_or(|pre| is_identifier(pre) && pre.split('.').all(has_no_zeros))
        {
            return None;
        }
        let mut parts = text.split('.');
        let mut number = || parts.next().filter(|part| has_no_zeros(part)).filter(|part| is_number(part))?.parse().ok();
        let numbers = [number()?, number()?, number()?];
        parts.next().is_none().then_some(Self { numbers, pre_release: pre_release.unwrap_or_default() })
    }
}

/// Words between dots.
fn is_identifier(text: &str) -> bool {
    let is_word = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    text.split('.').all(is_word)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Not a number with zeros before it.
fn has_no_zeros(text: &str) -> bool {
    !(text.len() > 1 && text.starts_with('0') && is_number(text))
}

fn is_valid(context: &mut Context, operands: &[&Value]) -> Answer {
    let Ok(text) = operand::string(operands, 0) else { return Ok(Some(false.into())) };
    context.account.charge(text.len())?;
    Ok(Some(Version::parse(text).is_some().into()))
}

fn compare(context: &mut Context, operands: &[&Value]) -> Answer {
    let texts = [operand::string(operands, 0)?, operand::string(operands, 1)?];
    let (a, b) = (version(context, 1, texts[0])?, version(context, 2, texts[1])?);
    let order = a.numbers.cmp(&b.numbers).then_with(|| of_pre_releases(a.pre_release, b.pre_release));
    Ok(Some(Value::Int(order as i64)))
}

fn version<'t>(context: &mut Context, place: usize, text: &'t Str) -> Result<Version<'t>, BuiltinError> {
    context.account.charge(text.len())?;
    let shown = || quote::quote(text);
    Version::parse(text).ok_or_else(|| BuiltinError::failed(format!("operand {place}: string {} is not a valid SemVer", shown())))
}

/// A version without pre-release is later than those with one.
fn of_pre_releases(a: &str, b: &str) -> Ordering {
    match (a.is_empty(), b.is_empty()) {
        _ if a == b => return Ordering::Equal,
        (true, _) => return Ordering::Greater,
        (_, true) => return Ordering::Less,
        _ => {}
    }
    let (mut a, mut b) = (a.split('.'), b.split('.'));
    loop {
        match (a.next(), b.next()) {
            (Some(a), Some(b)) => match of_words(a, b) {
                Ordering::Equal => {}
                order => return order,
            },
            (Some(_), None) => return Ordering::Greater,
            (None, Some(_)) => return Ordering::Less,
            (None, None) => return Ordering::Equal,
        }
    }
}

/// Numbers come before words. OPA takes numbers beyond 64 bits for the largest, and looks for their difference without end: here they
/// are compared.
fn of_words(a: &str, b: &str) -> Ordering {
    match (is_number(a), is_number(b)) {
        (true, true) => a.len().cmp(&b.len()).then_with(|| a.cmp(b)),
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
        (false, false) => a.cmp(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_any_size_are_compared() {
        let version = |text| Version::parse(text).unwrap().pre_release;
        let (a, b) = (version("1.0.0-99999999999999999999"), version("1.0.0-99999999999999999998.a"));
        assert_eq!(of_pre_releases(a, b), Ordering::Greater);
    }
}
