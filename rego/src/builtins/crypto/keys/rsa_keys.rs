//! RSA: PKCS#1 v1.5 and PSS, as Go's `crypto/rsa`. Keys of less than 1024 bits verify nothing, as in Go.

use ring::rand::SystemRandom;
use ring::rsa::{KeyPair, KeyPairComponents, PublicKeyComponents};
use ring::signature::RsaEncoding;
use rsa::traits::PublicKeyParts;
use rsa::{BigUint, Pkcs1v15Sign, Pss, RsaPublicKey};
use sha2::{Sha256, Sha384, Sha512};

use super::{Hash, significant};

/// Keys of more bits are not used: the cost grows with their square.
const MAX_BITS: usize = 16_384;
const MIN_BITS: usize = 1024;

/// How a digest becomes a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::builtins) enum Padding {
    Pkcs1,
    /// The salt is as long as the hash.
    Pss,
    /// The salt has any of the usual lengths.
    PssAnySalt,
}

/// Modulus and exponent.
#[derive(Clone, Debug)]
pub(in crate::builtins) struct RsaPublic {
    pub(in crate::builtins) n: Vec<u8>,
    pub(in crate::builtins) e: Vec<u8>,
}

impl RsaPublic {
    /// Whether the signature is that of the digest.
    pub(in crate::builtins) fn verify(&self, padding: Padding, hash: Hash, digest: &[u8], signature: &[u8]) -> bool {
        let (n, e) = (BigUint::from_bytes_be(&self.n), BigUint::from_bytes_be(&self.e));
        let Ok(key) = RsaPublicKey::new_with_max_size(n, e, MAX_BITS) else { return false };
        if key.n().bits() < MIN_BITS {
            return false;
        }
        match padding {
            Padding::Pkcs1 => key.verify(pkcs1(hash), digest, signature).is_ok(),
            Padding::Pss => key.verify(pss(hash, hash.size()), digest, signature).is_ok(),
            Padding::PssAnySalt => {
                let longest = key.size().saturating_sub(hash.size() + 2);
                let usual = [hash.size(), longest, 0, 20, 32, 48, 64];
                usual.into_iter().any(|salt| salt <= longest && key.verify(pss(hash, salt), digest, signature).is_ok())
            }
        }
    }
}

/// What stands before a digest (RFC 8017, 9.2, note 1).
fn pkcs1(hash: Hash) -> Pkcs1v15Sign {
    let (oid, size) = match hash {
        Hash::Sha256 => (1, 0x20),
        Hash::Sha384 => (2, 0x30),
        Hash::Sha512 => (3, 0x40),
    };
    let prefix =
        [0x30, 0x11 + size, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, oid, 0x05, 0x00, 0x04, size];
    Pkcs1v15Sign { hash_len: Some(hash.size()), prefix: prefix.into() }
}

fn pss(hash: Hash, salt: usize) -> Pss {
    match hash {
        Hash::Sha256 => Pss::new_with_salt::<Sha256>(salt),
        Hash::Sha384 => Pss::new_with_salt::<Sha384>(salt),
        Hash::Sha512 => Pss::new_with_salt::<Sha512>(salt),
    }
}

/// A private key: everything but the two primes and `d` follows from them.
#[derive(Clone)]
pub(in crate::builtins) struct RsaPrivate {
    pub(in crate::builtins) public: RsaPublic,
    pub(in crate::builtins) d: Vec<u8>,
    pub(in crate::builtins) p: Vec<u8>,
    pub(in crate::builtins) q: Vec<u8>,
}

impl std::fmt::Debug for RsaPrivate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RsaPrivate").field("public", &self.public).finish_non_exhaustive()
    }
}

impl RsaPrivate {
    /// `d mod (p - 1)`, `d mod (q - 1)` and `q⁻¹ mod p`.
    pub(in crate::builtins) fn derived(&self) -> Option<[Vec<u8>; 3]> {
        let one = BigUint::from(1_u8);
        let [d, p, q] = [&self.d, &self.p, &self.q].map(|bytes| BigUint::from_bytes_be(bytes));
        if p <= one || q <= one {
            return None;
        }
        let [n, e] = [&self.public.n, &self.public.e].map(|bytes| BigUint::from_bytes_be(bytes));
        let key = rsa::RsaPrivateKey::from_components(n, e, d.clone(), vec![p.clone(), q.clone()]).ok()?;
        let inverse = key.crt_coefficient()?;
        Some([(&d % (&p - &one)).to_bytes_be(), (&d % (&q - &one)).to_bytes_be(), inverse.to_bytes_be()])
    }

    /// The signature of a message.
    pub(in crate::builtins) fn sign(&self, encoding: &'static dyn RsaEncoding, message: &[u8]) -> Option<Vec<u8>> {
        let mut ordered = self.clone();
        // ring wants the larger prime first.
        if BigUint::from_bytes_be(&self.p) < BigUint::from_bytes_be(&self.q) {
            std::mem::swap(&mut ordered.p, &mut ordered.q);
        }
        let [d_p, d_q, q_inv] = ordered.derived()?;
        let public_key = PublicKeyComponents { n: significant(&self.public.n), e: significant(&self.public.e) };
        let components = KeyPairComponents {
            public_key,
            d: significant(&self.d),
            p: significant(&ordered.p),
            q: significant(&ordered.q),
            dP: d_p.as_slice(),
            dQ: d_q.as_slice(),
            qInv: q_inv.as_slice(),
        };
        let key = KeyPair::from_components(&components).ok()?;
        let mut signature = vec![0; key.public().modulus_len()];
        key.sign(encoding, &SystemRandom::new(), message, &mut signature).ok()?;
        Some(signature)
    }
}
