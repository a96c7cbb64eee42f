//! The functions of templates (`text/template`, `funcs.go`).

use super::compare;
use super::value::Data;
use crate::builtins::encoding::urlquery;
use crate::builtins::output::Output;
use crate::builtins::strings::format::{self, Argument};
use crate::builtins::{BuiltinError, quote};
use crate::limits::Account;
use crate::value::Value;

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

impl From<String> for Fault {
    fn from(message: String) -> Self {
        Self::Call(message)
    }
}

/// Calls a function with all of its operands; `and` and `or` are evaluated elsewhere.
pub(super) fn call(name: &str, operands: &[Data], account: &mut Account) -> Result<Data, Fault> {
    Ok(match (name, operands) {
        ("not", [one]) => Data::Bool(!one.is_true()),
        ("len", [one]) => len(one)?,
        ("index", [first, keys @ ..]) => index(first, keys)?,
        ("slice", [first, bounds @ ..]) => slice(first, bounds)?,
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
            let arguments: Vec<Argument> = rest.iter().map(argument).collect();
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
        (_, _) => joined(operands, &mut out)?,
    }
    let plain = out.finish();
    let mut out = Output::new(account);
    match name {
        "html" => plain.chars().try_for_each(|c| push(html(c), c, &mut out))?,
        "js" => plain.chars().try_for_each(|c| push(js(c).as_deref(), c, &mut out))?,
        "urlquery" => urlquery::escape(&plain, &mut out)?,
        _ => return Ok(plain),
    }
    Ok(out.finish())
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

fn argument(data: &Data) -> Argument {
    match data {
        Data::Missing | Data::Null => Argument::Nil,
        Data::Bool(truth) => Argument::Bool(*truth),
        Data::Int(number) => Argument::Named(Box::new(Argument::Integer(*number)), "int"),
        Data::Float(number) => Argument::Float(*number),
        Data::Text(text) => Argument::Text(text.clone()),
        other => Argument::Named(Box::new(Argument::Text(other.to_string())), other.type_name()),
    }
}

fn len(data: &Data) -> Result<Data, Fault> {
    let length = match data {
        Data::Text(text) | Data::Number(text) => text.len(),
        Data::Collection(Value::Object(object)) => object.len(),
        Data::Collection(other) => other.as_array().unwrap_or_default().len(),
        Data::Missing | Data::Null => {
            return Err("reflect: call of reflect.Value.Type on zero Value".to_owned().into());
        }
        other => return Err(format!("len of type {}", other.type_name()).into()),
    };
    Ok(Data::Int(i64::try_from(length).unwrap_or(i64::MAX)))
}

fn index(first: &Data, keys: &[Data]) -> Result<Data, Fault> {
    if matches!(first, Data::Missing | Data::Null) {
        return Err("index of untyped nil".to_owned().into());
    }
    let mut found = first.clone();
    for key in keys {
        found = match (&found, key) {
            (Data::Collection(Value::Object(object)), Data::Text(key)) => {
                object.get(&Value::from(key.as_str())).map_or(Data::Null, |value| Data::of(value.clone()))
            }
            (Data::Collection(Value::Object(_)), Data::Missing | Data::Null) => {
                return Err("value is nil; should be string".to_owned().into());
            }
            (Data::Collection(Value::Object(_)), key) => {
                return Err(format!("value has type {}; should be string", key.type_name()).into());
            }
            (Data::Collection(other), key) => {
                let items = other.as_array().unwrap_or_default();
                items.get(place(key, items.len(), false)?).map_or(Data::Null, |value| Data::of(value.clone()))
            }
            (Data::Text(text) | Data::Number(text), key) => {
                let byte = text.as_bytes().get(place(key, text.len(), false)?).copied();
                Data::Int(byte.unwrap_or_default().into())
            }
            (Data::Missing | Data::Null, _) => return Err("index of nil pointer".to_owned().into()),
            (other, _) => return Err(format!("can't index item of type {}", other.type_name()).into()),
        };
    }
    Ok(found)
}

/// An index within a length; a bound may be the length itself.
fn place(key: &Data, length: usize, is_bound: bool) -> Result<usize, Fault> {
    let number = match key {
        Data::Int(number) => *number,
        Data::Missing | Data::Null => return Err("cannot index slice/array with nil".to_owned().into()),
        other => return Err(format!("cannot index slice/array with type {}", other.type_name()).into()),
    };
    let at = usize::try_from(number).ok().filter(|at| *at < length || is_bound && *at == length);
    at.ok_or_else(|| format!("index out of range: {number}").into())
}

fn slice(first: &Data, bounds: &[Data]) -> Result<Data, Fault> {
    let length = match first {
        Data::Text(text) | Data::Number(text) => text.len(),
        Data::Collection(value @ Value::Array(_)) => value.as_array().unwrap_or_default().len(),
        Data::Missing | Data::Null => return Err("slice of untyped nil".to_owned().into()),
        other => return Err(format!("can't slice item of type {}", other.type_name()).into()),
    };
    let bound = |at: usize, default: usize| bounds.get(at).map_or(Ok(default), |bound| place(bound, length, true));
    let (from, to) = (bound(0, 0)?, bound(1, length)?);
    if bounds.len() > 3 {
        return Err(format!("too many slice indexes: {}", bounds.len()).into());
    }
    if from > to {
        return Err(format!("invalid slice index: {from} > {to}").into());
    }
    Ok(match first {
        Data::Collection(value) => {
            let items = value.as_array().unwrap_or_default();
            Data::Collection(Value::array(items.get(from..to).unwrap_or_default().iter().cloned()))
        }
        Data::Text(text) | Data::Number(text) => {
            Data::Text(crate::builtins::bytes::text(text.as_bytes().get(from..to).unwrap_or_default().to_vec()))
        }
        other => other.clone(),
    })
}

fn html(c: char) -> Option<&'static str> {
    Some(match c {
        '\0' => "\u{fffd}",
        '"' => "&#34;",
        '\'' => "&#39;",
        '&' => "&amp;",
        '<' => "&lt;",
        '>' => "&gt;",
        _ => return None,
    })
}

fn js(c: char) -> Option<String> {
    Some(match c {
        '\\' => "\\\\".into(),
        '\'' => "\\'".into(),
        '"' => "\\\"".into(),
        '<' => "\\u003C".into(),
        '>' => "\\u003E".into(),
        '&' => "\\u0026".into(),
        '=' => "\\u003D".into(),
        c if c < ' ' || !c.is_ascii() && !quote::is_printable(c) => format!("\\u{:04X}", u32::from(c)),
        _ => return None,
    })
}
