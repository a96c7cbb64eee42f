//! A certificate, taken apart.

use x509_parser::prelude::{FromDer, X509Certificate};
use x509_parser::signature_algorithm::SignatureAlgorithm as Parsed;
use x509_parser::x509::AlgorithmIdentifier;

use super::extensions::Extensions;
use super::name::Name;
use crate::builtins::BuiltinError;
use crate::builtins::crypto::keys::{Hash, LONGEST, Padding, PublicKey, spki};

/// What of a certificate is shown or verified.
#[derive(Clone, Debug)]
pub(super) struct Certificate {
    pub(super) raw: Vec<u8>,
    pub(super) signed: Vec<u8>,
    pub(super) key: Key,
    pub(super) signature: Vec<u8>,
    pub(super) algorithm: SignatureAlgorithm,
    pub(super) version: u32,
    pub(super) serial: Vec<u8>,
    pub(super) issuer: Name,
    pub(super) subject: Name,
    /// Seconds since 1970.
    pub(super) not_before: i64,
    pub(super) not_after: i64,
    pub(super) extensions: Extensions,
}

/// A public key and its DER.
#[derive(Clone, Debug)]
pub(super) struct Key {
    pub(super) raw: Vec<u8>,
    pub(super) key: PublicKey,
}

/// How something is signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SignatureAlgorithm {
    /// Go's number for it; 0 is unknown.
    pub(super) number: i64,
    scheme: Option<Scheme>,
}

/// Those that Go verifies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scheme {
    Rsa(Padding, Hash),
    Ecdsa(Hash),
    Ed25519,
}

fn malformed(what: impl std::fmt::Display) -> BuiltinError {
    BuiltinError::failed(format!("x509: malformed certificate: {what}"))
}

impl Certificate {
    /// The first certificate of the bytes, and what follows.
    pub(super) fn parse(bytes: &[u8]) -> Result<(&[u8], Self), BuiltinError> {
        let (rest, parsed) = X509Certificate::from_der(bytes).map_err(malformed)?;
        if parsed.raw_serial().len() > LONGEST {
            return Err(malformed("serial number is too long"));
        }
        let certificate = Self {
            raw: parsed.as_raw().to_vec(),
            signed: parsed.tbs_certificate.as_ref().to_vec(),
            key: Key::of(&parsed.tbs_certificate.subject_pki)?,
            signature: parsed.signature_value.data.to_vec(),
            algorithm: SignatureAlgorithm::of(&parsed.signature_algorithm),
            version: parsed.version().0.saturating_add(1),
            serial: parsed.raw_serial().to_vec(),
            issuer: Name::of(parsed.issuer()),
            subject: Name::of(parsed.subject()),
            not_before: parsed.validity().not_before.timestamp(),
            not_after: parsed.validity().not_after.timestamp(),
            extensions: Extensions::of(parsed.extensions())?,
        };
        Ok((rest, certificate))
    }

    /// Whether the key of `parent` made the signature.
    pub(super) fn is_signed_by(&self, parent: &Self) -> bool {
        match (self.algorithm.scheme, &parent.key.key) {
            (Some(Scheme::Rsa(padding, hash)), PublicKey::Rsa(key)) => {
                key.verify(padding, hash, &hash.digest(&self.signed), &self.signature)
            }
            (Some(Scheme::Ecdsa(hash)), PublicKey::Ec(key)) => {
                two_numbers(&self.signature).is_some_and(|(r, s)| key.verify(&hash.digest(&self.signed), &r, &s))
            }
            (Some(Scheme::Ed25519), key) => key.verify_ed25519(&self.signed, &self.signature),
            _ => false,
        }
    }
}

impl Key {
    pub(super) fn of(info: &x509_parser::x509::SubjectPublicKeyInfo<'_>) -> Result<Self, BuiltinError> {
        let key = spki::key(info).ok_or_else(|| malformed("public key"))?;
        Ok(Self { raw: info.raw.to_vec(), key })
    }
}

impl SignatureAlgorithm {
    pub(super) fn of(identifier: &AlgorithmIdentifier<'_>) -> Self {
        let pkcs1 = |number, hash| (number, Some(Scheme::Rsa(Padding::Pkcs1, hash)));
        let (number, scheme) = match identifier.algorithm.to_id_string().as_str() {
            "1.2.840.113549.1.1.2" => (1, None),
            "1.2.840.113549.1.1.4" => (2, None),
            // Go verifies no SHA-1.
            "1.2.840.113549.1.1.5" | "1.3.14.3.2.29" => (3, None),
            "1.2.840.113549.1.1.11" => pkcs1(4, Hash::Sha256),
            "1.2.840.113549.1.1.12" => pkcs1(5, Hash::Sha384),
            "1.2.840.113549.1.1.13" => pkcs1(6, Hash::Sha512),
            "1.2.840.113549.1.1.10" => Self::pss(identifier),
            "1.2.840.10040.4.3" => (7, None),
            "2.16.840.1.101.3.4.3.2" => (8, None),
            "1.2.840.10045.4.1" => (9, None),
            "1.2.840.10045.4.3.2" => (10, Some(Scheme::Ecdsa(Hash::Sha256))),
            "1.2.840.10045.4.3.3" => (11, Some(Scheme::Ecdsa(Hash::Sha384))),
            "1.2.840.10045.4.3.4" => (12, Some(Scheme::Ecdsa(Hash::Sha512))),
            spki::ED25519 => (16, Some(Scheme::Ed25519)),
            _ => (0, None),
        };
        Self { number, scheme }
    }

    fn pss(identifier: &AlgorithmIdentifier<'_>) -> (i64, Option<Scheme>) {
        let Ok(Parsed::RSASSA_PSS(parameters)) = Parsed::try_from(identifier) else { return (0, None) };
        let pss = |number, hash: Hash| {
            let plain = usize::try_from(parameters.salt_length()).is_ok_and(|salt| salt == hash.size());
            if plain { (number, Some(Scheme::Rsa(Padding::Pss, hash))) } else { (0, None) }
        };
        match parameters.hash_algorithm_oid().to_id_string().as_str() {
            "2.16.840.1.101.3.4.2.1" => pss(13, Hash::Sha256),
            "2.16.840.1.101.3.4.2.2" => pss(14, Hash::Sha384),
            "2.16.840.1.101.3.4.2.3" => pss(15, Hash::Sha512),
            _ => (0, None),
        }
    }
}

/// The numbers of a DER signature of ECDSA.
fn two_numbers(der: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    use x509_parser::asn1_rs::{Integer, Sequence};
    let (rest, sequence) = Sequence::from_der(der).ok()?;
    let (inner, r) = Integer::from_der(&sequence.content).ok()?;
    let (inner, s) = Integer::from_der(inner).ok()?;
    (rest.is_empty() && inner.is_empty()).then(|| (r.as_ref().to_vec(), s.as_ref().to_vec()))
}
