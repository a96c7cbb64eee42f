//! JSON web keys and sets of them (RFC 7517), as OPA's library reads them: one bad key spoils a set.

use super::elliptic::Curve;
use super::{EcPrivate, EcPublic, LONGEST, PrivateKey, PublicKey, RsaPrivate, RsaPublic, significant};
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

/// Reads a key or a set of keys.
pub(in crate::builtins) fn parse(context: &mut Context, text: &str) -> Result<Vec<Jwk>, BuiltinError> {
    let failed = |why: String| BuiltinError::failed(format!("jwk.Parse: {why}"));
    let json = json::read(context, text)?.map_err(failed)?;
    match json.as_object().and_then(|members| members.member("keys")) {
        Some(Value::Array(keys)) if keys.items().len() <= MAX_KEYS => {
            keys.items().iter().map(|json| key(json).map_err(failed)).collect()
        }
        Some(Value::Array(_)) => Err(failed(format!("too many keys in \"keys\" array: max {MAX_KEYS}"))),
        Some(_) => Err(failed("failed to decode \"keys\": expected '['".to_owned())),
        None => Ok(vec![key(&json).map_err(|why| failed(format!("failed to parse sole key: {why}")))?]),
    }
}

fn key(json: &Value) -> Result<Jwk, String> {
    let members = Members(json.as_object().ok_or("key is no object")?);
    let key = match members.text("kty")? {
        Some("RSA") => rsa(&members)?,
        Some("EC") => elliptic(&members)?,
        Some("OKP") => octets(&members)?,
        Some("oct") => match members.bytes("k")? {
            empty if empty.is_empty() => return Err("key validation failed: jwk.SymmetricKey: missing \"k\" field".to_owned()),
            secret => Material::Secret(secret),
        },
        Some(other) => return Err(format!("unknown key type {other}")),
        None => return Err("key has no type (kty)".to_owned()),
    };
    let alg = members.text("alg")?.unwrap_or_default().to_owned();
    if !alg.is_empty() && !is_algorithm(&alg) {
        return Err(format!("failed to decode value for key alg: invalid algorithm {alg}"));
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
    fn text(&self, name: &str) -> Result<Option<&'j str>, String> {
        match self.0.member(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(format!("failed to decode value for key {name}: no string")),
        }
    }

    fn bytes(&self, name: &str) -> Result<Vec<u8>, String> {
        let text = self.text(name)?.ok_or_else(|| format!("required field {name} is missing"))?;
        base64::decode_any(text).map_err(|error| format!("failed to decode value for key {name}: {error}"))
    }

    fn number(&self, name: &str) -> Result<Vec<u8>, String> {
        let number = significant(&self.bytes(name)?).to_vec();
        if number.len() > LONGEST { Err(format!("failed to decode value for key {name}: too long")) } else { Ok(number) }
    }

    fn is_private(&self) -> bool {
        self.0.member("d").is_some()
    }
}

fn rsa(members: &Members<'_>) -> Result<Material, String> {
    let public = RsaPublic { n: members.number("n")?, e: members.number("e")? };
    if !members.is_private() {
        return Ok(Material::Public(PublicKey::Rsa(public)));
    }
    let (d, p, q) = (members.number("d")?, members.number("p")?, members.number("q")?);
    let private = RsaPrivate { public: public.clone(), d, p, q };
    Ok(Material::Private(PrivateKey::Rsa(private), PublicKey::Rsa(public)))
}

fn elliptic(members: &Members<'_>) -> Result<Material, String> {
    let name = members.text("crv")?.ok_or("required field crv is missing")?;
    let curve = Curve::named(name).ok_or_else(|| format!("invalid curve algorithm {name}"))?;
    let (x, y) = (members.number("x")?, members.number("y")?);
    let public = PublicKey::Ec(EcPublic::of(curve, &x, &y).ok_or("point is not on the curve")?);
    if !members.is_private() {
        return Ok(Material::Public(public));
    }
    let private = EcPrivate { curve, secret: members.number("d")? };
    Ok(Material::Private(PrivateKey::Ec(private), public))
}

fn octets(members: &Members<'_>) -> Result<Material, String> {
    let curve = members.text("crv")?.ok_or("required field crv is missing")?;
    let x = members.bytes("x")?;
    if curve != "Ed25519" || x.len() != 32 {
        return if curve == "X25519" { Ok(Material::Public(PublicKey::Other)) } else { Err(format!("invalid curve {curve}")) };
    }
    let public = PublicKey::Ed25519(x);
    if !members.is_private() {
        return Ok(Material::Public(public));
    }
    Ok(Material::Private(PrivateKey::Ed25519(members.bytes("d")?), public))
}
