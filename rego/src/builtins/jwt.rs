//! JSON web tokens (RFC 7519; `v1/topdown/tokens.go`).

use super::crypto::hash;
use super::crypto::keys::Hash;
use super::error::Answer;
use super::signature::Type;
use super::table::{Builtin, Dependence, row};
use super::{BuiltinError, Context, bytes, operand};
use crate::value::Value;

mod algorithm;
mod checked;
mod constraints;
mod fastjson;
mod header;
mod sign;
mod token;
mod trusted;
mod unescape;

use algorithm::Algorithm;
use token::Token;
use trusted::Trusted;

/// One row each, in the order of their names.
pub(super) const ROWS: &[Builtin] = &[
    row(
        "io.jwt.decode",
        &[Type::String],
        Some(Type::Tuple(&[Type::Object(&Type::Any, &Type::Any), Type::Object(&Type::Any, &Type::Any), Type::String])),
    )
    .by(decode),
    row(
        "io.jwt.decode_verify",
        &[Type::String, Type::Object(&Type::String, &Type::Any)],
        Some(Type::Tuple(&[Type::Boolean, Type::Object(&Type::Any, &Type::Any), Type::Object(&Type::Any, &Type::Any)])),
    )
    .depends(Dependence::Clock)
    .nondeterministic()
    .by(checked::decode_verify),
    row(
        "io.jwt.encode_sign",
        &[
            Type::Object(&Type::String, &Type::Any),
            Type::Object(&Type::String, &Type::Any),
            Type::Object(&Type::String, &Type::Any),
        ],
        Some(Type::String),
    )
    .depends(Dependence::Random)
    .nondeterministic()
    .by(sign::encode_sign),
    row("io.jwt.encode_sign_raw", &[Type::String, Type::String, Type::String], Some(Type::String))
        .depends(Dependence::Random)
        .nondeterministic()
        .by(sign::encode_sign_raw),
    row("io.jwt.verify_eddsa", &[Type::String, Type::String], Some(Type::Boolean)).by(|c, o| verify(c, o, Algorithm::EdDsa)),
    row("io.jwt.verify_es256", &[Type::String, Type::String], Some(Type::Boolean))
        .by(|c, o| verify(c, o, Algorithm::Es(Hash::Sha256))),
    row("io.jwt.verify_es384", &[Type::String, Type::String], Some(Type::Boolean))
        .by(|c, o| verify(c, o, Algorithm::Es(Hash::Sha384))),
    row("io.jwt.verify_es512", &[Type::String, Type::String], Some(Type::Boolean))
        .by(|c, o| verify(c, o, Algorithm::Es(Hash::Sha512))),
    row("io.jwt.verify_hs256", &[Type::String, Type::String], Some(Type::Boolean)).by(|c, o| verify_secret(c, o, Hash::Sha256)),
    row("io.jwt.verify_hs384", &[Type::String, Type::String], Some(Type::Boolean)).by(|c, o| verify_secret(c, o, Hash::Sha384)),
    row("io.jwt.verify_hs512", &[Type::String, Type::String], Some(Type::Boolean)).by(|c, o| verify_secret(c, o, Hash::Sha512)),
    row("io.jwt.verify_ps256", &[Type::String, Type::String], Some(Type::Boolean))
        .by(|c, o| verify(c, o, Algorithm::Ps(Hash::Sha256))),
    row("io.jwt.verify_ps384", &[Type::String, Type::String], Some(Type::Boolean))
        .by(|c, o| verify(c, o, Algorithm::Ps(Hash::Sha384))),
    row("io.jwt.verify_ps512", &[Type::String, Type::String], Some(Type::Boolean))
        .by(|c, o| verify(c, o, Algorithm::Ps(Hash::Sha512))),
    row("io.jwt.verify_rs256", &[Type::String, Type::String], Some(Type::Boolean))
        .by(|c, o| verify(c, o, Algorithm::Rs(Hash::Sha256))),
    row("io.jwt.verify_rs384", &[Type::String, Type::String], Some(Type::Boolean))
        .by(|c, o| verify(c, o, Algorithm::Rs(Hash::Sha384))),
    row("io.jwt.verify_rs512", &[Type::String, Type::String], Some(Type::Boolean))
        .by(|c, o| verify(c, o, Algorithm::Rs(Hash::Sha512))),
];

/// Header, payload and signature, of the innermost token; nothing is verified.
fn decode(context: &mut Context, operands: &[&Value]) -> Answer {
    let mut text = operand::string(operands, 0)?.to_string();
    loop {
        let token = Token::split(context, &text)?;
        let header = token.header(context)?;
        let payload = token.payload()?;
        match header.get("cty") {
            Some(Value::String(cty)) if cty == "JWT" => {
                // A token inside a token may be quoted. It is shorter: this comes to an end.
                text = payload.trim_matches(['"', '\'']).to_owned();
                continue;
            }
            Some(Value::String(_)) | None => {}
            Some(_) => return Err(BuiltinError::failed("cty: must be a string")),
        }
        let payload = token::object(context, &payload)?;
        let signature = token.signature().map_err(|error| token::encoding("signature", &error))?;
        return Ok(Some(Value::array([header.value, payload, hash::hex(&signature)])));
    }
}

/// Whether a key that is trusted signed the token.
fn verify(context: &mut Context, operands: &[&Value], algorithm: Algorithm) -> Answer {
    let token = Token::split(context, operand::string(operands, 0)?)?;
    let keys = Trusted::parse(context, operand::string(operands, 1)?)?;
    let signature = token.signature()?;
    let header = token.header(context)?.fields()?;
    let verified = keys.any(context, &header, |key| algorithm.verify_public(key, token.signed(), &signature))?;
    Ok(Some(Value::from(verified)))
}

fn verify_secret(context: &mut Context, operands: &[&Value], hash: Hash) -> Answer {
    let (text, secret) = (operand::string(operands, 0)?, operand::string(operands, 1)?);
    let token = Token::split(context, text)?;
    context.account.charge(secret.len())?;
    let signature = token.signature()?;
    let verified = algorithm::verify_secret(hash, &bytes::of(secret), token.signed(), &signature)?;
    Ok(Some(Value::from(verified)))
}
