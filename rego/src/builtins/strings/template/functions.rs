//! The functions of templates (`text/template`, `funcs.go`).

mod escape;
mod items;

use super::compare;
use super::value::Data;
use crate::builtins::BuiltinError;
use crate::builtins::encoding::urlquery;
use crate::builtins::output::Output;
use crate::builtins::strings::format::{self, Argument};
use crate::limits::Account;

const NAMES: [&str; 19] = [
    "and", "call", "html", "index", "slice", "js", "len", "not", "or", "print", "printf", "println", "urlquery", "eq", "ge",
    "gt", "le", "lt", "ne",
];

pub(super) fn is_known(name: &str) -> bool {
    NAMES.contains(&name)
}

/// How many operands a function wants, if these are not as many.
pub(super) fn wrong_count(name: &str, count: usize) -> Option<&'static str> {
    match (name, count) {
        ("not" | "len", 1) | ("ne" | "lt" | "le" | "gt" | "ge", 2) => None,
        ("not" | "len", _) => Some("1"),
        ("ne" | "lt" | "le" | "gt" | "ge", _) => Some("2"),
        ("and" | "or" | "call" | "index" | "slice" | "printf" | "eq", 0) => Some("at least 1"),
        _ => None,
    }
}

/// Why a call has no value.
pub(super) enum Fault {
    /// Said with the name of the function.
    Call(String),
    /// It ends everything.
    Error(BuiltinError),
}

impl From<BuiltinError> for Fault {
    fn from(error: BuiltinError) -> Self {
        Self::Error(error)
    }
}

impl From<crate::limits::Halt> for Fault {
    fn from(halt: crate::limits::Halt) -> Self {
        Self::Error(halt.into())
    }
}

impl From<compare::ComparisonError> for Fault {
    fn from(error: compare::ComparisonError) -> Self {
        Self::Call(error.to_string())
    }
}

impl From<String> for Fault {
    fn from(message: String) -> Self {
        Self::Call(message)
    }
}

/// Calls a function with all of its operands; `and` and `or` are evaluated elsewhere.
pub(super) fn call(name: &str, operands: &[Data], account: &mut Account) -> Result<Data, Fault> {
    Ok(match (name, operands) {
        ("not", [one]) => Data::Bool(!one.is_true()),
        ("len", [one]) => items::len(one)?,
        ("index", [first, keys @ ..]) => items::index(first, keys)?,
        ("slice", [first, bounds @ ..]) => items::slice(first, bounds)?,
        ("eq", _) => Data::Bool(compare::eq(operands)?),
        ("ne", [_, _]) => Data::Bool(!compare::eq(operands)?),
        ("lt", [_, _]) => Data::Bool(compare::ordered(operands, std::cmp::Ordering::is_lt)?),
        ("le", [_, _]) => Data::Bool(compare::ordered(operands, std::cmp::Ordering::is_le)?),
        ("gt", [_, _]) => Data::Bool(compare::ordered(operands, std::cmp::Ordering::is_gt)?),
        ("ge", [_, _]) => Data::Bool(compare::ordered(operands, std::cmp::Ordering::is_ge)?),
        ("print" | "println" | "printf" | "html" | "js" | "urlquery", _) => Data::Text(text(name, operands, account)?),
        _ => return Err("wrong number of args".to_owned().into()),
    })
}

fn text(name: &str, operands: &[Data], account: &mut Account) -> Result<String, Fault> {
    let mut out = Output::new(account);
    match (name, operands) {
        ("printf", [Data::Text(format) | Data::Number(format), rest @ ..]) => {
            let arguments: Vec<Argument<'_>> = rest.iter().map(argument).collect();
            format::print(format, &arguments, &mut out)?;
        }
        ("printf", _) => return Err("wrong type of format".to_owned().into()),
        ("println", _) => {
            for (at, operand) in operands.iter().enumerate() {
                out.push(if at > 0 { " " } else { "" })?;
                out.display(operand)?;
            }
            out.push("\n")?;
        }
        ("print", _) => joined(operands, &mut out)?,
        (_, _) => joined(&operands.iter().map(printable).collect::<Vec<_>>(), &mut out)?,
    }
    let plain = out.finish();
    let mut out = Output::new(account);
    match name {
        "html" => plain.chars().try_for_each(|c| push(escape::html(c), c, &mut out))?,
        "js" => plain.chars().try_for_each(|c| push(escape::js(c).as_deref(), c, &mut out))?,
        "urlquery" => urlquery::escape(&plain, &mut out)?,
        _ => return Ok(plain),
    }
    Ok(out.finish())
}

/// Returns the value that is escaped: `<no value>` for what is missing or null, as where it is printed (`printableValue` of Go's
/// `exec.go`).
fn printable(data: &Data) -> Data {
    if matches!(data, Data::Missing | Data::Null) { Data::Text("<no value>".into()) } else { data.clone() }
}

fn push(escaped: Option<&str>, c: char, out: &mut Output<'_>) -> Result<(), crate::limits::Halt> {
    match escaped {
        Some(escaped) => out.push(escaped),
        None => out.repeat(c, 1),
    }
}

/// One behind the other; a blank stands between those that are no texts.
fn joined(operands: &[Data], out: &mut Output<'_>) -> Result<(), Fault> {
    let is_text = |data: &Data| matches!(data, Data::Text(_) | Data::Number(_));
    let mut before: Option<&Data> = None;
    for operand in operands {
        if before.is_some_and(|before| !is_text(before) && !is_text(operand)) {
            out.push(" ")?;
        }
        out.display(operand)?;
        before = Some(operand);
    }
    Ok(())
}

fn argument(data: &Data) -> Argument<'_> {
    match data {
        Data::Missing | Data::Null => Argument::Nil,
        Data::Bool(truth) => Argument::Bool(*truth),
        Data::Int(number) => Argument::Named(Box::new(Argument::Integer(*number)), "int"),
        Data::Float(number) => Argument::Float(*number),
        Data::Text(text) => Argument::Text(text.as_str().into()),
        other => Argument::Named(Box::new(Argument::Text(other.to_string().into())), other.type_name()),
    }
}
