//! `io.jwt.decode_verify`: signature and registered claims (RFC 7519, 4.1 and 7.2).

use crate::value::Value;

use super::constraints::Constraints;
use super::token::{self, Token, member};
use crate::builtins::error::Answer;
use crate::builtins::{BuiltinError, Context, operand};

/// `[true, header, payload]`, or `[false, {}, {}]`.
pub(super) fn decode_verify(context: &mut Context, operands: &[&Value]) -> Answer {
    let constraints = Constraints::parse(context, operand::object(operands, 1)?)?;
    Ok(Some(match signed(context, operands, &constraints)? {
        Some((header, payload)) if claims(&payload, &constraints)? => Value::array([Value::True, header, payload]),
        _ => Value::array([Value::False, Value::object([]), Value::object([])]),
    }))
}

/// Header and payload of the innermost token, if all signatures are good.
fn signed(context: &mut Context, operands: &[&Value], constraints: &Constraints) -> Result<Option<(Value, Value)>, BuiltinError> {
    let mut text = operand::string(operands, 0)?.to_string();
    loop {
        let token = Token::split(context, &text)?;
        let header = token.header(context)?;
        let fields = header.fields()?;
        if fields.alg.is_empty() || fields.unknown_critical {
            return Ok(None);
        }
        if !constraints.alg.is_empty() && constraints.alg != fields.alg {
            return Ok(None);
        }
        let signature = token.signature()?;
        if !constraints.verify(context, &fields, token.signed(), &signature)? {
            return Ok(None);
        }
        let payload = token.payload()?;
        if !fields.cty.eq_ignore_ascii_case("JWT") {
            return Ok(Some((header.value, token::object(context, &payload)?)));
        }
        // It is shorter: this comes to an end.
        text = payload;
    }
}

/// Whether issuer, audience and times are as required.
fn claims(payload: &Value, constraints: &Constraints) -> Result<bool, BuiltinError> {
    if !constraints.iss.is_empty() {
        match member(payload, "iss") {
            Some(Value::String(iss)) if iss.as_str() == constraints.iss => {}
            Some(Value::String(_)) | None => return Ok(false),
            Some(_) => return Err(BuiltinError::failed("iss value must be a string")),
        }
    }
    let audience = match member(payload, "aud") {
        Some(aud) => constraints.audience(aud),
        None => constraints.aud.is_empty(),
    };
    let seconds = Value::from_f64(constraints.time / 1e9).unwrap_or(Value::Null);
    let time = |name: &str, holds: fn(&Value, &Value) -> bool| match member(payload, name) {
        None => Ok(true),
        Some(at) if at.is_number() => Ok(holds(&seconds, at)),
        Some(_) => Err(BuiltinError::failed(format!("{name} value must be a number"))),
    };
    Ok(audience && time("exp", |now, exp| now < exp)? && time("nbf", |now, nbf| now >= nbf)?)
}
