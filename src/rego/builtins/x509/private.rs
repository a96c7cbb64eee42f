//! Private keys: `crypto.parse_private_keys`, `crypto.x509.parse_rsa_private_key`, `crypto.x509.parse_keypair`.

use std::borrow::Cow;

use regorus::Value;
use rsa::pkcs8::PrivateKeyInfo;
use x509_parser::asn1_rs::{FromDer, Integer, OctetString, Oid, OptTaggedExplicit, Sequence};

use super::{certificates, show};
use crate::rego::builtins::encoding::{base64, to_base64, to_base64url};
use crate::rego::builtins::error::BuiltinError;
use crate::rego::builtins::keys::spki::ED25519;
use crate::rego::builtins::keys::{
    Curve, EcPrivate, EcPublic, PrivateKey, PublicKey, RsaPrivate, RsaPublic, padded, significant,
};
use crate::rego::builtins::{operand, pem};

fn malformed(what: &str) -> BuiltinError {
    BuiltinError::other(format!("x509: failed to parse private key: {what}"))
}

/// All keys of the text, in the form of Go's structures.
pub(super) fn parse_private_keys(values: &[Value]) -> Result<Value, BuiltinError> {
    let text = operand::string(values, 1)?;
    if text.is_empty() {
        return Ok(Value::Null);
    }
    let keys = keys(text)?;
    Ok(keys.iter().map(shown).collect::<Result<Vec<_>, _>>()?.into())
}

/// The first key of the text as a JSON web key.
pub(super) fn parse_as_jwk(values: &[Value]) -> Result<Value, BuiltinError> {
    let text = operand::string(values, 1)?;
    if text.is_empty() {
        return Err(BuiltinError::other("input PEM data was empty"));
    }
    let text = if text.starts_with("-----BEGIN") { Cow::from(text) } else { decoded(text)?.into() };
    keys(&text)?.first().map_or(Ok(Value::Null), jwk)
}

