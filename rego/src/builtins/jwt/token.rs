//! A token in its three parts.

use crate::value::Value;

use crate::builtins::encoding as codes;
use crate::builtins::BuiltinError;
use crate::builtins::json;

/// The parts as written, and what is signed: the first two with their dot.
#[derive(Debug)]
pub(super) struct Token<'t> {
    header: &'t str,
    payload: &'t str,
    signature: &'t str,
    signed: &'t str,
}

impl<'t> Token<'t> {
    pub(super) fn split(text: &'t str) -> Result<Self, BuiltinError> {
        let parts: Vec<&str> = text.split('.').collect();
        match parts.as_slice() {
            [header, payload, signature] => {
                let signed = text.get(..header.len() + 1 + payload.len()).unwrap_or_default();
                Ok(Self { header, payload, signature, signed })
            }
            [_] => Err(BuiltinError::failed("encoded JWT had no period separators")),
            _ => Err(BuiltinError::failed(format!("encoded JWT must have 3 sections, found {}", parts.len()))),
        }
    }

    pub(super) fn signed(&self) -> &'t [u8] {
        self.signed.as_bytes()
    }

    pub(super) fn header(&self) -> Result<Header, BuiltinError> {
        let text = text(self.header).map_err(|error| encoding("header", &error))?;
        let value = object(&text).map_err(|error| BuiltinError::failed(format!("bad JWT header: {error}")))?;
        let header = Header { value };
        if header.get("enc").is_some() {
            return Err(BuiltinError::failed("JWT is a JWE object, which is not supported"));
        }
        Ok(header)
    }

    pub(super) fn payload(&self) -> Result<String, BuiltinError> {
        text(self.payload).map_err(|error| encoding("payload", &error))
    }

    pub(super) fn signature(&self) -> Result<Vec<u8>, BuiltinError> {
        codes::base64url(self.signature)
    }
}

/// What a part with a bad encoding is called.
pub(super) fn encoding(part: &str, error: &BuiltinError) -> BuiltinError {
    BuiltinError::failed(format!("JWT {part} had invalid encoding: {error}"))
}

fn text(part: &str) -> Result<String, BuiltinError> {
    Ok(codes::text(&codes::base64url(part)?))
}

/// A JSON object; of members of one name the last counts.
pub(super) fn object(text: &str) -> Result<Value, BuiltinError> {
    let value = json::read(text).map_err(|error| match error {
        limit @ BuiltinError::Limit(_) => limit,
        other => BuiltinError::failed(format!("invalid JSON: {other}")),
    })?;
    match value {
        Value::Object(_) => Ok(value),
        _ => Err(BuiltinError::failed("decoded JSON type was not an Object")),
    }
}

/// A member of an object.
pub(super) fn member<'v>(object: &'v Value, name: &str) -> Option<&'v Value> {
    object.as_object().ok().and_then(|members| members.get(&Value::from(name)))
}

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
        let names: Vec<&str> = names.iter().map_while(|name| name.as_string().ok().map(AsRef::as_ref)).collect();
        if names.is_empty() {
            return Err(BuiltinError::failed("crit: must be a nonempty list"));
        }
        let known = ["alg", "kid", "typ", "cty", "crit"];
        Ok(names.into_iter().any(|name| !known.contains(&name) && self.get(name).is_some()))
    }
}
