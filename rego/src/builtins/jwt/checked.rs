//! `io.jwt.decode_verify`: signature and registered claims (RFC 7519, 4.1 and 7.2).

use crate::value::Value;

use super::MAX_NESTED;
use super::constraints::Constraints;
use super::token::{self, Token, member};
use crate::builtins::BuiltinError;
use crate::builtins::operand;

/// `[true, header, payload]`, or `[false, {}, {}]`.
pub(super) fn decode_verify(values: &[Value]) -> Result<Value, BuiltinError> {
    let constraints = Constraints::parse(values, 2)?;
    let verified = signed(values, &constraints)?;
    match verified {
        Some((header, payload)) if claims(&payload, &constraints)? => Ok(vec![Value::from(true), header, payload].into()),
        _ => Ok(vec![Value::from(false), Value::new_object(), Value::new_object()].into()),
    }
}

/// Header and payload of the innermost token, if all signatures are good.
fn signed(values: &[Value], constraints: &Constraints) -> Result<Option<(Value, Value)>, BuiltinError> {
    let mut text = operand::string(values, 1)?.to_owned();
    for _ in 0..MAX_NESTED {
        let token = Token::split(&text)?;
        let header = token.header()?;
        let fields = header.fields()?;
        if fields.alg.is_empty() || fields.unknown_critical {
            return Ok(None);
        }
        if !constraints.alg.is_empty() && constraints.alg != fields.alg {
            return Ok(None);
        }
        let signature = token.signature()?;
        if !constraints.verify(&fields, token.signed(), &signature)? {
            return Ok(None);
        }
        let payload = token.payload()?;
        if !fields.cty.eq_ignore_ascii_case("JWT") {
            return Ok(Some((header.value, token::object(&payload)?)));
        }
        text = payload;
    }
    Err(BuiltinError::Limit(format!("would decode more than {MAX_NESTED} nested tokens")))
}

/// Whether issuer, audience and times are as required.
fn claims(payload: &Value, constraints: &Constraints) -> Result<bool, BuiltinError> {
    if !constraints.iss.is_empty() {
        match member(payload, "iss") {
            Some(Value::String(iss)) if **iss == *constraints.iss => {}
            Some(Value::String(_)) | None => return Ok(false),
            Some(_) => return Err(BuiltinError::failed("iss value must be a string")),
        }
    }
    let audience = match member(payload, "aud") {
        Some(aud) => constraints.audience(aud),
        None => constraints.aud.is_empty(),
    };
    let seconds = Value::from(constraints.time / 1e9);
    let time = |name: &str, holds: fn(&Value, &Value) -> bool| match member(payload, name) {
        None => Ok(true),
        Some(at @ Value::Number(_)) => Ok(holds(&seconds, at)),
        Some(_) => Err(BuiltinError::failed(format!("{name} value must be a number"))),
    };
    Ok(audience && time("exp", |now, exp| now < exp)? && time("nbf", |now, nbf| now >= nbf)?)
}
