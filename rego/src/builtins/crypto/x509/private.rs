//! Private keys: `crypto.parse_private_keys`, `crypto.x509.parse_rsa_private_key`.

use std::borrow::Cow;

use crate::value::Value;
use rsa::pkcs8::PrivateKeyInfo;
use x509_parser::asn1_rs::{FromDer, Integer, OctetString, Oid, OptTaggedExplicit, Sequence};

use super::show;
use crate::builtins::BuiltinError;
use crate::builtins::crypto::keys::spki::ED25519;
use crate::builtins::crypto::keys::{
    Curve, EcPrivate, EcPublic, LONGEST, PrivateKey, RsaPrivate, RsaPublic, SIGNATURE_STEPS, padded, significant,
};
use crate::builtins::crypto::{base64, pem};
use crate::builtins::error::Answer;
use crate::builtins::{Context, operand};

fn malformed(what: &str) -> BuiltinError {
    BuiltinError::failed(format!("x509: failed to parse private key: {what}"))
}

/// All keys of the text, in the form of Go's structures.
pub(in crate::builtins::crypto) fn parse_private_keys(context: &mut Context, operands: &[&Value]) -> Answer {
    let text = operand::string(operands, 0)?;
    if text.is_empty() {
        return Ok(Some(Value::Null));
    }
    let keys = keys(context, text)?;
    Ok(Some(Value::array(keys.iter().map(shown).collect::<Result<Vec<_>, _>>()?)))
}

/// The first key of the text as a JSON web key.
pub(in crate::builtins::crypto) fn parse_as_jwk(context: &mut Context, operands: &[&Value]) -> Answer {
    let text = operand::string(operands, 0)?;
    if text.is_empty() {
        return Err(BuiltinError::failed("input PEM data was empty"));
    }
    let text = if text.starts_with("-----BEGIN") { Cow::from(text.as_str()) } else { decoded(text)?.into() };
    keys(context, &text)?.first().map_or(Ok(Value::Null), jwk).map(Some)
}

