//! Keys, and the signatures they make and verify: RSA, ECDSA on the curves of NIST, Ed25519, and secrets.

use sha2::{Digest, Sha256, Sha384, Sha512};

mod elliptic;
pub(in crate::builtins) mod jwk;
mod rsa_keys;
pub(in crate::builtins) mod spki;

pub(in crate::builtins) use elliptic::{Curve, EcPrivate, EcPublic};
pub(in crate::builtins) use rsa_keys::{Padding, RsaPrivate, RsaPublic};

/// Bytes of the longest number that is read: reading and writing one costs the square of its length.
pub(in crate::builtins) const LONGEST: usize = 8192;

/// Steps of making or checking a signature: some hundred microseconds.
pub(in crate::builtins) const SIGNATURE_STEPS: u64 = 1_000;

/// A hash function that is signed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::builtins) enum Hash {
    Sha256,
    Sha384,
    Sha512,
}

impl Hash {
    pub(in crate::builtins) fn digest(self, message: &[u8]) -> Vec<u8> {
        match self {
            Self::Sha256 => Sha256::digest(message).to_vec(),
            Self::Sha384 => Sha384::digest(message).to_vec(),
            Self::Sha512 => Sha512::digest(message).to_vec(),
        }
    }

    pub(in crate::builtins) fn size(self) -> usize {
        match self {
            Self::Sha256 => 32,
            Self::Sha384 => 48,
            Self::Sha512 => 64,
        }
    }
}

/// A key that verifies.
#[derive(Clone, Debug)]
pub(in crate::builtins) enum PublicKey {
    Rsa(RsaPublic),
    Ec(EcPublic),
    Ed25519(Vec<u8>),
    /// Of a kind that verifies nothing here.
    Other,
}

impl PublicKey {
    /// Whether the signature is that of the message; `Ed25519` hashes by itself.
    pub(in crate::builtins) fn verify_ed25519(&self, message: &[u8], signature: &[u8]) -> bool {
        let Self::Ed25519(key) = self else { return false };
        let key = ring::signature::UnparsedPublicKey::new(&ring::signature::ED25519, key);
        key.verify(message, signature).is_ok()
    }
}

/// A key that signs.
#[derive(Clone, Debug)]
pub(in crate::builtins) enum PrivateKey {
    Rsa(RsaPrivate),
    Ec(EcPrivate),
    /// The seed.
    Ed25519(Vec<u8>),
}

/// Whole numbers written as bytes begin with the largest; zeros before that do not count.
pub(in crate::builtins) fn significant(bytes: &[u8]) -> &[u8] {
    let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
    bytes.get(zeros..).unwrap_or_default()
}

/// A number in so many bytes, if it fits.
pub(in crate::builtins) fn padded(number: &[u8], size: usize) -> Option<Vec<u8>> {
    let number = significant(number);
    let zeros = size.checked_sub(number.len())?;
    Some(std::iter::repeat_n(0, zeros).chain(number.iter().copied()).collect())
}
