//! What `io.jwt.decode_verify` is asked to hold a token to.

use crate::value::{Object, Value};

use super::algorithm::{self, Algorithm};
use super::header::Fields;
use super::trusted::Trusted;
use crate::builtins::{BuiltinError, Context, bytes};

/// The constraints; empty where there are none.
#[derive(Debug, Default)]
pub(super) struct Constraints {
    keys: Option<Trusted>,
    secret: Vec<u8>,
    pub(super) alg: String,
    pub(super) iss: String,
    pub(super) aud: String,
    /// Nanoseconds.
    pub(super) time: f64,
}

impl Constraints {
    /// Reads the object that holds them.
    pub(super) fn parse(context: &mut Context, members: &Object) -> Result<Self, BuiltinError> {
        let mut constraints = Self::default();
        let mut time = None;
        for (name, value) in members.iter() {
            match name.as_str().map(|name| name.as_str()) {
                Some("cert") => constraints.keys = Some(Trusted::parse(context, text("cert", value)?)?),
                Some("secret") => constraints.secret = bytes::of(text("secret", value)?).into_owned(),
                Some("alg") => text("alg", value)?.clone_into(&mut constraints.alg),
                Some("iss") => text("iss", value)?.clone_into(&mut constraints.iss),
                Some("aud") => text("aud", value)?.clone_into(&mut constraints.aud),
                Some("time") => time = Some(instant(value)?),
                Some(other) => return Err(BuiltinError::failed(format!("unknown token validation constraint: {other}"))),
                None => return Err(BuiltinError::failed("unknown token validation constraint")),
            }
        }
        constraints.time = time.or_else(|| Value::Int(context.now_ns).as_f64()).unwrap_or_default();
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
    pub(super) fn verify(
        &self,
        context: &mut Context,
        header: &Fields,
        signed: &[u8],
        signature: &[u8],
    ) -> Result<bool, BuiltinError> {
        // The name of RFC 9864 is known here, but not to keys.
        let name = if header.alg == "Ed25519" { "EdDSA" } else { header.alg.as_str() };
        let Some(algorithm) = Algorithm::named(name) else { return Ok(false) };
        match (&self.keys, algorithm) {
            (Some(keys), _) => Ok(keys.any(context, header, |key| algorithm.verify(key, signed, signature))?),
            (None, Algorithm::Hs(hash)) => algorithm::verify_secret(hash, &self.secret, signed, signature),
            (None, _) => Ok(false),
        }
    }

    /// Whether the audience of a token is the one that is required.
    pub(super) fn audience(&self, aud: &Value) -> bool {
        let is = |value: &Value| value.as_str().is_some_and(|text| text.as_str() == self.aud);
        match aud {
            Value::Array(several) => several.items().iter().any(is),
            one => is(one),
        }
    }
}

fn text<'v>(name: &str, value: &'v Value) -> Result<&'v str, BuiltinError> {
    let text = value.as_str().map(|text| text.as_str());
    text.ok_or_else(|| BuiltinError::failed(format!("{name} constraint: must be a string")))
}

fn instant(value: &Value) -> Result<f64, BuiltinError> {
    let time = value.as_f64().ok_or_else(|| BuiltinError::failed("token time constraint: must be a number"))?;
    if time.is_infinite() {
        return Err(BuiltinError::failed("token time constraint: unvalid float64"));
    }
    if time < 0.0 {
        return Err(BuiltinError::failed("token time constraint: must not be negative"));
    }
    Ok(time)
}
