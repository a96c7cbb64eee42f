//! `semver.compare` and `semver.is_valid` (OPA: `v1/topdown/semver.go`, `internal/semver`).

use std::cmp::Ordering;

use regorus::Value;

use super::error::BuiltinError;
use super::{Builtin, operand};

pub(super) const BUILTINS: &[Builtin] = &[
    Builtin { name: "semver.compare", operands: 2, call: compare },
    Builtin { name: "semver.is_valid", operands: 1, call: is_valid },
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

fn is_valid(values: &[Value]) -> Result<Value, BuiltinError> {
    let valid = operand::string(values, 1).is_ok_and(|text| Version::parse(text).is_some());
    Ok(Value::from(valid))
}

fn compare(values: &[Value]) -> Result<Value, BuiltinError> {
    let texts = [operand::string(values, 1)?, operand::string(values, 2)?];
    let parsed = |place: usize, text| {
        let invalid =
            || BuiltinError::other(format!("operand {place}: string {} is not a valid SemVer", super::uri::quoted(text)));
        Version::parse(text).ok_or_else(invalid)
    };
    let (a, b) = (parsed(1, texts[0])?, parsed(2, texts[1])?);
    let order = match a.numbers.cmp(&b.numbers) {
        Ordering::Equal => of_pre_releases(a.pre_release, b.pre_release)?,
        order => order,
    };
    Ok(Value::from(i64::from(order as i8)))
}

/// A version without pre-release is later than those with one.
fn of_pre_releases(a: &str, b: &str) -> Result<Ordering, BuiltinError> {
    match (a.is_empty(), b.is_empty()) {
        _ if a == b => return Ok(Ordering::Equal),
        (true, _) => return Ok(Ordering::Greater),
        (_, true) => return Ok(Ordering::Less),
        _ => {}
    }
    let (mut a, mut b) = (a.split('.'), b.split('.'));
    loop {
        match (a.next(), b.next()) {
            (Some(a), Some(b)) => match of_words(a, b) {
                Ordering::Equal => {}
                order => return Ok(order),
            },
            (Some(_), None) => return Ok(Ordering::Greater),
            (None, Some(_)) => return Ok(Ordering::Less),
            // OPA takes numbers beyond 64 bits for the largest, and looks for the difference without end.
            (None, None) => return Err(BuiltinError::Limit("would compare numbers of more than 64 bits".to_owned())),
        }
    }
}

fn of_words(a: &str, b: &str) -> Ordering {
    let number = |word: &str| is_number(word).then(|| word.parse().unwrap_or(i64::MAX));
    match (number(a), number(b)) {
        (Some(a), Some(b)) => a.cmp(&b),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => a.cmp(b),
    }
}
