//! Patterns as OPA has them (`v1/topdown/regex.go`): Go's syntax, Go's classes, Go's way through a text, on the crate `regex`.

mod classes;
mod compiled;
mod escapes;
mod expand;
mod flags;
mod globs_match;
mod groups;
mod matches;
mod names;
mod reader;
mod repeats;
mod template;
mod translate;
mod unicode;

use std::sync::Arc;

use super::error::Answer;
use super::output::Output;
use super::signature::Type;
use super::table::{Builtin, row};
use super::{BuiltinError, Context, operand};
use crate::value::{Items, Str, Value};

pub(super) use compiled::{Compiled, build, compiled, pay, time_for};

use expand::Replacement;
use matches::Matches;

/// One row each, in the order of their names.
pub(super) const ROWS: &[Builtin] = &[
    row("re_match", &[Type::String, Type::String], Some(Type::Boolean)).deprecated().by(is_match),
    row(
        "regex.find_all_string_submatch_n",
        &[Type::String, Type::String, Type::Number],
        Some(Type::Array(&Type::Array(&Type::String))),
    )
    .by(find_groups),
    row("regex.find_n", &[Type::String, Type::String, Type::Number], Some(Type::Array(&Type::String))).by(find),
    row("regex.globs_match", &[Type::String, Type::String], Some(Type::Boolean)).by(globs_match::globs_match),
    row("regex.is_valid", &[Type::String], Some(Type::Boolean)).by(is_valid),
    row("regex.match", &[Type::String, Type::String], Some(Type::Boolean)).by(is_match),
    row("regex.replace", &[Type::String, Type::String, Type::String], Some(Type::String)).by(replace),
    row("regex.split", &[Type::String, Type::String], Some(Type::Array(&Type::String))).by(split),
    row("regex.template_match", &[Type::String, Type::String, Type::String, Type::String], Some(Type::Boolean))
        .by(template_match),
];

/// Steps of a match, at least.
const MATCH: u64 = 16;

/// Whether Go can parse it: what is no text is no pattern.
fn is_valid(context: &mut Context, operands: &[&Value]) -> Answer {
    let Ok(pattern) = operand::string(operands, 0) else { return Ok(Some(false.into())) };
    context.account.charge(pattern.len())?;
    Ok(Some(is_pattern(pattern).into()))
}

/// Whether Go can parse a pattern.
pub(super) fn is_pattern(text: &str) -> bool {
    translate::translate(text).is_ok()
}

/// A pattern and a text; charged for going through it.
fn texts<'v>(context: &mut Context, operands: &[&'v Value]) -> Result<(&'v Str, &'v Str), BuiltinError> {
    let (pattern, text) = (operand::string(operands, 0)?, operand::string(operands, 1)?);
    context.account.step(u64::try_from(text.len() / 16).unwrap_or(u64::MAX))?;
    Ok((pattern, text))
}

/// The expression that a pattern is, if there is time to go through a text with it.
fn ready(context: &mut Context, pattern: &str, text: &str) -> Result<Arc<Compiled>, BuiltinError> {
    let compiled = compiled(context, pattern)?;
    compiled.has_time_for(&context.account, text)?;
    Ok(compiled)
}

fn is_match(context: &mut Context, operands: &[&Value]) -> Answer {
    let (pattern, text) = texts(context, operands)?;
    Ok(Some(ready(context, pattern, text)?.regex.is_match(text).into()))
}

fn template_match(context: &mut Context, operands: &[&Value]) -> Answer {
    let (template, text) = texts(context, operands)?;
    let (start, end) = (operand::string(operands, 2)?, operand::string(operands, 3)?);
    let pattern = template::pattern(context, template, start, end)?;
    Ok(Some(ready(context, &pattern, text)?.regex.is_match(text).into()))
}

fn find(context: &mut Context, operands: &[&Value]) -> Answer {
    let (pattern, text) = texts(context, operands)?;
    let most = count(operands)?;
    let pattern = ready(context, pattern, text)?;
    let mut found = Items::new();
    for (from, to) in Matches::new(&pattern.regex, text).take(most) {
        found.push(part(context, text.get(from..to).unwrap_or_default())?);
    }
    Ok(Some(Value::list(found)))
}