fn decoded(text: &str) -> Result<String, BuiltinError> {
    base64::decode(text.as_bytes()).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

fn keys(context: &mut Context, text: &str) -> Result<Vec<PrivateKey>, BuiltinError> {
    super::charge(context, text)?;
    let text = decoded(text).map_or(Cow::from(text), Cow::from);
    let mut keys = Vec::new();
    for block in pem::blocks(&text) {
        // What belongs to a key is computed anew.
        context.account.step(SIGNATURE_STEPS)?;
        keys.extend(match block.label.as_str() {
            "RSA PRIVATE KEY" => Some(pkcs1(&block.bytes)?),
            "PRIVATE KEY" => Some(pkcs8(&block.bytes)?),
            "EC PRIVATE KEY" => Some(sec1(&block.bytes, None)?),
            _ => None,
        });
    }
    Ok(keys)
}

pub(super) fn pkcs1(der: &[u8]) -> Result<PrivateKey, BuiltinError> {
    let key = rsa::pkcs1::RsaPrivateKey::try_from(der).map_err(|error| malformed(&error.to_string()))?;
    if [key.modulus, key.private_exponent, key.prime1, key.prime2].iter().any(|number| number.as_bytes().len() > LONGEST) {
        return Err(malformed("a number is too long"));
    }
    let bytes = |number: rsa::pkcs1::UintRef<'_>| significant(number.as_bytes()).to_vec();
    Ok(PrivateKey::Rsa(RsaPrivate {
        public: RsaPublic { n: bytes(key.modulus), e: bytes(key.public_exponent) },
        d: bytes(key.private_exponent),
        p: bytes(key.prime1),
        q: bytes(key.prime2),
    }))
}

pub(super) fn pkcs8(der: &[u8]) -> Result<PrivateKey, BuiltinError> {
    let info = PrivateKeyInfo::try_from(der).map_err(|error| malformed(&error.to_string()))?;
    match info.algorithm.oid.to_string().as_str() {
        "1.2.840.113549.1.1.1" => pkcs1(info.private_key),
        "1.2.840.10045.2.1" => {
            let curve = info.algorithm.parameters_oid().map_err(|error| malformed(&error.to_string()))?;
            sec1(info.private_key, Some(curve.to_string()))
        }
        ED25519 => {
            let (_, seed) = OctetString::from_der(info.private_key).map_err(|error| malformed(&error.to_string()))?;
            Ok(PrivateKey::Ed25519(seed.into_cow().into_owned()))
        }
        other => Err(malformed(&format!("unknown algorithm {other}"))),
    }
}

/// RFC 5915; the curve stands inside, or outside in PKCS#8.
pub(super) fn sec1(der: &[u8], curve: Option<String>) -> Result<PrivateKey, BuiltinError> {
    let failed = |_| malformed("no EC private key");
    let (_, sequence) = Sequence::from_der(der).map_err(failed)?;
    let (rest, _version) = Integer::from_der(&sequence.content).map_err(failed)?;
    let (rest, secret) = OctetString::from_der(rest).map_err(failed)?;
    let (_, inside) = OptTaggedExplicit::<Oid<'_>, x509_parser::asn1_rs::Error, 0>::from_der(rest).map_err(failed)?;
    let curve = curve.or_else(|| inside.map(|oid| oid.into_inner().to_id_string()));
    let curve = curve.as_deref().and_then(Curve::identified).ok_or_else(|| malformed("unknown elliptic curve"))?;
    Ok(PrivateKey::Ec(EcPrivate { curve, secret: significant(secret.as_ref()).to_vec() }))
}

pub(super) fn ed25519_public(seed: &[u8]) -> Result<Vec<u8>, BuiltinError> {
    use ring::signature::KeyPair;
    let key = ring::signature::Ed25519KeyPair::from_seed_unchecked(seed).map_err(|error| malformed(&error.to_string()))?;
    Ok(key.public_key().as_ref().to_vec())
}

pub(super) fn public(key: &EcPrivate) -> Result<EcPublic, BuiltinError> {
    key.public().ok_or_else(|| malformed("invalid elliptic curve private key value"))
}

/// A key in the form of Go's structures.
pub(super) fn shown(key: &PrivateKey) -> Result<Value, BuiltinError> {
    Ok(match key {
        PrivateKey::Rsa(key) => {
            let [d_p, d_q, q_inv] = key.derived().ok_or_else(|| malformed("invalid RSA key"))?;
            let precomputed = show::object([
                ("Dp", show::number(&d_p)),
                ("Dq", show::number(&d_q)),
                ("Qinv", show::number(&q_inv)),
                ("CRTValues", Value::array([])),
            ]);
            let primes = [show::number(&key.p), show::number(&key.q)];
            show::object([
                ("N", show::number(&key.public.n)),
                ("E", show::number(&key.public.e)),
                ("D", show::number(&key.d)),
                ("Primes", Value::array(primes)),
                ("Precomputed", precomputed.into()),
            ])
            .into()
        }
        PrivateKey::Ec(key) => {
            let public = public(key)?;
            let (x, y) = public.coordinates();
            let curve = Value::object([]);
            show::object([("Curve", curve), ("X", show::number(x)), ("Y", show::number(y)), ("D", show::number(&key.secret))])
                .into()
        }
        PrivateKey::Ed25519(seed) => Value::from(base64::encode(&[seed.as_slice(), &ed25519_public(seed)?].concat())),
    })
}

/// A key as a JSON web key.
fn jwk(key: &PrivateKey) -> Result<Value, BuiltinError> {
    let text = |bytes: &[u8]| Value::from(base64::encode_url(bytes));
    Ok(match key {
        PrivateKey::Rsa(key) => return rsa_jwk(key),
        PrivateKey::Ec(key) => {
            let public = public(key)?;
            let (x, y) = public.coordinates();
            let secret = padded(&key.secret, key.curve.size()).ok_or_else(|| malformed("secret is too long"))?;
            let (kind, curve) = (Value::from("EC"), Value::from(key.curve.name()));
            show::object([("kty", kind), ("crv", curve), ("x", text(x)), ("y", text(y)), ("d", text(&secret))]).into()
        }
        PrivateKey::Ed25519(seed) => {
            let (kind, curve) = (Value::from("OKP"), Value::from("Ed25519"));
            show::object([("kty", kind), ("crv", curve), ("x", text(&ed25519_public(seed)?)), ("d", text(seed))]).into()
        }
    })
}

fn rsa_jwk(key: &RsaPrivate) -> Result<Value, BuiltinError> {
    let [d_p, d_q, q_inv] = key.derived().ok_or_else(|| malformed("invalid RSA key"))?;
    let text = |bytes: &[u8]| Value::from(base64::encode_url(bytes));
    let members = [
        ("kty", Value::from("RSA")),
        ("n", text(&key.public.n)),
        ("e", text(&key.public.e)),
        ("d", text(&key.d)),
        ("p", text(&key.p)),
        ("q", text(&key.q)),
        ("dp", text(&d_p)),
        ("dq", text(&d_q)),
        ("qi", text(&q_inv)),
    ];
    Ok(show::object(members).into())
}
