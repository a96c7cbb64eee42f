//! `find`, `findAll`, and `matches` with the same patterns. Source: `apiserver` `pkg/cel/library/regex.go`; of the patterns RE2,
//! where `\\d`, `\\s` and `\\w` are ASCII.

use cel::common::types::{CelBool, CelInt, CelList, CelString};
use cel::parser::Macro;
use cel::{DeclarationError, Env, ExecutionError};
use regex::{Regex, RegexBuilder};

use super::{failed, replace};

/// Bytes of a compiled pattern at most: what a few letters can ask for must not take long.
const LARGEST: usize = 1 << 20;

pub(super) fn register(env: &mut Env) -> Result<(), DeclarationError> {
    replace(env, Macro::receiver, ("matches", "@matches", 1))?;
    replace(env, Macro::global, ("matches", "@matches", 2))?;
    cel::add_member_overload!(env, fn is_match: (CelString, CelString) -> Result<CelBool>, name = "@matches")?;
    cel::add_overload!(env, fn is_match: (CelString, CelString) -> Result<CelBool>, name = "@matches")?;
    cel::add_member_overload!(env, fn find: (CelString, CelString) -> Result<CelString>)?;
    cel::add_member_overload!(env, fn find_all: (CelString, CelString) -> Result<CelList>)?;
    cel::add_member_overload!(env, fn find_first: (CelString, CelString, CelInt) -> Result<CelList>, name = "findAll")
}

fn is_match(text: &CelString<'_>, pattern: &CelString<'_>) -> Result<CelBool, ExecutionError> {
    Ok(compile(pattern)?.is_match(text.inner()).into())
}

/// The first match, or nothing.
fn find(text: &CelString<'_>, pattern: &CelString<'_>) -> Result<CelString<'static>, ExecutionError> {
    let found = compile(pattern)?.find(text.inner()).map_or("", |found| found.as_str()).to_owned();
    Ok(found.into())
}

fn find_all(text: &CelString<'_>, pattern: &CelString<'_>) -> Result<CelList<'static>, ExecutionError> {
    matches(text, pattern, usize::MAX)
}

/// At most so many; a negative number stands for all.
fn find_first(text: &CelString<'_>, pattern: &CelString<'_>, most: &CelInt) -> Result<CelList<'static>, ExecutionError> {
    matches(text, pattern, usize::try_from(*most.inner()).unwrap_or(usize::MAX))
}

fn matches(text: &CelString<'_>, pattern: &CelString<'_>, most: usize) -> Result<CelList<'static>, ExecutionError> {
    let pattern = compile(pattern)?;
    let found = pattern.find_iter(text.inner()).take(most).map(|found| found.as_str().to_owned());
    Ok(super::lists::texts(found))
}

/// Compiles a pattern. Fails when it is none, or too large.
pub(in crate::expression) fn read_pattern(text: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(&ascii(text)).size_limit(LARGEST).build()
}

/// A pattern with the classes that RE2 means.
fn ascii(pattern: &str) -> String {
    let (mut found, mut characters) = (String::with_capacity(pattern.len()), pattern.chars());
    while let Some(character) = characters.next() {
        let escaped = if character == '\\' { characters.next() } else { None };
        match escaped.and_then(|escaped| class(escaped).map(|class| (escaped, class))) {
            Some((escaped, class)) if escaped.is_ascii_lowercase() => found.extend(["[", class, "]"]),
            Some((_, class)) => found.extend(["[^", class, "]"]),
            None => found.extend([Some(character), escaped].into_iter().flatten()),
        }
    }
    found
}

/// What a class has, whether it is asked for it or for all else.
fn class(escaped: char) -> Option<&'static str> {
    match escaped {
        'd' | 'D' => Some("0-9"),
        's' | 'S' => Some("\\t\\n\\f\\r "),
        'w' | 'W' => Some("0-9A-Za-z_"),
        _ => None,
    }
}

fn compile(pattern: &CelString<'_>) -> Result<Regex, ExecutionError> {
    read_pattern(pattern.inner()).map_err(|error| failed("find", format!("Illegal regex: {error}")))
}
