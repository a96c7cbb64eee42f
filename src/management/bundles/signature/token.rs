//! A compact JSON web signature, verified with the key's own algorithm, whatever the token claims.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use p521::ecdsa::signature::hazmat::PrehashVerifier;
use ring::{hmac, signature};
use serde_json::Value as Json;
use sha2::{Digest, Sha512};
use x509_parser::pem::parse_x509_pem;
use x509_parser::prelude::{FromDer, X509Certificate};
use x509_parser::x509::SubjectPublicKeyInfo;

use super::Payload;
use crate::management::config::bundles::Signing;
use crate::management::config::keys::Key;

/// OPA's words.
const WRONG: &str = "failed to verify JWT signature";

/// How a signature is made.
pub(super) enum Algorithm {
    /// With a secret.
    Shared(hmac::Algorithm),
    /// With a private key.
    Public(&'static dyn signature::VerificationAlgorithm),
    /// With a private key on P-521, which ring does not know.
    P521,
}

impl Algorithm {
    pub(super) fn of(name: &str) -> Option<Self> {
        Some(match name {
            "HS256" => Self::Shared(hmac::HMAC_SHA256),
            "HS384" => Self::Shared(hmac::HMAC_SHA384),
            "HS512" => Self::Shared(hmac::HMAC_SHA512),
            "RS256" => Self::Public(&signature::RSA_PKCS1_2048_8192_SHA256),
            "RS384" => Self::Public(&signature::RSA_PKCS1_2048_8192_SHA384),
            "RS512" => Self::Public(&signature::RSA_PKCS1_2048_8192_SHA512),
            "PS256" => Self::Public(&signature::RSA_PSS_2048_8192_SHA256),
            "PS384" => Self::Public(&signature::RSA_PSS_2048_8192_SHA384),
            "PS512" => Self::Public(&signature::RSA_PSS_2048_8192_SHA512),
            "ES256" => Self::Public(&signature::ECDSA_P256_SHA256_FIXED),
            "ES384" => Self::Public(&signature::ECDSA_P384_SHA384_FIXED),
            "ES512" => Self::P521,
            _ => return None,
        })
    }
}

/// The payload of a token whose signature, key and scope are right.
pub(super) fn verified(token: &str, keys: &BTreeMap<String, Key>, signing: &Signing) -> Result<Payload, String> {
    let mut parts = token.split('.');
    let (Some(header), Some(payload), Some(mac), None) = (parts.next(), parts.next(), parts.next(), parts.next()) else {
        return Err("failed to split compact JWT".into());
    };
    let decode =
        |part: &str, what: &str| URL_SAFE_NO_PAD.decode(part).map_err(|error| format!("failed to decode JWT {what}: {error}"));
    let claims: Json = serde_json::from_slice(&decode(header, "header")?).map_err(|error| format!("JWT header: {error}"))?;
    let content: Payload =
        serde_json::from_slice(&decode(payload, "payload")?).map_err(|error| format!("JWT payload: {error}"))?;
    let named = claims.get("kid").and_then(Json::as_str).unwrap_or_default();
    let id = [signing.keyid.as_str(), named, content.keyid.as_str()].into_iter().find(|id| !id.is_empty());
    let id = id.ok_or("verification key ID is empty")?;
    let key = keys.get(id).ok_or_else(|| format!("verification key corresponding to ID {id} not found"))?;
    // The header and the payload, as they stand in the token.
    let message = token.get(..header.len() + 1 + payload.len()).unwrap_or_default();
    verify(key, message.as_bytes(), &decode(mac, "signature")?)?;
    let scope = if signing.scope.is_empty() { &key.scope } else { &signing.scope };
    if content.scope != *scope {
        return Err("scope mismatch".into());
    }
    Ok(content)
}

fn verify(key: &Key, message: &[u8], mac: &[u8]) -> Result<(), String> {
    match Algorithm::of(&key.algorithm).ok_or_else(|| format!("unknown signature algorithm: {}", key.algorithm))? {
        Algorithm::Shared(algorithm) => {
            hmac::verify(&hmac::Key::new(algorithm, key.key.0.as_bytes()), message, mac).map_err(|_| WRONG.to_owned())
        }
        Algorithm::Public(algorithm) => {
            let public = signature::UnparsedPublicKey::new(algorithm, public_key(&key.key.0)?);
            public.verify(message, mac).map_err(|_| WRONG.to_owned())
        }
        Algorithm::P521 => p521(&public_key(&key.key.0)?, message, mac).map_err(|_| WRONG.to_owned()),
    }
}

/// Whether a key can verify anything.
pub(super) fn usable(key: &Key) -> Result<(), String> {
    match Algorithm::of(&key.algorithm).ok_or_else(|| format!("unknown signature algorithm: {}", key.algorithm))? {
        Algorithm::Shared(_) => Ok(()),
        Algorithm::Public(_) | Algorithm::P521 => public_key(&key.key.0).map(drop),
    }
}

fn p521(point: &[u8], message: &[u8], mac: &[u8]) -> Result<(), p521::ecdsa::Error> {
    let signature = p521::ecdsa::Signature::from_slice(mac)?;
    // As long as the field: a digest stands at its end.
    let digest = [&[0; 2][..], &Sha512::digest(message)].concat();
    p521::ecdsa::VerifyingKey::from_sec1_bytes(point)?.verify_prehash(&digest, &signature)
}

/// The key as ring takes it: an RSAPublicKey, or a point.
fn public_key(text: &str) -> Result<Vec<u8>, String> {
    let unreadable = |_| "failed to parse PEM block containing the key".to_owned();
    let (_, pem) = parse_x509_pem(text.as_bytes()).map_err(|error| unreadable(error.to_string()))?;
    let spki = |info: &SubjectPublicKeyInfo<'_>| info.subject_public_key.data.to_vec();
    match pem.label.as_str() {
        "RSA PUBLIC KEY" => Ok(pem.contents),
        "PUBLIC KEY" => {
            SubjectPublicKeyInfo::from_der(&pem.contents).map(|(_, info)| spki(&info)).map_err(|e| unreadable(e.to_string()))
        }
        "CERTIFICATE" => {
            let certificate = X509Certificate::from_der(&pem.contents).map_err(|error| unreadable(error.to_string()))?;
            Ok(spki(certificate.1.public_key()))
        }
        other => Err(format!("a key of PEM type {other:?} verifies nothing: give the public key")),
    }
}
