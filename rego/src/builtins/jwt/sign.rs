//! `io.jwt.encode_sign` and `io.jwt.encode_sign_raw`.

use crate::value::Value;
use ring::signature::{
    Ed25519KeyPair, RSA_PKCS1_SHA256, RSA_PKCS1_SHA384, RSA_PKCS1_SHA512, RSA_PSS_SHA256, RSA_PSS_SHA384, RSA_PSS_SHA512,
    RsaEncoding,
};

use super::algorithm::{self, Algorithm};
use super::fastjson::{Kind, Members, ParseError};
use super::unescape::unescape;
use crate::builtins::BuiltinError;
use crate::builtins::crypto::keys::jwk::{self, Material};
use crate::builtins::crypto::keys::{Hash, PrivateKey, SIGNATURE_STEPS};
use crate::builtins::crypto::{base64, json};
use crate::builtins::encoding::json::is_json;
use crate::builtins::error::Answer;
use crate::builtins::{Context, bytes, operand};

/// Signs header and payload, given as values, with a key, given as a value.
pub(super) fn encode_sign(context: &mut Context, operands: &[&Value]) -> Answer {
    let (header, payload) = (operand::at(operands, 0)?, operand::at(operands, 1)?);
    let (header, payload) = (json::write(context, header)?, json::write(context, payload)?);
    let key = json::write(context, operand::at(operands, 2)?)?;
    sign(context, &header, &payload, &key)
}

/// Signs header and payload, given as JSON texts, with a key, given as JSON text.
pub(super) fn encode_sign_raw(context: &mut Context, operands: &[&Value]) -> Answer {
    let key = operand::string(operands, 2)?;
    sign(context, operand::string(operands, 0)?, operand::string(operands, 1)?, key)
}

fn sign(context: &mut Context, header: &str, payload: &str, keys: &str) -> Answer {
    let keys = jwk::parse(context, keys)?;
    let key = keys.first().ok_or_else(|| BuiltinError::failed("no keys found in JWK set"))?;
    context.account.charge(header.len().saturating_mul(8))?;
    let members = Members::parse(header);
    let algorithm = algorithm(&members)?;
    let jwt = header_text(&members, "typ").map_or(true, |typ| typ == "JWT");
    if jwt && !is_json(payload) {
        return Err(BuiltinError::failed("type is JWT but payload is not JSON"));
    }
    context.account.charge(payload.len().saturating_add(header.len()).saturating_mul(3))?;
    context.account.step(SIGNATURE_STEPS)?;
    let signed = [header, payload].map(|part| base64::encode_url(&bytes::of(part))).join(".");
    let signature = signature(algorithm, &key.key, signed.as_bytes())?;
    Ok(Some(Value::from(format!("{signed}.{}", base64::encode_url(&signature)))))
}

/// Why a member of the header is no text, in the words of OPA's library.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
enum HeaderError {
    /// The header cannot be read.
    #[error(transparent)]
    Unreadable(#[from] ParseError),
    /// A value of another kind.
    #[error("value doesn't contain string; it contains {0}")]
    NoText(&'static str),
    /// Not there.
    #[error("jwsbb: header \"{0}\" not found")]
    Missing(&'static str),
}

/// Returns a member of the header. Fails where it is no text.
fn header_text(header: &Result<Members<'_>, ParseError>, name: &'static str) -> Result<String, HeaderError> {
    match header.as_ref().map_err(ParseError::clone)?.get(name) {
        Some(Kind::String(text)) => Ok(unescape(text)),
        Some(other) => Err(HeaderError::NoText(other.name())),
        None => Err(HeaderError::Missing(name)),
    }
}

fn algorithm(header: &Result<Members<'_>, ParseError>) -> Result<Algorithm, BuiltinError> {
    let missing = |why: HeaderError| BuiltinError::failed(format!("missing or invalid 'alg' header: {why}"));
    let name = header_text(header, "alg").map_err(missing)?;
    Algorithm::named(&name).ok_or_else(|| BuiltinError::failed(format!("unknown JWS algorithm: {name}")))
}

fn signature(algorithm: Algorithm, key: &Material, message: &[u8]) -> Result<Vec<u8>, BuiltinError> {
    let made = match (algorithm, key) {
        (Algorithm::Hs(hash), Material::Secret(secret)) => Some(algorithm::code(hash, secret, message)?),
        (Algorithm::Rs(hash), Material::Private(PrivateKey::Rsa(key), _)) => key.sign(pkcs1(hash), message),
        (Algorithm::Ps(hash), Material::Private(PrivateKey::Rsa(key), _)) => key.sign(pss(hash), message),
        (Algorithm::Es(hash), Material::Private(PrivateKey::Ec(key), _)) => key.sign(&hash.digest(message)),
        (Algorithm::EdDsa, Material::Private(PrivateKey::Ed25519(seed), _)) => {
            Ed25519KeyPair::from_seed_unchecked(seed).ok().map(|key| key.sign(message).as_ref().to_vec())
        }
        _ => return Err(BuiltinError::failed("jwsbb.Sign: invalid key type for the algorithm")),
    };
    made.ok_or_else(|| BuiltinError::failed("jwsbb.Sign: the key cannot sign"))
}

fn pkcs1(hash: Hash) -> &'static dyn RsaEncoding {
    match hash {
        Hash::Sha256 => &RSA_PKCS1_SHA256,
        Hash::Sha384 => &RSA_PKCS1_SHA384,
        Hash::Sha512 => &RSA_PKCS1_SHA512,
    }
}

fn pss(hash: Hash) -> &'static dyn RsaEncoding {
    match hash {
        Hash::Sha256 => &RSA_PSS_SHA256,
        Hash::Sha384 => &RSA_PSS_SHA384,
        Hash::Sha512 => &RSA_PSS_SHA512,
    }
}
