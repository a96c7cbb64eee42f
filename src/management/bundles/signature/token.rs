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

use super::{Payload, TokenError};
use crate::management::config::bundles::Signing;
use crate::management::config::keys::Key;

/// A signature algorithm.
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
pub(super) fn verified(token: &str, keys: &BTreeMap<String, Key>, signing: &Signing) -> Result<Payload, TokenError> {
    let mut parts = token.split('.');
    let (Some(header), Some(payload), Some(mac), None) = (parts.next(), parts.next(), parts.next(), parts.next()) else {
        return Err(TokenError::Parts);
    };
    let decode = |text: &str, part| URL_SAFE_NO_PAD.decode(text).map_err(|source| TokenError::Base64 { part, source });
    let unread = |part| move |source| TokenError::Json { part, source };
    let claims: Json = serde_json::from_slice(&decode(header, "header")?).map_err(unread("header"))?;
    let content: Payload = serde_json::from_slice(&decode(payload, "payload")?).map_err(unread("payload"))?;
    let named = claims.get("kid").and_then(Json::as_str).unwrap_or_default();
    let id = [signing.keyid.as_str(), named, content.keyid.as_str()].into_iter().find(|id| !id.is_empty());
    let id = id.ok_or(TokenError::NoKeyId)?;
    let key = keys.get(id).ok_or_else(|| TokenError::UnknownKey(id.into()))?;
    // The header and the payload, as they stand in the token.
    let message = token.get(..header.len() + 1 + payload.len()).unwrap_or_default();
    verify(key, message.as_bytes(), &decode(mac, "signature")?)?;
    let scope = if signing.scope.is_empty() { &key.scope } else { &signing.scope };
    if content.scope != *scope {
        return Err(TokenError::Scope);
    }
    Ok(content)
}

fn algorithm_of(key: &Key) -> Result<Algorithm, TokenError> {
    Algorithm::of(&key.algorithm).ok_or_else(|| TokenError::Algorithm(key.algorithm.clone()))
}

fn verify(key: &Key, message: &[u8], mac: &[u8]) -> Result<(), TokenError> {
    match algorithm_of(key)? {
        Algorithm::Shared(algorithm) => {
            hmac::verify(&hmac::Key::new(algorithm, key.key.0.as_bytes()), message, mac).map_err(|_| TokenError::Wrong)
        }
        Algorithm::Public(algorithm) => {
            let public = signature::UnparsedPublicKey::new(algorithm, public_key(&key.key.0)?);
            public.verify(message, mac).map_err(|_| TokenError::Wrong)
        }
        Algorithm::P521 => p521(&public_key(&key.key.0)?, message, mac).map_err(|_| TokenError::Wrong),
    }
}

/// Whether a key can verify anything.
pub(super) fn usable(key: &Key) -> Result<(), TokenError> {
    match algorithm_of(key)? {
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
fn public_key(text: &str) -> Result<Vec<u8>, TokenError> {
    let (_, pem) = parse_x509_pem(text.as_bytes()).map_err(|_| TokenError::Key)?;
    let spki = |info: &SubjectPublicKeyInfo<'_>| info.subject_public_key.data.to_vec();
    match pem.label.as_str() {
        "RSA PUBLIC KEY" => Ok(pem.contents),
        "PUBLIC KEY" => SubjectPublicKeyInfo::from_der(&pem.contents).map(|(_, info)| spki(&info)).map_err(|_| TokenError::Key),
        "CERTIFICATE" => {
            let certificate = X509Certificate::from_der(&pem.contents).map_err(|_| TokenError::Key)?;
            Ok(spki(certificate.1.public_key()))
        }
        other => Err(TokenError::KeyType(other.into())),
    }
}
