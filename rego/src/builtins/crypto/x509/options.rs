//! What `crypto.x509.parse_and_verify_certificates_with_options` is asked to hold a chain to.

use crate::value::{Object, Value};

use super::usage;
use crate::builtins::BuiltinError;

/// The options.
#[derive(Debug)]
pub(super) struct Options {
    pub(super) dns_name: String,
    /// Seconds since 1970; nothing is now.
    pub(super) time: Option<i64>,
    /// One of these uses is enough.
    pub(super) usages: Vec<i64>,
    /// How many comparisons name constraints may take.
    pub(super) comparisons: usize,
}

/// Go's own bound.
const COMPARISONS: usize = 250_000;

impl Default for Options {
    fn default() -> Self {
        Self { dns_name: String::new(), time: None, usages: vec![usage::SERVER], comparisons: COMPARISONS }
    }
}

impl Options {
    /// Reads the object that holds them.
    pub(super) fn parse(options: &Object) -> Result<Self, BuiltinError> {
        let mut read = Self::default();
        for (key, value) in options.iter() {
            let Value::String(name) = key else { continue };
            match name.as_str() {
                "DNSName" => {
                    let name = value.as_str().ok_or_else(|| wrong("DNSName", "a string"))?;
                    name.trim_matches('"').clone_into(&mut read.dns_name);
                }
                "CurrentTime" => {
                    let nanoseconds = number("CurrentTime", value, "a valid int64 number")?;
                    // Go takes the first instant for now.
                    read.time = Some(nanoseconds.div_euclid(1_000_000_000));
                }
                "MaxConstraintComparisons" => {
                    // Go reads it and keeps to its own bound.
                    number("MaxConstraintComparisons", value, "a valid number")?;
                }
                "KeyUsages" => read.usages = usages(value)?,
                _ => return Err(BuiltinError::failed("invalid key option")),
            }
        }
        Ok(read)
    }
}

fn wrong(option: &str, expected: &str) -> BuiltinError {
    BuiltinError::failed(format!("'{option}' should be {expected}"))
}

fn number(option: &str, value: &Value, valid: &str) -> Result<i64, BuiltinError> {
    if !value.is_number() {
        return Err(wrong(option, "a number"));
    }
    value.as_i64().ok_or_else(|| wrong(option, valid))
}

fn usages(value: &Value) -> Result<Vec<i64>, BuiltinError> {
    let names = match value {
        Value::Array(items) => items.items(),
        Value::Set(items) => items.members(),
        _ => return Err(wrong("KeyUsages", "an Array or Set")),
    };
    let (mut known, mut unknown) = (Vec::new(), Vec::new());
    for name in names.iter().filter_map(Value::as_str).map(|name| name.trim_matches('"')) {
        match usage::named(name) {
            Some(number) => known.push(number),
            None => unknown.push(name),
        }
    }
    match (unknown.is_empty(), known.is_empty()) {
        (false, _) => Err(BuiltinError::failed(format!("invalid entries for 'KeyUsages' found: [{}]", unknown.join(" ")))),
        (true, true) => Ok(vec![usage::SERVER]),
        (true, false) => Ok(known),
    }
}
