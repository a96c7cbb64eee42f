//! `crypto.x509.parse_keypair`.

use super::certificate::Certificate;
use super::{private, show};
use crate::builtins::crypto::keys::{PrivateKey, PublicKey, SIGNATURE_STEPS};
use crate::builtins::crypto::{base64, pem};
use crate::builtins::error::Answer;
use crate::builtins::{BuiltinError, Context, operand};
use crate::value::Value;

const BEGIN: &str = "-----BEGIN ";

/// A certificate chain and the private key of its first, which must fit.
pub(in crate::builtins::crypto) fn parse(context: &mut Context, operands: &[&Value]) -> Answer {
    let text = operand::string(operands, 0)?;
    // OPA counts both operands as the first.
    let key_text = operand::string(operands.get(1..).unwrap_or_default(), 0)?;
    super::charge(context, text)?;
    super::charge(context, key_text)?;
    context.account.step(SIGNATURE_STEPS)?;
    let (blocks, leaf) = certificate_blocks(context, text)?;
    let key = pair_key(key_text)?;
    fits(&leaf.key.key, &key)?;
    let certificates = Value::array(blocks.iter().map(|block| Value::from(base64::encode(block))));
    let pair = show::object([
        ("Certificate", certificates),
        ("PrivateKey", private::shown(&key)?),
        ("Leaf", show::certificate(&leaf, false)),
        ("OCSPStaple", Value::Null),
        ("SignedCertificateTimestamps", Value::Null),
        ("SupportedSignatureAlgorithms", Value::Null),
    ]);
    Ok(Some(pair.into()))
}

fn certificate_blocks(context: &mut Context, text: &str) -> Result<(Vec<Vec<u8>>, Certificate), BuiltinError> {
    let blocks = blocks(text, |label| label == "CERTIFICATE")?;
    let first = blocks.first().ok_or_else(|| BuiltinError::failed("tls: failed to find any PEM data in certificate input"))?;
    let leaf = super::of_der(context, first)?.into_iter().next();
    let leaf = leaf.ok_or_else(|| BuiltinError::failed("x509: malformed certificate"))?;
    Ok((blocks, leaf))
}

/// The bytes of PEM blocks, or base64 of those or of one DER.
fn blocks(text: &str, wanted: fn(&str) -> bool) -> Result<Vec<Vec<u8>>, BuiltinError> {
    let of_label = |text: &str| {
        let blocks = pem::blocks(text).into_iter().filter(|block| wanted(&block.label));
        blocks.map(|block| block.bytes).collect()
    };
    if text.starts_with(BEGIN) {
        return Ok(of_label(text));
    }
    let bytes = base64::decode(text.as_bytes())?;
    Ok(match std::str::from_utf8(&bytes) {
        Ok(text) if text.starts_with(BEGIN) => of_label(text),
        _ => vec![bytes],
    })
}

fn pair_key(text: &str) -> Result<PrivateKey, BuiltinError> {
    let der = blocks(text, |label| label == "PRIVATE KEY" || label.ends_with(" PRIVATE KEY"))?.into_iter().next();
    let der = der.ok_or_else(|| BuiltinError::failed("tls: failed to find any PEM data in key input"))?;
    let key = private::pkcs1(&der).or_else(|_| private::pkcs8(&der)).or_else(|_| private::sec1(&der, None));
    key.map_err(|_| BuiltinError::failed("tls: failed to parse private key"))
}

fn fits(public: &PublicKey, private: &PrivateKey) -> Result<(), BuiltinError> {
    let same = match (public, private) {
        (PublicKey::Rsa(public), PrivateKey::Rsa(key)) => public.n == key.public.n,
        (PublicKey::Ec(public), PrivateKey::Ec(key)) => private::public(key)?.point == public.point,
        (PublicKey::Ed25519(public), PrivateKey::Ed25519(seed)) => *public == private::ed25519_public(seed)?,
        _ => return Err(BuiltinError::failed("tls: private key type does not match public key type")),
    };
    if same { Ok(()) } else { Err(BuiltinError::failed("tls: private key does not match public key")) }
}
