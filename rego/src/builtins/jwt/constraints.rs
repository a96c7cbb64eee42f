//! What `io.jwt.decode_verify` is asked to hold a token to.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::value::Value;

use super::algorithm::{self, Algorithm};
use super::token::Fields;
use super::trusted::Trusted;
use crate::builtins::BuiltinError;
use crate::builtins::operand;

/// The constraints; empty where there are none.
#[derive(Debug, Default)]
pub(super) struct Constraints {
    keys: Option<Trusted>,
    secret: String,
    pub(super) alg: String,
    pub(super) iss: String,
    pub(super) aud: String,
    /// Nanoseconds.
    pub(super) time: f64,
}

impl Constraints {
    /// Reads the object that holds them.
    pub(super) fn parse(values: &[Value], place: usize) -> Result<Self, BuiltinError> {
        let Value::Object(members) = operand::any(values, place) else {
            return Err(operand::wrong(place, "object", operand::any(values, place)));
        };
        let mut constraints = Self::default();
        let mut time = None;
        for (name, value) in members.iter_sorted() {
            match name.as_string().map(AsRef::as_ref) {
                Ok("cert") => constraints.keys = Some(Trusted::parse(&text("cert", value)?)?),
                Ok("secret") => constraints.secret = text("secret", value)?,
                Ok("alg") => constraints.alg = text("alg", value)?,
                Ok("iss") => constraints.iss = text("iss", value)?,
                Ok("aud") => constraints.aud = text("aud", value)?,
                Ok("time") => time = Some(instant(value)?),
                Ok(other) => return Err(BuiltinError::failed(format!("unknown token validation constraint: {other}"))),
                Err(_) => return Err(BuiltinError::failed("unknown token validation constraint")),
            }
        }
        constraints.time = time.unwrap_or_else(now);
        constraints.one_key()
    }

    fn one_key(self) -> Result<Self, BuiltinError> {
        match (&self.keys, self.secret.is_empty()) {
            (Some(_), false) => Err(BuiltinError::failed("duplicate key constraints")),
            (None, true) => Err(BuiltinError::failed("no key constraint")),
            _ => Ok(self),
        }
    }

    /// Whether the signature is that of the key that is trusted.
    pub(super) fn verify(&self, header: &Fields, signed: &[u8], signature: &[u8]) -> Result<bool, BuiltinError> {
        // The name of RFC 9864 is known here, but not to keys.
        let name = if header.alg == "Ed25519" { "EdDSA" } else { header.alg.as_str() };
        let Some(algorithm) = Algorithm::named(name) else { return Ok(false) };
        match (&self.keys, algorithm) {
            (Some(keys), _) => Ok(keys.any(header, |key| algorithm.verify(key, signed, signature))),
            (None, Algorithm::Hs(hash)) => algorithm::verify_secret(hash, self.secret.as_bytes(), signed, signature),
            (None, _) => Ok(false),
        }
    }

    /// Whether the audience of a token is the one that is required.
    pub(super) fn audience(&self, aud: &Value) -> bool {
        let is = |value: &Value| value.as_string().is_ok_and(|text| **text == *self.aud);
        match aud {
            Value::Array(several) => several.iter().any(is),
            one => is(one),
        }
    }
}

fn text(name: &str, value: &Value) -> Result<String, BuiltinError> {
    value.as_string().map(ToString::to_string).map_err(|_| BuiltinError::failed(format!("{name} constraint: must be a string")))
}

fn instant(value: &Value) -> Result<f64, BuiltinError> {
    let number = value.as_number().map_err(|_| BuiltinError::failed("token time constraint: must be a number"))?;
    // The interpreter gives floating-point numbers only where that loses nothing; OPA gives the nearest.
    let time: f64 = number.format_decimal().parse().map_err(|_| BuiltinError::failed("token time constraint: unvalid float64"))?;
    if time < 0.0 {
        return Err(BuiltinError::failed("token time constraint: must not be negative"));
    }
    Ok(time)
}

#[allow(clippy::cast_precision_loss, reason = "OPA compares floating-point numbers of seconds")]
fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_nanos() as f64)
}
