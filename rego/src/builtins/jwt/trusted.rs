//! The keys that a policy trusts: a certificate, a public key, or JSON web keys.

use x509_parser::prelude::{FromDer, X509Certificate};

use super::algorithm::Algorithm;
use super::header::Fields;
use crate::builtins::crypto::keys::jwk::{self, Jwk, Material};
use crate::builtins::crypto::keys::{SIGNATURE_STEPS, spki};
use crate::builtins::crypto::pem;
use crate::builtins::{BuiltinError, Context};
use crate::limits::Halt;

/// A key, with the algorithm and the id that its set gives it, or empty.
#[derive(Debug)]
pub(super) struct Key {
    alg: String,
    kid: String,
    pub(super) material: Material,
}

/// Keys that are trusted.
#[derive(Debug)]
pub(super) struct Trusted(Vec<Key>);

impl Trusted {
    pub(super) fn parse(context: &mut Context, text: &str) -> Result<Self, BuiltinError> {
        context.account.charge(text.len())?;
        let Some((block, rest)) = pem::decode(text) else {
            let keys = jwk::parse(context, text).map_err(|error| {
                if error.is_halt() { error } else { BuiltinError::failed(format!("failed to parse a JWK key (set): {error}")) }
            })?;
            let known = keys.into_iter().filter(|key| key.alg.is_empty() || Algorithm::named(&key.alg).is_some());
            return Ok(Self(known.map(|Jwk { alg, kid, key }| Key { alg, kid, material: key }).collect()));
        };
        if !rest.is_empty() {
            return Err(BuiltinError::failed("extra data after a PEM certificate block"));
        }
        let key = match block.label.as_str() {
            "CERTIFICATE" => X509Certificate::from_der(&block.bytes)
                .ok()
                .filter(|(rest, _)| rest.is_empty())
                .and_then(|(_, certificate)| spki::key(certificate.public_key()))
                .ok_or_else(|| BuiltinError::failed("failed to parse a PEM certificate: x509: malformed certificate"))?,
            "PUBLIC KEY" => spki::der(&block.bytes)
                .ok_or_else(|| BuiltinError::failed("failed to parse a PEM public key: x509: malformed public key"))?,
            _ => return Err(BuiltinError::failed("failed to extract a Key from the PEM certificate")),
        };
        Ok(Self(vec![Key { alg: String::new(), kid: String::new(), material: Material::Public(key) }]))
    }

    /// Whether the key that the header names passes; if it names none of these, whether any passes whose algorithm, if it has
    /// one, is that of the header.
    pub(super) fn any(&self, context: &mut Context, header: &Fields, passes: impl Fn(&Key) -> bool) -> Result<bool, Halt> {
        let mut check = |key: &Key| {
            context.account.step(SIGNATURE_STEPS)?;
            Ok(passes(key))
        };
        if let Some(key) = self.0.iter().find(|key| !header.kid.is_empty() && key.kid == header.kid) {
            return check(key);
        }
        for key in self.0.iter().filter(|key| key.alg.is_empty() || key.alg == header.alg) {
            if check(key)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
