//! Headers of tokens (RFC 7515, 4.1).

use super::token::member;
use crate::builtins::BuiltinError;
use crate::value::Value;

/// A decoded header.
#[derive(Debug)]
pub(super) struct Header {
    pub(super) value: Value,
}

/// The members of a header that matter.
#[derive(Debug, Default)]
pub(super) struct Fields {
    pub(super) alg: String,
    pub(super) kid: String,
    pub(super) cty: String,
    /// A critical member that nobody knows.
    pub(super) unknown_critical: bool,
}

impl Header {
    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        member(&self.value, name)
    }

    pub(super) fn fields(&self) -> Result<Fields, BuiltinError> {
        self.text("typ")?;
        let (alg, cty, kid) = (self.text("alg")?, self.text("cty")?, self.text("kid")?);
        Ok(Fields { alg, kid, cty, unknown_critical: self.unknown_critical()? })
    }

    fn text(&self, name: &str) -> Result<String, BuiltinError> {
        match self.get(name) {
            None => Ok(String::new()),
            Some(Value::String(text)) => Ok(text.to_string()),
            Some(_) => Err(BuiltinError::failed(format!("{name}: must be a string"))),
        }
    }

    fn unknown_critical(&self) -> Result<bool, BuiltinError> {
        let Some(critical) = self.get("crit") else { return Ok(false) };
        let Value::Array(names) = critical else { return Err(BuiltinError::failed("crit: must be a list")) };
        // As in OPA, what is no string ends the list.
        let names: Vec<&str> = names.items().iter().map_while(Value::as_str).map(|name| name.as_str()).collect();
        if names.is_empty() {
            return Err(BuiltinError::failed("crit: must be a nonempty list"));
        }
        let known = ["alg", "kid", "typ", "cty", "crit"];
        Ok(names.into_iter().any(|name| !known.contains(&name) && self.get(name).is_some()))
    }
}
