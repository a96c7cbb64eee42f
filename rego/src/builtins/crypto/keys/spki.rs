//! Public keys of certificates and of `PUBLIC KEY` blocks.

use x509_parser::oid_registry::Oid;
use x509_parser::prelude::FromDer;
use x509_parser::public_key::PublicKey as Parsed;
use x509_parser::x509::SubjectPublicKeyInfo;

use super::elliptic::Curve;
use super::{EcPublic, LONGEST, PublicKey, RsaPublic, significant};

/// The object identifier of Ed25519.
pub(in crate::builtins) const ED25519: &str = "1.3.101.112";

/// The key of a DER `SubjectPublicKeyInfo`.
pub(in crate::builtins) fn der(bytes: &[u8]) -> Option<PublicKey> {
    let (rest, info) = SubjectPublicKeyInfo::from_der(bytes).ok()?;
    if rest.is_empty() { key(&info) } else { None }
}

/// The key; nothing where it is malformed.
pub(in crate::builtins) fn key(info: &SubjectPublicKeyInfo<'_>) -> Option<PublicKey> {
    if info.algorithm.algorithm.to_id_string() == ED25519 {
        let bytes = info.subject_public_key.data.to_vec();
        return (bytes.len() == 32).then_some(PublicKey::Ed25519(bytes));
    }
    Some(match info.parsed().ok()? {
        Parsed::RSA(rsa) if rsa.modulus.len().max(rsa.exponent.len()) > LONGEST => return None,
        Parsed::RSA(rsa) => {
            PublicKey::Rsa(RsaPublic { n: significant(rsa.modulus).to_vec(), e: significant(rsa.exponent).to_vec() })
        }
        Parsed::EC(point) => {
            let curve: Oid<'_> = info.algorithm.parameters.as_ref()?.clone().try_into().ok()?;
            match Curve::identified(&curve.to_id_string()) {
                Some(curve) => PublicKey::Ec(EcPublic::new(curve, point.data())?),
                None => PublicKey::Other,
            }
        }
        _ => PublicKey::Other,
    })
}
