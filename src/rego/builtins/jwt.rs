//! `io.jwt.*`: tokens of RFC 7519 (OPA: `v1/topdown/tokens.go`).

use regorus::Value;

use super::error::BuiltinError;
use super::keys::Hash;
use super::{Builtin, operand};

mod algorithm;
mod checked;
mod constraints;
mod sign;
mod token;
mod trusted;

use algorithm::Algorithm;
use token::Token;
use trusted::Trusted;

pub(super) const BUILTINS: &[Builtin] = &[
    Builtin { name: "io.jwt.decode", operands: 1, call: decode },
    Builtin { name: "io.jwt.decode_verify", operands: 2, call: checked::decode_verify },
    Builtin { name: "io.jwt.encode_sign", operands: 3, call: sign::encode_sign },
    Builtin { name: "io.jwt.encode_sign_raw", operands: 3, call: sign::encode_sign_raw },
    Builtin { name: "io.jwt.verify_eddsa", operands: 2, call: |v| verify(v, Algorithm::EdDsa) },
    Builtin { name: "io.jwt.verify_es256", operands: 2, call: |v| verify(v, Algorithm::Es(Hash::Sha256)) },
    Builtin { name: "io.jwt.verify_es384", operands: 2, call: |v| verify(v, Algorithm::Es(Hash::Sha384)) },
    Builtin { name: "io.jwt.verify_es512", operands: 2, call: |v| verify(v, Algorithm::Es(Hash::Sha512)) },
    Builtin { name: "io.jwt.verify_hs256", operands: 2, call: |v| verify_secret(v, Hash::Sha256) },
    Builtin { name: "io.jwt.verify_hs384", operands: 2, call: |v| verify_secret(v, Hash::Sha384) },
    Builtin { name: "io.jwt.verify_hs512", operands: 2, call: |v| verify_secret(v, Hash::Sha512) },
    Builtin { name: "io.jwt.verify_ps256", operands: 2, call: |v| verify(v, Algorithm::Ps(Hash::Sha256)) },
    Builtin { name: "io.jwt.verify_ps384", operands: 2, call: |v| verify(v, Algorithm::Ps(Hash::Sha384)) },
    Builtin { name: "io.jwt.verify_ps512", operands: 2, call: |v| verify(v, Algorithm::Ps(Hash::Sha512)) },
    Builtin { name: "io.jwt.verify_rs256", operands: 2, call: |v| verify(v, Algorithm::Rs(Hash::Sha256)) },
    Builtin { name: "io.jwt.verify_rs384", operands: 2, call: |v| verify(v, Algorithm::Rs(Hash::Sha384)) },
    Builtin { name: "io.jwt.verify_rs512", operands: 2, call: |v| verify(v, Algorithm::Rs(Hash::Sha512)) },
];

/// Tokens inside tokens.
const MAX_NESTED: usize = 32;

/// Header, payload and signature, of the innermost token; nothing is verified.
fn decode(values: &[Value]) -> Result<Value, BuiltinError> {
    let mut text = operand::string(values, 1)?.to_owned();
    for _ in 0..MAX_NESTED {
        let token = Token::split(&text)?;
        let header = token.header()?;
        let payload = token.payload()?;
        let nested = match header.get("cty") {
            Some(Value::String(cty)) => cty.as_ref() == "JWT",
            Some(_) => return Err(BuiltinError::other("cty: must be a string")),
            None => false,
        };
        if nested {
            text = payload.trim_matches(['"', '\'']).to_owned();
            continue;
        }
        let payload = token::object(&payload)?;
        let signature = token.signature().map_err(|error| token::encoding("signature", &error))?;
        return Ok(vec![header.value, payload, Value::from(super::hashes::hex(&signature))].into());
    }
    Err(BuiltinError::Limit(format!("would decode more than {MAX_NESTED} nested tokens")))
}

/// Whether a key that is trusted signed the token.
fn verify(values: &[Value], algorithm: Algorithm) -> Result<Value, BuiltinError> {
    let token = Token::split(operand::string(values, 1)?)?;
    let keys = Trusted::parse(operand::string(values, 2)?)?;
    let signature = token.signature()?;
    let header = token.header()?.fields()?;
    let check = |key: &trusted::Key| algorithm.verify_public(key, token.signed(), &signature);
    Ok(Value::from(keys.any(&header, check)))
}

fn verify_secret(values: &[Value], hash: Hash) -> Result<Value, BuiltinError> {
    let (text, secret) = (operand::string(values, 1)?, operand::string(values, 2)?);
    let token = Token::split(text)?;
    let signature = token.signature()?;
    Ok(Value::from(algorithm::verify_secret(hash, secret.as_bytes(), token.signed(), &signature)?))
}