fn find_groups(context: &mut Context, operands: &[&Value]) -> Answer {
    let (pattern, text) = texts(context, operands)?;
    let most = count(operands)?;
    let pattern = ready(context, pattern, text)?;
    let mut matches = Matches::with_groups(&pattern.regex, text);
    // The crate does not count the groups of `(a){0}`.
    let (groups, mut found) = (pattern.names.len(), Vec::new());
    while found.len() < most && matches.next().is_some() {
        let texts = (0..groups).map(|number| part(context, matches.group(number).unwrap_or_default()));
        found.push(Value::array(texts.collect::<Result<Vec<_>, _>>()?));
    }
    Ok(Some(Value::list(found)))
}

/// A part of a text as a value.
fn part(context: &mut Context, text: &str) -> Result<Value, BuiltinError> {
    context.account.step(MATCH)?;
    context.account.charge(text.len().saturating_add(size_of::<Value>()))?;
    Ok(Value::from(text))
}

/// How many are asked for; all, if it is negative.
fn count(operands: &[&Value]) -> Result<usize, BuiltinError> {
    Ok(usize::try_from(operand::integer(operands, 2)?).unwrap_or(usize::MAX))
}

/// Go's `Split` without a limit: a match at the beginning that is empty separates nothing.
fn split(context: &mut Context, operands: &[&Value]) -> Answer {
    let (pattern, text) = texts(context, operands)?;
    let compiled = ready(context, pattern, text)?;
    if text.is_empty() && !pattern.is_empty() {
        return Ok(Some(Value::array([Value::from("")])));
    }
    let (mut parts, mut from, mut to) = (Vec::new(), 0, 0);
    for (start, end) in Matches::new(&compiled.regex, text) {
        to = start;
        if end != 0 {
            parts.push(part(context, text.get(from..to).unwrap_or_default())?);
        }
        from = end;
    }
    if to != text.len() {
        parts.push(part(context, text.get(from..).unwrap_or_default())?);
    }
    Ok(Some(Value::list(parts)))
}

fn replace(context: &mut Context, operands: &[&Value]) -> Answer {
    let (text, pattern) = texts(context, operands)?;
    let template = operand::string(operands, 2)?;
    let pattern = ready(context, pattern, text)?;
    let replacement = Replacement::new(template, &pattern.names);
    let mut matches = Matches::with_groups(&pattern.regex, text);
    let (mut out, mut from) = (Output::new(&mut context.account), 0);
    while let Some((start, end)) = matches.next() {
        out.account().step(MATCH)?;
        out.push(text.get(from..start).unwrap_or_default())?;
        replacement.append(&matches, &mut out)?;
        from = end;
    }
    out.push(text.get(from..).unwrap_or_default())?;
    Ok(Some(out.finish().into()))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{answer, limited};
    use super::compiled::build;
    use super::*;
    use crate::limits::Limits;

    /// Fails when less time is left than it takes at least to compile a long pattern, or to match a long text with a large one: the library
    /// cannot be interrupted.
    #[test]
    fn large_patterns_need_time_that_is_left() {
        let (long, huge) = ("a-b.c/(d+)*".repeat(3_000), "a".repeat(1 << 20));
        let mut context = limited(Limits { time: std::time::Duration::ZERO, ..Limits::default() });
        for (name, operands) in [
            ("regex.match", format!("[\"{long}\", \"a\"]")),
            ("regex.split", format!("[\"(a|b){{500}}\", \"{huge}\"]")),
            ("regex.find_n", format!("[\"(a|b){{500}}\", \"{huge}\", 1]")),
            ("glob.match", format!("[\"{long}\", [], \"a\"]")),
        ] {
            assert_eq!(answer(&mut context, name, &operands), "halt: evaluation took longer than 0ns", "{name}");
        }
    }

    #[test]
    fn every_class_of_unicode_that_go_knows_compiles() {
        let categories = names::CATEGORIES.iter().flat_map(|(code, names)| names.iter().chain([code]).copied());
        for name in categories.chain(names::SCRIPTS.split(' ')).chain(["Any", "ASCII", "Assigned"]) {
            for pattern in [format!(r"\p{{{name}}}"), format!(r"(?i)[^\P{{{name}}}]")] {
                let translated = translate::translate(&pattern).unwrap();
                assert!(build(&translated.regex).is_ok(), "{pattern}");
            }
        }
    }

    #[test]
    fn what_nests_deeply_compiles_on_a_small_stack() {
        let deep = "(".repeat(999) + "a" + &")".repeat(999);
        assert!(build(&translate::translate(&deep).unwrap().regex).unwrap().is_match("a"));
        assert!(translate::translate(&format!("({deep})")).is_err());
    }
}
