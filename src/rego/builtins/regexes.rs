//! `regex.*` as OPA answers (`v1/topdown/regex.go`): Go's syntax, Go's classes, Go's way through a text.
//!
//! The interpreter's are those of the `regex` crate, whose `\w` is more than ASCII, and that reads other patterns.

use regorus::Value;

use super::error::BuiltinError;
use super::{Builtin, operand, steps};

mod classes;
mod compiled;
mod escapes;
mod expand;
mod flags;
mod groups;
mod matches;
mod names;
mod reader;
mod repeats;
mod template;
mod translate;
mod unicode;

pub(super) use compiled::build;
use compiled::compiled;
use expand::Replacement;
use matches::Matches;
use reader::PatternError;

/// Texts that one call may answer with.
const MOST: usize = 2 << 20;
/// Steps of a match.
const MATCH: usize = 4096;
/// Bytes of a text after replacements.
const LARGEST: usize = 16 << 20;

pub(super) const BUILTINS: &[Builtin] = &[
    Builtin { name: "regex.find_all_string_submatch_n", operands: 3, call: find_groups },
    Builtin { name: "regex.find_n", operands: 3, call: find },
    Builtin { name: "regex.is_valid", operands: 1, call: is_valid },
    Builtin { name: "regex.match", operands: 2, call: is_match },
    Builtin { name: "regex.replace", operands: 3, call: replace },
    Builtin { name: "regex.split", operands: 2, call: split },
    Builtin { name: "regex.template_match", operands: 4, call: template_match },
];

/// Whether Go can parse it: what is no text is no pattern.
fn is_valid(values: &[Value]) -> Result<Value, BuiltinError> {
    let Ok(pattern) = operand::string(values, 1) else { return Ok(false.into()) };
    match translate::translate(pattern) {
        Ok(_) => Ok(true.into()),
        Err(PatternError::Syntax { .. }) => Ok(false.into()),
        Err(error @ PatternError::Limit(_)) => Err(error.into()),
    }
}

/// `regex.match`, also under its old name.
pub(super) fn is_match(values: &[Value]) -> Result<Value, BuiltinError> {
    let (pattern, text) = (operand::string(values, 1)?, operand::string(values, 2)?);
    Ok(compiled(pattern)?.regex.is_match(text).into())
}

fn template_match(values: &[Value]) -> Result<Value, BuiltinError> {
    let (template, text) = (operand::string(values, 1)?, operand::string(values, 2)?);
    let (start, end) = (operand::string(values, 3)?, operand::string(values, 4)?);
    let pattern = template::pattern(template, start, end)?;
    Ok(compiled(&pattern)?.regex.is_match(text).into())
}

fn find(values: &[Value]) -> Result<Value, BuiltinError> {
    let (pattern, text) = (operand::string(values, 1)?, operand::string(values, 2)?);
    let most = count(values)?;
    let pattern = compiled(pattern)?;
    let mut found = Vec::new();
    for (from, to) in Matches::new(&pattern.regex, text).take(most) {
        bounded(found.len())?;
        found.push(Value::from(text.get(from..to).unwrap_or_default()));
    }
    Ok(found.into())
}

fn find_groups(values: &[Value]) -> Result<Value, BuiltinError> {
    let (pattern, text) = (operand::string(values, 1)?, operand::string(values, 2)?);
    let most = count(values)?;
    let pattern = compiled(pattern)?;
    let mut matches = Matches::with_groups(&pattern.regex, text);
    // The crate does not count the groups of `(a){0}`.
    let (groups, mut found) = (pattern.names.len(), Vec::new());
    while found.len() < most && matches.next().is_some() {
        bounded(found.len().saturating_mul(groups))?;
        let texts = (0..groups).map(|number| Value::from(matches.group(number).unwrap_or_default()));
        found.push(Value::from(texts.collect::<Vec<_>>()));
    }
    Ok(found.into())
}

/// How many are asked for; all, if it is negative.
fn count(values: &[Value]) -> Result<usize, BuiltinError> {
    Ok(usize::try_from(operand::integer(values, 3)?).unwrap_or(usize::MAX))
}

/// Go's `Split` without a limit: a match at the beginning that is empty separates nothing.
fn split(values: &[Value]) -> Result<Value, BuiltinError> {
    let (pattern, text) = (operand::string(values, 1)?, operand::string(values, 2)?);
    let compiled = compiled(pattern)?;
    if text.is_empty() && !pattern.is_empty() {
        return Ok(vec![Value::from("")].into());
    }
    let (mut parts, mut from, mut to) = (Vec::new(), 0, 0);
    for (start, end) in Matches::new(&compiled.regex, text) {
        bounded(parts.len())?;
        to = start;
        if end != 0 {
            parts.push(Value::from(text.get(from..to).unwrap_or_default()));
        }
        from = end;
    }
    if to != text.len() {
        parts.push(Value::from(text.get(from..).unwrap_or_default()));
    }
    Ok(parts.into())
}

fn replace(values: &[Value]) -> Result<Value, BuiltinError> {
    let (text, pattern) = (operand::string(values, 1)?, operand::string(values, 2)?);
    let template = operand::string(values, 3)?;
    let pattern = compiled(pattern)?;
    let replacement = Replacement::new(template, &pattern.names);
    let mut matches = Matches::with_groups(&pattern.regex, text);
    let (mut out, mut from) = (String::new(), 0);
    while let Some((start, end)) = matches.next() {
        steps::steps(MATCH)?;
        out.push_str(text.get(from..start).unwrap_or_default());
        // Groups are parts of the match.
        if replacement.most(end - start).saturating_add(out.len()) > LARGEST {
            return Err(BuiltinError::Limit(format!("would make more than {LARGEST} bytes")));
        }
        replacement.append(&matches, &mut out);
        from = end;
    }
    out.push_str(text.get(from..).unwrap_or_default());
    Ok(out.into())
}

/// Between two matches: for each the crate may look at all of the text that is left.
fn bounded(count: usize) -> Result<(), BuiltinError> {
    steps::steps(MATCH)?;
    if count < MOST { Ok(()) } else { Err(BuiltinError::Limit(format!("would make more than {MOST} texts"))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Call = fn(&[Value]) -> Result<Value, BuiltinError>;

    #[test]
    fn what_costs_too_much_ends_the_evaluation() {
        let (groups, long) = ("(".repeat(300) + &")".repeat(300), "a".repeat(3 << 20));
        let calls: [(Call, &[&str]); 6] = [
            (is_match, &[r"\pL{9}", "a"]),
            (is_match, &[&groups, "a"]),
            (is_valid, &[&groups]),
            (is_valid, &[&long]),
            (split, &["", &long]),
            (replace, &[&long, "a", "aaaaaa"]),
        ];
        for (at, (call, operands)) in calls.iter().enumerate() {
            let operands: Vec<Value> = operands.iter().map(|text| Value::from(*text)).collect();
            let answer = call(&operands);
            assert!(matches!(answer, Err(BuiltinError::Limit(_))), "call {at}: {answer:?}");
        }
    }

    #[test]
    fn every_class_of_unicode_that_go_knows_compiles() {
        let categories = names::CATEGORIES.iter().flat_map(|(code, names)| names.iter().chain([code]).copied());
        for name in categories.chain(names::SCRIPTS.split(' ')).chain(["Any", "ASCII", "Assigned"]) {
            for pattern in [format!(r"\p{{{name}}}"), format!(r"(?i)[^\P{{{name}}}]")] {
                assert!(compiled(&pattern).is_ok(), "{pattern}");
            }
        }
    }
}
