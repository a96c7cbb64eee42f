//! `io.jwt.encode_sign` and `io.jwt.encode_sign_raw`.

use crate::value::Value;
use ring::signature::{
    Ed25519KeyPair, RSA_PKCS1_SHA256, RSA_PKCS1_SHA384, RSA_PKCS1_SHA512, RSA_PSS_SHA256, RSA_PSS_SHA384, RSA_PSS_SHA512,
    RsaEncoding,
};

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};

use super::algorithm::{self, Algorithm};
use crate::builtins::BuiltinError;
use crate::builtins::keys::jwk::{self, Material};
use crate::builtins::keys::{Hash, PrivateKey};
use crate::builtins::{encoding, json, operand};

/// Signs header and payload, given as values, with a key, given as a value.
pub(super) fn encode_sign(values: &[Value]) -> Result<Value, BuiltinError> {
    let text = |place| json::compact(operand::any(values, place));
    sign(&text(1)?, &text(2)?, &text(3)?)
}

/// Signs header and payload, given as JSON texts, with a key, given as JSON text.
pub(super) fn encode_sign_raw(values: &[Value]) -> Result<Value, BuiltinError> {
    let key = operand::string(values, 3)?;
    sign(operand::string(values, 1)?, operand::string(values, 2)?, key)
}

fn sign(header: &str, payload: &str, keys: &str) -> Result<Value, BuiltinError> {
    let keys = jwk::parse(keys)?;
    let key = keys.first().ok_or_else(|| BuiltinError::failed("no keys found in JWK set"))?;
    let algorithm = algorithm(header)?;
    if says_jwt(header) && serde_json::from_str::<serde::de::IgnoredAny>(payload).is_err() {
        return Err(BuiltinError::failed("type is JWT but payload is not JSON"));
    }
    let signed = [header, payload].map(|part| encoding::to_base64url(part.as_bytes())).join(".");
    let signature = signature(algorithm, &key.key, signed.as_bytes())?;
    Ok(Value::from(format!("{signed}.{}", encoding::to_base64url(&signature))))
}

/// A member of the header that must be a text, of equal names the first; why there is none, in the words of OPA's library.
fn header_text(header: &str, name: &str) -> Result<String, String> {
    let parsed: serde_json::Value = serde_json::from_str(header).map_err(|error| format!("cannot parse JSON: {error}"))?;
    let members = if parsed.is_object() { serde_json::from_str(header).unwrap_or_default() } else { Members::default() };
    let member = members.0.into_iter().find_map(|(found, member)| (found == name).then_some(member));
    let member = member.ok_or_else(|| format!("jwsbb: header \"{name}\" not found"))?;
    member.as_str().map(str::to_owned).ok_or_else(|| format!("jwsbb: header \"{name}\" is no string"))
}

/// All members of an object, also those of equal names.
#[derive(Default)]
struct Members(Vec<(String, serde_json::Value)>);

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Self::default())
    }
}

impl<'de> Visitor<'de> for Members {
    type Value = Self;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut members: A) -> Result<Self, A::Error> {
        while let Some(member) = members.next_entry()? {
            self.0.push(member);
        }
        Ok(self)
    }
}

fn algorithm(header: &str) -> Result<Algorithm, BuiltinError> {
    let missing = |why| BuiltinError::failed(format!("missing or invalid 'alg' header: {why}"));
    let name = header_text(header, "alg").map_err(missing)?;
    Algorithm::named(&name).ok_or_else(|| BuiltinError::failed(format!("unknown JWS algorithm: {name}")))
}

fn says_jwt(header: &str) -> bool {
    !header_text(header, "typ").is_ok_and(|typ| typ != "JWT")
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
