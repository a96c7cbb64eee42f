//! The algorithms that tokens are signed with (RFC 7518, 8037).

use hmac::Hmac;
use sha2::{Sha256, Sha384, Sha512};

use super::trusted::Key;
use crate::builtins::BuiltinError;
use crate::builtins::crypto::hash::authenticate;
use crate::builtins::crypto::keys::jwk::Material;
use crate::builtins::crypto::keys::{Hash, Padding, PublicKey};

/// An algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Algorithm {
    Hs(Hash),
    Rs(Hash),
    Ps(Hash),
    Es(Hash),
    EdDsa,
}

impl Algorithm {
    /// The names that OPA knows.
    pub(super) fn named(name: &str) -> Option<Self> {
        if name == "EdDSA" {
            return Some(Self::EdDsa);
        }
        let (family, hash) = name.split_at_checked(2)?;
        let hash = match hash {
            "256" => Hash::Sha256,
            "384" => Hash::Sha384,
            "512" => Hash::Sha512,
            _ => return None,
        };
        match family {
            "HS" => Some(Self::Hs(hash)),
            "RS" => Some(Self::Rs(hash)),
            "PS" => Some(Self::Ps(hash)),
            "ES" => Some(Self::Es(hash)),
            _ => None,
        }
    }

    /// As `io.jwt.verify_*` does: public keys only, any salt, and a signature that falls in two halves.
    pub(super) fn verify_public(self, key: &Key, message: &[u8], signature: &[u8]) -> bool {
        let Material::Public(key) = &key.material else { return false };
        match (self, key) {
            (Self::Ps(hash), PublicKey::Rsa(key)) => key.verify(Padding::PssAnySalt, hash, &hash.digest(message), signature),
            (Self::Es(hash), PublicKey::Ec(key)) => {
                let (r, s) = signature.split_at_checked(signature.len() / 2).unwrap_or_default();
                key.verify(&hash.digest(message), r, s)
            }
            _ => self.verify_with(key, message, signature),
        }
    }

    /// As `io.jwt.decode_verify` does: private keys know their public ones, and the signature has its proper length.
    pub(super) fn verify(self, key: &Key, message: &[u8], signature: &[u8]) -> bool {
        match (&key.material, self) {
            (Material::Secret(secret), Self::Hs(hash)) => verify_secret(hash, secret, message, signature).unwrap_or(false),
            (Material::Public(key) | Material::Private(_, key), _) => self.verify_with(key, message, signature),
            (Material::Secret(_), _) => false,
        }
    }

    fn verify_with(self, key: &PublicKey, message: &[u8], signature: &[u8]) -> bool {
        match (self, key) {
            (Self::Rs(hash), PublicKey::Rsa(key)) => key.verify(Padding::Pkcs1, hash, &hash.digest(message), signature),
            (Self::Ps(hash), PublicKey::Rsa(key)) => key.verify(Padding::Pss, hash, &hash.digest(message), signature),
            (Self::Es(hash), PublicKey::Ec(key)) if signature.len() == 2 * key.curve.size() => {
                let (r, s) = signature.split_at_checked(key.curve.size()).unwrap_or_default();
                key.verify(&hash.digest(message), r, s)
            }
            (Self::EdDsa, key) => key.verify_ed25519(message, signature),
            _ => false,
        }
    }
}

/// Whether the signature is the code of the message with a secret; compared in constant time.
pub(super) fn verify_secret(hash: Hash, secret: &[u8], message: &[u8], signature: &[u8]) -> Result<bool, BuiltinError> {
    use subtle::ConstantTimeEq;
    Ok(bool::from(code(hash, secret, message)?.ct_eq(signature)))
}

/// The code of a message with a secret.
pub(super) fn code(hash: Hash, secret: &[u8], message: &[u8]) -> Result<Vec<u8>, BuiltinError> {
    match hash {
        Hash::Sha256 => authenticate::<Hmac<Sha256>>(secret, message),
        Hash::Sha384 => authenticate::<Hmac<Sha384>>(secret, message),
        Hash::Sha512 => authenticate::<Hmac<Sha512>>(secret, message),
    }
}
