//! `glob.match`, `glob.quote_meta` (OPA: `v1/topdown/glob.go`, on `gobwas/glob`), and `regex.globs_match`: whether some text
//! matches both globs (OPA: `builtinGlobsMatch`, on `yashtewari/glob-intersection`).

use std::sync::{Arc, LazyLock};

use regex::Regex;
use regorus::Value;

use super::error::BuiltinError;
use super::recent::Recent;
use super::{Builtin, operand, regexes};

mod meet;
mod pattern;
mod tokens;

/// Bytes of a compiled glob: each `*` takes some hundreds.
const LARGEST: usize = 1 << 20;
/// Bytes of a glob.
const LONGEST: usize = 64 << 10;

pub(super) const BUILTINS: &[Builtin] = &[
    Builtin { name: "glob.match", operands: 3, call: glob_match },
    Builtin { name: "glob.quote_meta", operands: 1, call: quote_meta },
    Builtin { name: "regex.globs_match", operands: 2, call: globs_match },
];

static RECENT: LazyLock<Recent<Regex>> = LazyLock::new(Recent::default);

fn globs_match(values: &[Value]) -> Result<Value, BuiltinError> {
    let (left, right) = (operand::string(values, 1)?, operand::string(values, 2)?);
    let (left, right) = (tokens::glob(left)?, tokens::glob(right)?);
    meet::meet(&left, &right).map(Value::from)
}

fn glob_match(values: &[Value]) -> Result<Value, BuiltinError> {
    let (glob, separators) = (operand::string(values, 1)?, separators(values)?);
    let text = operand::string(values, 3)?;
    Ok(compiled(glob, &separators)?.is_match(text).into())
}

/// Null are none, no elements the dot.
fn separators(values: &[Value]) -> Result<Vec<char>, BuiltinError> {
    match operand::any(values, 2) {
        Value::Null => return Ok(Vec::new()),
        Value::Array(_) => {}
        other => return Err(operand::wrong(2, "one of {array, null}", other)),
    }
    let separators = operand::array(values, 2)?.map(separator).collect::<Result<Vec<_>, _>>()?;
    Ok(if separators.is_empty() { vec!['.'] } else { separators })
}

/// A text of one character.
fn separator(value: &Value) -> Result<char, BuiltinError> {
    let containing = |expected: &str| {
        let what = format!("must be array of {expected}s but got array containing {}", operand::type_name(value));
        BuiltinError::operand(2, what)
    };
    let Value::String(text) = value else { return Err(containing("string")) };
    let mut characters = text.chars();
    let first = characters.next().filter(|_| characters.next().is_none());
    first.ok_or_else(|| containing("rune"))
}

fn compiled(glob: &str, separators: &[char]) -> Result<Arc<Regex>, BuiltinError> {
    if glob.len() > LONGEST {
        return Err(BuiltinError::Limit(format!("has a glob of more than {LONGEST} bytes")));
    }
    let texts = separators.iter().collect::<String>();
    // The number keeps apart where the separators end.
    let key = format!("{} {texts}{glob}", separators.len());
    RECENT.of(&key, || regexes::build(&pattern::expression(glob, separators)?, LARGEST))
}

fn quote_meta(values: &[Value]) -> Result<Value, BuiltinError> {
    let text = operand::string(values, 1)?;
    let mut quoted = String::with_capacity(text.len());
    for c in text.chars() {
        if r"*?\[]{}".contains(c) {
            quoted.push('\\');
        }
        quoted.push(c);
    }
    Ok(quoted.into())
}
