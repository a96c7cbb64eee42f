//! `find` and `findAll`. Source: `apiserver` `pkg/cel/library/regex.go`.

use cel::common::types::{CelInt, CelList, CelString};
use cel::{DeclarationError, Env, ExecutionError};
use regex::{Regex, RegexBuilder};

use super::failed;

/// Bytes of a compiled pattern at most: what a few letters can ask for must not take long.
const LARGEST: usize = 1 << 20;

pub(super) fn register(env: &mut Env) -> Result<(), DeclarationError> {
    cel::add_member_overload!(env, fn find: (CelString, CelString) -> Result<CelString>)?;
    cel::add_member_overload!(env, fn find_all: (CelString, CelString) -> Result<CelList>)?;
    cel::add_member_overload!(env, fn find_first: (CelString, CelString, CelInt) -> Result<CelList>, name = "findAll")
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
    RegexBuilder::new(text).size_limit(LARGEST).build()
}

fn compile(pattern: &CelString<'_>) -> Result<Regex, ExecutionError> {
    read_pattern(pattern.inner()).map_err(|error| failed("find", format!("Illegal regex: {error}")))
}
