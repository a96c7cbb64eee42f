//! JSON web keys and sets of them (RFC 7517), as OPA's library reads them: one bad key spoils a set.

use super::elliptic::Curve;
use super::{EcPrivate, EcPublic, LONGEST, PrivateKey, PublicKey, RsaPrivate, RsaPublic, significant};
use crate::builtins::crypto::json::NotJson;
use crate::builtins::crypto::{base64, json};
use crate::builtins::{BuiltinError, Context};
use crate::value::{Object, Value};

/// Keys of one set.
const MAX_KEYS: usize = 1000;

/// A key of a set.
#[derive(Clone, Debug)]
pub(in crate::builtins) struct Jwk {
    pub(in crate::builtins) alg: String,
    pub(in crate::builtins) kid: String,
    pub(in crate::builtins) key: Material,
}

/// What a key is.
#[derive(Clone, Debug)]
pub(in crate::builtins) enum Material {
    Public(PublicKey),
    Private(PrivateKey, PublicKey),
    Secret(Vec<u8>),
}

/// Why a key is not read, in the words of OPA's library.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
enum JwkError {
    /// No JSON.
    #[error(transparent)]
    Json(#[from] NotJson),
    /// More keys than a set has.
    #[error("too many keys in \"keys\" array: max {MAX_KEYS}")]
    TooMany,
    /// `keys` that are no array.
    #[error("failed to decode \"keys\": expected '['")]
    NoArray,
    /// What is wrong with a key that is not in a set.
    #[error("failed to parse sole key: {0}")]
    Sole(Box<JwkError>),
    /// A list or a scalar.
    #[error("key is no object")]
    NoObject,
    /// A key without `kty`.
    #[error("key has no type (kty)")]
    NoType,
    /// A `kty` that is not known.
    #[error("unknown key type {0}")]
    UnknownType(String),
    /// An empty secret.
    #[error("key validation failed: jwk.SymmetricKey: missing \"k\" field")]
    NoSecret,
    /// An `alg` that is not known.
    #[error("failed to decode value for key alg: invalid algorithm {0}")]
    UnknownAlgorithm(String),
    /// A field that is not there.
    #[error("required field {0} is missing")]
    Missing(&'static str),
    /// A field that holds something else than a text.
    #[error("failed to decode value for key {0}: no string")]
    NoText(&'static str),
    /// A field that is no base64.
    #[error("failed to decode value for key {field}: {why}")]
    Base64 {
        /// The field.
        field: &'static str,
        /// What is wrong with it.
        why: BuiltinError,
    },
    /// A number of more bytes than any key has.
    #[error("failed to decode value for key {0}: too long")]
    TooLong(&'static str),
    /// A curve that is not known.
    #[error("invalid curve algorithm {0}")]
    UnknownCurve(String),
    /// A curve of octet keys that is not known, or a key of another length than it has.
    #[error("invalid curve {0}")]
    OctetCurve(String),
    /// Coordinates of no point of the curve.
    #[error("point is not on the curve")]
    OffCurve,
}

/// Reads a key or a set of keys.
pub(in crate::builtins) fn parse(context: &mut Context, text: &str) -> Result<Vec<Jwk>, BuiltinError> {
    let failed = |why: JwkError| BuiltinError::failed(format!("jwk.Parse: {why}"));
    let json = json::read(context, text)?.map_err(|why| failed(why.into()))?;
    match json.as_object().and_then(|members| members.member("keys")) {
        Some(Value::Array(keys)) if keys.items().len() <= MAX_KEYS => {
            keys.items().iter().map(|json| key(json).map_err(failed)).collect()
        }
        Some(Value::Array(_)) => Err(failed(JwkError::TooMany)),
        Some(_) => Err(failed(JwkError::NoArray)),
        None => Ok(vec![key(&json).map_err(|why| failed(JwkError::Sole(why.into())))?]),
    }
}

fn key(json: &Value) -> Result<Jwk, JwkError> {
    let members = Members(json.as_object().ok_or(JwkError::NoObject)?);
    let key = match members.text("kty")? {
        Some("RSA") => rsa(&members)?,
        Some("EC") => elliptic(&members)?,
        Some("OKP") => octets(&members)?,
        Some("oct") => match members.bytes("k")? {
            empty if empty.is_empty() => return Err(JwkError::NoSecret),
            secret => Material::Secret(secret),
        },
        Some(other) => return Err(JwkError::UnknownType(other.into())),
        None => return Err(JwkError::NoType),
    };
    let alg = members.text("alg")?.unwrap_or_default().to_owned();
    if !alg.is_empty() && !is_algorithm(&alg) {
        return Err(JwkError::UnknownAlgorithm(alg));
    }
    Ok(Jwk { alg, kid: members.text("kid")?.unwrap_or_default().to_owned(), key })
}

/// The names of RFC 7518, 8037 and 9864.
fn is_algorithm(name: &str) -> bool {
    const KEY_ENCRYPTION: &[&str] = &["RSA1_5", "RSA-OAEP", "RSA-OAEP-256", "RSA-OAEP-384", "RSA-OAEP-512", "dir", "ECDH-ES"];
    const SIGNATURE: &[&str] = &["none", "EdDSA", "Ed25519", "Ed448", "ES256K"];
    let numbered = |prefix: &str, sizes: &[&str]| name.strip_prefix(prefix).is_some_and(|size| sizes.contains(&size));
    KEY_ENCRYPTION.contains(&name)
        || SIGNATURE.contains(&name)
        || ["HS", "RS", "PS", "ES"].iter().any(|family| numbered(family, &["256", "384", "512"]))
        || numbered("A", &["128KW", "192KW", "256KW", "128GCMKW", "192GCMKW", "256GCMKW"])
        || numbered("ECDH-ES+A", &["128KW", "192KW", "256KW"])
        || matches!(name, "PBES2-HS256+A128KW" | "PBES2-HS384+A192KW" | "PBES2-HS512+A256KW")
}

struct Members<'j>(&'j Object);

impl<'j> Members<'j> {
    fn text(&self, name: &'static str) -> Result<Option<&'j str>, JwkError> {
        match self.0.member(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(JwkError::NoText(name)),
        }
    }

    fn bytes(&self, name: &'static str) -> Result<Vec<u8>, JwkError> {
        let text = self.text(name)?.ok_or(JwkError::Missing(name))?;
        base64::decode_any(text).map_err(|why| JwkError::Base64 { field: name, why })
    }

    fn number(&self, name: &'static str) -> Result<Vec<u8>, JwkError> {
        let number = significant(&self.bytes(name)?).to_vec();
        if number.len() > LONGEST { Err(JwkError::TooLong(name)) } else { Ok(number) }
    }

    fn is_private(&self) -> bool {
        self.0.member("d").is_some()
    }
}

fn rsa(members: &Members<'_>) -> Result<Material, JwkError> {
    let public = RsaPublic { n: members.number("n")?, e: members.number("e")? };
    if !members.is_private() {
        return Ok(Material::Public(PublicKey::Rsa(public)));
    }
    let (d, p, q) = (members.number("d")?, members.number("p")?, members.number("q")?);
    let private = RsaPrivate { public: public.clone(), d, p, q };
    Ok(Material::Private(PrivateKey::Rsa(private), PublicKey::Rsa(public)))
}

fn elliptic(members: &Members<'_>) -> Result<Material, JwkError> {
    let name = members.text("crv")?.ok_or(JwkError::Missing("crv"))?;
    let curve = Curve::named(name).ok_or_else(|| JwkError::UnknownCurve(name.into()))?;
    let (x, y) = (members.number("x")?, members.number("y")?);
    let public = PublicKey::Ec(EcPublic::of(curve, &x, &y).ok_or(JwkError::OffCurve)?);
    if !members.is_private() {
        return Ok(Material::Public(public));
    }
    let private = EcPrivate { curve, secret: members.number("d")? };
    Ok(Material::Private(PrivateKey::Ec(private), public))
}

fn octets(members: &Members<'_>) -> Result<Material, JwkError> {
    let curve = members.text("crv")?.ok_or(JwkError::Missing("crv"))?;
    let x = members.bytes("x")?;
    if curve != "Ed25519" || x.len() != 32 {
        return if curve == "X25519" { Ok(Material::Public(PublicKey::Other)) } else { Err(JwkError::OctetCurve(curve.into())) };
    }
    let public = PublicKey::Ed25519(x);
    if !members.is_private() {
        return Ok(Material::Public(public));
    }
    Ok(Material::Private(PrivateKey::Ed25519(members.bytes("d")?), public))
}