fn decoded(text: &str) -> Result<String, BuiltinError> {
    base64(text.as_bytes()).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

fn keys(text: &str) -> Result<Vec<PrivateKey>, BuiltinError> {
    let text = decoded(text).map_or(Cow::from(text), Cow::from);
    let read = |block: pem::Block| match block.label.as_str() {
        "RSA PRIVATE KEY" => Some(pkcs1(&block.bytes)),
        "PRIVATE KEY" => Some(pkcs8(&block.bytes)),
        "EC PRIVATE KEY" => Some(sec1(&block.bytes, None)),
        _ => None,
    };
    pem::blocks(&text).into_iter().filter_map(read).collect()
}

fn pkcs1(der: &[u8]) -> Result<PrivateKey, BuiltinError> {
    let key = rsa::pkcs1::RsaPrivateKey::try_from(der).map_err(|error| malformed(&error.to_string()))?;
    let bytes = |number: rsa::pkcs1::UintRef<'_>| significant(number.as_bytes()).to_vec();
    Ok(PrivateKey::Rsa(RsaPrivate {
        public: RsaPublic { n: bytes(key.modulus), e: bytes(key.public_exponent) },
        d: bytes(key.private_exponent),
        p: bytes(key.prime1),
        q: bytes(key.prime2),
    }))
}

fn pkcs8(der: &[u8]) -> Result<PrivateKey, BuiltinError> {
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
fn sec1(der: &[u8], curve: Option<String>) -> Result<PrivateKey, BuiltinError> {
    let failed = |_| malformed("no EC private key");
    let (_, sequence) = Sequence::from_der(der).map_err(failed)?;
    let (rest, _version) = Integer::from_der(&sequence.content).map_err(failed)?;
    let (rest, secret) = OctetString::from_der(rest).map_err(failed)?;
    let (_, inside) = OptTaggedExplicit::<Oid<'_>, x509_parser::asn1_rs::Error, 0>::from_der(rest).map_err(failed)?;
    let curve = curve.or_else(|| inside.map(|oid| oid.into_inner().to_id_string()));
    let curve = curve.as_deref().and_then(Curve::identified).ok_or_else(|| malformed("unknown elliptic curve"))?;
    Ok(PrivateKey::Ec(EcPrivate { curve, secret: significant(secret.as_ref()).to_vec() }))
}

fn ed25519_public(seed: &[u8]) -> Result<Vec<u8>, BuiltinError> {
    use ring::signature::KeyPair;
    let key = ring::signature::Ed25519KeyPair::from_seed_unchecked(seed).map_err(|error| malformed(&error.to_string()))?;
    Ok(key.public_key().as_ref().to_vec())
}

fn public(key: &EcPrivate) -> Result<EcPublic, BuiltinError> {
    key.public().ok_or_else(|| malformed("invalid elliptic curve private key value"))
}

/// A key in the form of Go's structures.
fn shown(key: &PrivateKey) -> Result<Value, BuiltinError> {
    Ok(match key {
        PrivateKey::Rsa(key) => {
            let [d_p, d_q, q_inv] = key.derived().ok_or_else(|| malformed("invalid RSA key"))?;
            let precomputed = show::object([
                ("Dp", show::number(&d_p)),
                ("Dq", show::number(&d_q)),
                ("Qinv", show::number(&q_inv)),
                ("CRTValues", Value::new_array()),
            ]);
            let primes = vec![show::number(&key.p), show::number(&key.q)];
            show::object([
                ("N", show::number(&key.public.n)),
                ("E", show::number(&key.public.e)),
                ("D", show::number(&key.d)),
                ("Primes", primes.into()),
                ("Precomputed", precomputed.into()),
            ])
            .into()
        }
        PrivateKey::Ec(key) => {
            let public = public(key)?;
            let (x, y) = public.coordinates();
            let curve = Value::new_object();
            show::object([("Curve", curve), ("X", show::number(x)), ("Y", show::number(y)), ("D", show::number(&key.secret))])
                .into()
        }
        PrivateKey::Ed25519(seed) => Value::from(to_base64(&[seed.as_slice(), &ed25519_public(seed)?].concat())),
    })
}

/// A key as a JSON web key.
fn jwk(key: &PrivateKey) -> Result<Value, BuiltinError> {
    let text = |bytes: &[u8]| Value::from(to_base64url(bytes));
    Ok(match key {
        PrivateKey::Rsa(key) => {
            let [d_p, d_q, q_inv] = key.derived().ok_or_else(|| malformed("invalid RSA key"))?;
            show::object([
                ("kty", Value::from("RSA")),
                ("n", text(&key.public.n)),
                ("e", text(&key.public.e)),
                ("d", text(&key.d)),
                ("p", text(&key.p)),
                ("q", text(&key.q)),
                ("dp", text(&d_p)),
                ("dq", text(&d_q)),
                ("qi", text(&q_inv)),
            ])
            .into()
        }
        PrivateKey::Ec(key) => {
            let public = public(key)?;
            let (x, y) = public.coordinates();
            let secret = padded(&key.secret, key.curve.size()).ok_or_else(|| malformed("secret is too long"))?;
            let curve = Value::from(key.curve.name());
            show::object([("kty", Value::from("EC")), ("crv", curve), ("x", text(x)), ("y", text(y)), ("d", text(&secret))])
                .into()
        }
        PrivateKey::Ed25519(seed) => {
            let (kind, curve) = (Value::from("OKP"), Value::from("Ed25519"));
            show::object([("kty", kind), ("crv", curve), ("x", text(&ed25519_public(seed)?)), ("d", text(seed))]).into()
        }
    })
}

/// A certificate chain and the private key of its first, which must fit.
pub(super) fn parse_keypair(values: &[Value]) -> Result<Value, BuiltinError> {
    // OPA counts both operands as the first.
    let key_text = operand::string(values.get(1..).unwrap_or_default(), 1)?;
    let (blocks, leaf) = certificate_blocks(operand::string(values, 1)?)?;
    let key = pair_key(key_text)?;
    fits(&leaf.key.key, &key)?;
    let certificates = blocks.iter().map(|block| Value::from(to_base64(block))).collect::<Vec<_>>();
    Ok(show::object([
        ("Certificate", certificates.into()),
        ("PrivateKey", shown(&key)?),
        ("Leaf", show::certificate(&leaf, false)),
        ("OCSPStaple", Value::Null),
        ("SignedCertificateTimestamps", Value::Null),
        ("SupportedSignatureAlgorithms", Value::Null),
    ])
    .into())
}

const BEGIN: &str = "-----BEGIN ";

fn certificate_blocks(text: &str) -> Result<(Vec<Vec<u8>>, super::Certificate), BuiltinError> {
    let blocks: Vec<Vec<u8>> = match text.starts_with(BEGIN) {
        true => of_label(text, |label| label == "CERTIFICATE"),
        false => {
            let bytes = base64(text.as_bytes())?;
            match std::str::from_utf8(&bytes) {
                Ok(text) if text.starts_with(BEGIN) => of_label(text, |label| label == "CERTIFICATE"),
                _ => vec![bytes],
            }
        }
    };
    let first = blocks.first().ok_or_else(|| BuiltinError::other("tls: failed to find any PEM data in certificate input"))?;
    let leaf = certificates(&to_base64(first))?.into_iter().next().ok_or_else(|| malformed("no certificate"))?;
    Ok((blocks, leaf))
}

fn of_label(text: &str, wanted: impl Fn(&str) -> bool) -> Vec<Vec<u8>> {
    pem::blocks(text).into_iter().filter(|block| wanted(&block.label)).map(|block| block.bytes).collect()
}

fn pair_key(text: &str) -> Result<PrivateKey, BuiltinError> {
    let wanted = |label: &str| label == "PRIVATE KEY" || label.ends_with(" PRIVATE KEY");
    let der = match text.starts_with(BEGIN) {
        true => of_label(text, wanted),
        false => {
            let bytes = base64(text.as_bytes())?;
            match std::str::from_utf8(&bytes) {
                Ok(text) if text.starts_with(BEGIN) => of_label(text, wanted),
                _ => vec![bytes],
            }
        }
    };
    let der = der.into_iter().next().ok_or_else(|| BuiltinError::other("tls: failed to find any PEM data in key input"))?;
    let key = pkcs1(&der).or_else(|_| pkcs8(&der)).or_else(|_| sec1(&der, None));
    key.map_err(|_| BuiltinError::other("tls: failed to parse private key"))
}

fn fits(public: &PublicKey, private: &PrivateKey) -> Result<(), BuiltinError> {
    let same = match (public, private) {
        (PublicKey::Rsa(public), PrivateKey::Rsa(key)) => public.n == key.public.n,
        (PublicKey::Ec(public), PrivateKey::Ec(key)) => self::public(key)?.point == public.point,
        (PublicKey::Ed25519(public), PrivateKey::Ed25519(seed)) => *public == ed25519_public(seed)?,
        _ => return Err(BuiltinError::other("tls: private key type does not match public key type")),
    };
    if same { Ok(()) } else { Err(BuiltinError::other("tls: private key does not match public key")) }
}
