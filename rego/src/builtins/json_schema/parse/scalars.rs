//! Types, bounds, constants.

use super::super::keywords::{Keywords, invalid_type, plain};
use super::super::schema::{Draft, Id, Limits};
use super::{Parser, unless_halted};
use crate::builtins::{BuiltinError, regex};
use crate::value::Value;

const TYPES: [&str; 7] = ["array", "boolean", "integer", "number", "null", "object", "string"];

impl Parser<'_> {
    pub(super) fn limits(&mut self, id: Id, words: &Keywords<'_>, draft: Draft) -> Result<(), BuiltinError> {
        let mut limits = Limits::default();
        if let Some(number) = words.get("multipleOf") {
            if !number.is_number() {
                return Err(invalid_type("Number", "multipleOf"));
            }
            if *number <= Value::Int(0) {
                return Err(BuiltinError::failed("multipleOf must be strictly greater than 0"));
            }
            limits.multiple_of = Some(number.clone());
        }
        let bound = |key| words.number(key);
        (limits.minimum, limits.exclusive_minimum) = exclusive(words, bound("minimum")?, "exclusiveMinimum", "minimum", draft)?;
        (limits.maximum, limits.exclusive_maximum) = exclusive(words, bound("maximum")?, "exclusiveMaximum", "maximum", draft)?;
        limits.length = words.range("minLength", "maxLength")?;
        if let Some(pattern) = words.string("pattern")? {
            let invalid = |error| unless_halted(error, "pattern must be a valid regex");
            let compiled = regex::compiled(self.context, pattern).map_err(invalid)?;
            self.set(id, |part| part.pattern = Some((pattern.to_owned(), compiled)));
        }
        let format = words.string("format")?.filter(|format| !format.is_empty()).map(ToOwned::to_owned);
        limits.properties = words.range("minProperties", "maxProperties")?;
        let required = words.unique_strings("required")?;
        limits.items = words.range("minItems", "maxItems")?;
        let unique_items = words.truth("uniqueItems")?;
        self.set(id, |part| {
            (part.format, part.required, part.limits, part.unique_items) = (format, required, limits, unique_items);
        });
        Ok(())
    }

    pub(super) fn rest(&mut self, id: Id, words: &Keywords<'_>, draft: Draft) -> Result<(), BuiltinError> {
        let newer = draft >= Draft::Six;
        let contains = words.get("contains").filter(|_| newer).map(|schema| self.part(schema, draft)).transpose()?;
        let constant = words.get("const").filter(|_| newer).map(plain).transpose()?;
        let mut enumeration = None;
        if let Some(values) = words.list("enum")? {
            let mut texts: Vec<String> = Vec::new();
            for value in values {
                let text = plain(value)?;
                self.context.account.step(u64::try_from(texts.len()).unwrap_or(u64::MAX))?;
                if texts.contains(&text) {
                    return Err(BuiltinError::failed("enum items must be unique"));
                }
                texts.push(text);
            }
            enumeration = Some(texts);
        }
        self.set(id, |part| (part.contains, part.constant, part.enumeration) = (contains, constant, enumeration));
        Ok(())
    }
}

pub(super) fn types(words: &Keywords<'_>) -> Result<Vec<String>, BuiltinError> {
    let wrong = || invalid_type("type", "string/Array Of Strings");
    let written = match words.get("type") {
        None => return Ok(Vec::new()),
        Some(one @ Value::String(_)) => std::slice::from_ref(one),
        Some(Value::Array(several)) => several.items(),
        Some(_) => return Err(wrong()),
    };
    let mut types: Vec<String> = Vec::new();
    for written in written {
        let name = written.as_str().ok_or_else(wrong)?.to_string();
        if !TYPES.contains(&name.as_str()) {
            let known = TYPES.join(" ");
            let what = "has a primitive type that is NOT VALID -- given:";
            return Err(BuiltinError::failed(format!("{what} /{name}/ Expected valid values are:[{known}]")));
        }
        if types.contains(&name) {
            return Err(BuiltinError::failed(format!("{name} type is duplicated")));
        }
        types.push(name);
    }
    Ok(types)
}

/// A bound, and the exclusive one: in draft 4 whether the bound is exclusive, later a bound of its own.
pub(super) fn exclusive(
    words: &Keywords<'_>,
    bound: Option<Value>,
    key: &str,
    of: &str,
    draft: Draft,
) -> Result<(Option<Value>, Option<Value>), BuiltinError> {
    let expected = match draft {
        Draft::Four => "boolean",
        Draft::Hybrid => "boolean/number",
        Draft::Six | Draft::Seven => "number",
    };
    match words.get(key) {
        None => Ok((bound, None)),
        Some(is_exclusive @ (Value::False | Value::True)) if expected != "number" => match bound {
            None => Err(BuiltinError::failed(format!("{key} cannot be used without {of}"))),
            bound if *is_exclusive == Value::True => Ok((None, bound)),
            bound => Ok((bound, None)),
        },
        Some(number) if number.is_number() && expected != "boolean" => Ok((bound, Some(number.clone()))),
        Some(_) => Err(invalid_type(expected, key)),
    }
}
