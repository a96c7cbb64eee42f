//! ECDSA on P-256, P-384 and P-521, with any hash, as Go's `crypto/ecdsa`.

use p256::ecdsa::signature::hazmat::{PrehashSigner, PrehashVerifier};

use super::padded;

/// A curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::builtins) enum Curve {
    P256,
    P384,
    P521,
}

impl Curve {
    /// By the name that JWKs use.
    pub(in crate::builtins) fn named(name: &str) -> Option<Self> {
        match name {
            "P-256" => Some(Self::P256),
            "P-384" => Some(Self::P384),
            "P-521" => Some(Self::P521),
            _ => None,
        }
    }

    /// The name that JWKs use.
    pub(in crate::builtins) fn name(self) -> &'static str {
        match self {
            Self::P256 => "P-256",
            Self::P384 => "P-384",
            Self::P521 => "P-521",
        }
    }

    /// By its object identifier.
    pub(in crate::builtins) fn identified(oid: &str) -> Option<Self> {
        match oid {
            "1.2.840.10045.3.1.7" => Some(Self::P256),
            "1.3.132.0.34" => Some(Self::P384),
            "1.3.132.0.35" => Some(Self::P521),
            _ => None,
        }
    }

    /// Bytes of a coordinate.
    pub(in crate::builtins) fn size(self) -> usize {
        match self {
            Self::P256 => 32,
            Self::P384 => 48,
            Self::P521 => 66,
        }
    }
}

/// A point on a curve.
#[derive(Clone, Debug)]
pub(in crate::builtins) struct EcPublic {
    pub(in crate::builtins) curve: Curve,
    /// SEC1: 4, x, y.
    pub(in crate::builtins) point: Vec<u8>,
}

impl EcPublic {
    /// A point in SEC1 form, if it lies on the curve.
    pub(in crate::builtins) fn new(curve: Curve, point: &[u8]) -> Option<Self> {
        let on_curve = match curve {
            Curve::P256 => p256::ecdsa::VerifyingKey::from_sec1_bytes(point).is_ok(),
            Curve::P384 => p384::ecdsa::VerifyingKey::from_sec1_bytes(point).is_ok(),
            Curve::P521 => p521::ecdsa::VerifyingKey::from_sec1_bytes(point).is_ok(),
        };
        // Go reads no compressed points here.
        (on_curve && point.first() == Some(&4)).then(|| Self { curve, point: point.to_vec() })
    }

    /// A point by its coordinates.
    pub(in crate::builtins) fn of(curve: Curve, x: &[u8], y: &[u8]) -> Option<Self> {
        let (x, y) = (padded(x, curve.size())?, padded(y, curve.size())?);
        Self::new(curve, &[&[4], x.as_slice(), &y].concat())
    }

    /// The coordinates.
    pub(in crate::builtins) fn coordinates(&self) -> (&[u8], &[u8]) {
        self.point.get(1..).unwrap_or_default().split_at_checked(self.curve.size()).unwrap_or_default()
    }

    /// Whether `r` and `s` are the signature of a digest.
    pub(in crate::builtins) fn verify(&self, digest: &[u8], r: &[u8], s: &[u8]) -> bool {
        let size = self.curve.size();
        let (Some(r), Some(s)) = (padded(r, size), padded(s, size)) else { return false };
        let (signature, digest) = ([r, s].concat(), extended(digest, size));
        match self.curve {
            Curve::P256 => p256::ecdsa::VerifyingKey::from_sec1_bytes(&self.point)
                .and_then(|key| key.verify_prehash(&digest, &p256::ecdsa::Signature::from_slice(&signature)?)),
            Curve::P384 => p384::ecdsa::VerifyingKey::from_sec1_bytes(&self.point)
                .and_then(|key| key.verify_prehash(&digest, &p384::ecdsa::Signature::from_slice(&signature)?)),
            Curve::P521 => p521::ecdsa::VerifyingKey::from_sec1_bytes(&self.point)
                .and_then(|key| key.verify_prehash(&digest, &p521::ecdsa::Signature::from_slice(&signature)?)),
        }
        .is_ok()
    }
}

/// A secret number on a curve.
#[derive(Clone)]
pub(in crate::builtins) struct EcPrivate {
    pub(in crate::builtins) curve: Curve,
    pub(in crate::builtins) secret: Vec<u8>,
}

impl std::fmt::Debug for EcPrivate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EcPrivate").field("curve", &self.curve).finish_non_exhaustive()
    }
}

impl EcPrivate {
    /// The point that belongs to it.
    pub(in crate::builtins) fn public(&self) -> Option<EcPublic> {
        let secret = padded(&self.secret, self.curve.size())?;
        let point = match self.curve {
            Curve::P256 => {
                p256::ecdsa::SigningKey::from_slice(&secret).ok()?.verifying_key().to_encoded_point(false).as_bytes().to_vec()
            }
            Curve::P384 => {
                p384::ecdsa::SigningKey::from_slice(&secret).ok()?.verifying_key().to_encoded_point(false).as_bytes().to_vec()
            }
            Curve::P521 => {
                let key = p521::ecdsa::SigningKey::from_slice(&secret).ok()?;
                p521::ecdsa::VerifyingKey::from(&key).to_encoded_point(false).as_bytes().to_vec()
            }
        };
        EcPublic::new(self.curve, &point)
    }

    /// `r` and `s`, each as long as a coordinate.
    pub(in crate::builtins) fn sign(&self, digest: &[u8]) -> Option<Vec<u8>> {
        let (secret, digest) = (padded(&self.secret, self.curve.size())?, extended(digest, self.curve.size()));
        match self.curve {
            Curve::P256 => {
                let key = p256::ecdsa::SigningKey::from_slice(&secret).ok()?;
                let signature: p256::ecdsa::Signature = key.sign_prehash(&digest).ok()?;
                Some(signature.to_bytes().to_vec())
            }
            Curve::P384 => {
                let key = p384::ecdsa::SigningKey::from_slice(&secret).ok()?;
                let signature: p384::ecdsa::Signature = key.sign_prehash(&digest).ok()?;
                Some(signature.to_bytes().to_vec())
            }
            Curve::P521 => {
                let key = p521::ecdsa::SigningKey::from_slice(&secret).ok()?;
                let signature: p521::ecdsa::Signature = key.sign_prehash(&digest).ok()?;
                Some(signature.to_bytes().to_vec())
            }
        }
    }
}

/// A digest is a number: where it is shorter than a coordinate, zeros before it change nothing.
fn extended(digest: &[u8], size: usize) -> Vec<u8> {
    let zeros = size.saturating_sub(digest.len());
    std::iter::repeat_n(0, zeros).chain(digest.iter().copied()).collect()
}
