//! A token in its three parts.

use crate::value::Value;

use super::header::Header;
use crate::builtins::crypto::{base64, json};
use crate::builtins::{BuiltinError, Context};

/// The parts as written, and what is signed: the first two with their dot.
#[derive(Debug)]
pub(super) struct Token<'t> {
    header: &'t str,
    payload: &'t str,
    signature: &'t str,
    signed: &'t str,
}

impl<'t> Token<'t> {
    pub(super) fn split(context: &mut Context, text: &'t str) -> Result<Self, BuiltinError> {
        // It is read and decoded, and some of it hashed.
        context.account.charge(text.len().saturating_mul(4))?;
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

    pub(super) fn header(&self, context: &mut Context) -> Result<Header, BuiltinError> {
        let text = text(self.header).map_err(|error| encoding("header", &error))?;
        let value = object(context, &text)
            .map_err(|error| if error.is_halt() { error } else { BuiltinError::failed(format!("bad JWT header: {error}")) })?;
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
        base64::decode_url(self.signature)
    }
}

/// What a part with a bad encoding is called.
pub(super) fn encoding(part: &str, error: &BuiltinError) -> BuiltinError {
    BuiltinError::failed(format!("JWT {part} had invalid encoding: {error}"))
}

fn text(part: &str) -> Result<String, BuiltinError> {
    Ok(base64::text(&base64::decode_url(part)?))
}

/// A JSON object; of members of one name the last counts.
pub(super) fn object(context: &mut Context, text: &str) -> Result<Value, BuiltinError> {
    let value = json::read(context, text)?.map_err(|error| BuiltinError::failed(format!("invalid JSON: {error}")))?;
    match value {
        Value::Object(_) => Ok(value),
        _ => Err(BuiltinError::failed("decoded JSON type was not an Object")),
    }
}

/// A member of an object.
pub(super) fn member<'v>(object: &'v Value, name: &str) -> Option<&'v Value> {
    object.as_object().and_then(|members| members.member(name))
}
