//! Certificates and keys as Go's `encoding/json` writes them.

mod key;
mod names;

pub(super) use key::{key, key_algorithm, public_key};
pub(super) use names::{name, subject_names};
use num_bigint::BigUint;

use super::certificate::Certificate;
use super::extensions::{Extension, Extensions};
use crate::builtins::crypto::base64;
use crate::value::Value;

/// The members of an object, in any order.
#[derive(Debug, Default)]
pub(super) struct Members(Vec<(Value, Value)>);

impl Members {
    pub(super) fn insert(&mut self, name: impl Into<Value>, value: Value) {
        self.0.push((name.into(), value));
    }

    pub(super) fn extend(&mut self, others: Self) {
        self.0.extend(others.0);
    }
}

impl From<Members> for Value {
    fn from(members: Members) -> Self {
        Self::object(members.0)
    }
}

/// An object by its members.
pub(super) fn object<const N: usize>(members: [(&str, Value); N]) -> Members {
    Members(members.into_iter().map(|(name, value)| (Value::from(name), value)).collect())
}

/// Bytes; an empty slice is none.
pub(super) fn bytes(bytes: &[u8]) -> Value {
    if bytes.is_empty() { Value::Null } else { Value::from(base64::encode(bytes)) }
}

/// A list, or `null` where Go has no slice.
pub(super) fn list<T>(items: &[T], show: impl Fn(&T) -> Value) -> Value {
    if items.is_empty() { Value::Null } else { Value::array(items.iter().map(show)) }
}

/// A number of any size, its bytes from the largest on.
pub(super) fn number(bytes: &[u8]) -> Value {
    Value::number(&BigUint::from_bytes_be(bytes).to_string()).unwrap_or(Value::Null)
}

fn text(text: &impl AsRef<str>) -> Value {
    Value::from(text.as_ref())
}

/// An object identifier as its numbers.
pub(super) fn oid(oid: &impl AsRef<str>) -> Value {
    let numbers = oid.as_ref().split('.').map(|part| Value::number(part).unwrap_or(Value::Null));
    Value::array(numbers)
}

/// A certificate; `uris` adds what OPA adds to Go's members.
pub(super) fn certificate(certificate: &Certificate, uris: bool) -> Value {
    let c = certificate;
    let mut members = object([
        ("Raw", bytes(&c.raw)),
        ("RawTBSCertificate", bytes(&c.signed)),
        ("RawSubjectPublicKeyInfo", bytes(&c.key.raw)),
        ("RawSubject", bytes(&c.subject.raw)),
        ("RawIssuer", bytes(&c.issuer.raw)),
        ("Signature", bytes(&c.signature)),
        ("SignatureAlgorithm", Value::from(c.algorithm.number)),
        ("PublicKeyAlgorithm", key_algorithm(&c.key.key)),
        ("PublicKey", public_key(&c.key.key)),
        ("Version", Value::from(i64::from(c.version))),
        ("SerialNumber", number(&c.serial)),
        ("Issuer", name(&c.issuer)),
        ("Subject", name(&c.subject)),
        ("NotBefore", time(c.not_before)),
        ("NotAfter", time(c.not_after)),
    ]);
    extensions(&c.extensions, &mut members);
    if uris {
        members.insert("URIStrings", list(&c.extensions.names.uris, text));
    }
    members.into()
}

fn extensions(e: &Extensions, members: &mut Members) {
    let path_length = match e.constraints {
        Some((_, length)) => length.map_or(-1, i64::from),
        None => 0,
    };
    members.extend(object([
        ("KeyUsage", Value::from(e.key_usage)),
        ("Extensions", list(&e.all, extension)),
        ("ExtraExtensions", Value::Null),
        ("UnhandledCriticalExtensions", list(&e.unhandled_critical, oid)),
        ("ExtKeyUsage", list(&e.usages, |usage| Value::from(*usage))),
        ("UnknownExtKeyUsage", list(&e.unknown_usages, oid)),
        ("BasicConstraintsValid", Value::from(e.constraints.is_some())),
        ("IsCA", Value::from(e.constraints.is_some_and(|(authority, _)| authority))),
        ("MaxPathLen", Value::from(path_length)),
        ("MaxPathLenZero", Value::from(matches!(e.constraints, Some((_, Some(0)))))),
        ("SubjectKeyId", bytes(&e.subject_key)),
        ("AuthorityKeyId", bytes(&e.authority_key)),
        ("OCSPServer", list(&e.ocsp, text)),
        ("IssuingCertificateURL", list(&e.issuing, text)),
        ("CRLDistributionPoints", list(&e.crls, text)),
        ("PermittedDNSDomainsCritical", Value::from(e.name_constraints_critical)),
    ]));
    subject_names(&e.names, members);
    for (kind, names) in [("Permitted", &e.permitted), ("Excluded", &e.excluded)] {
        names::constraints(kind, names, members);
    }
    policies(e, members);
}

fn policies(e: &Extensions, members: &mut Members) {
    let mapping = |(issuer, subject): &(String, String)| {
        object([("IssuerDomainPolicy", text(issuer)), ("SubjectDomainPolicy", text(subject))]).into()
    };
    members.extend(object([
        ("PolicyIdentifiers", list(&e.policies, oid)),
        ("Policies", list(&e.policies, text)),
        ("PolicyMappings", list(&e.mappings, mapping)),
    ]));
    let limits = [
        ("InhibitAnyPolicy", e.inhibit_any),
        ("RequireExplicitPolicy", e.require_explicit),
        ("InhibitPolicyMapping", e.inhibit_mapping),
    ];
    for (name, limit) in limits {
        members.insert(name, Value::from(i64::from(limit.unwrap_or(0))));
        members.insert(format!("{name}Zero"), Value::from(limit == Some(0)));
    }
}

/// An extension as it stands.
pub(super) fn extension(extension: &Extension) -> Value {
    let critical = Value::from(extension.critical);
    object([("Id", oid(&extension.oid)), ("Critical", critical), ("Value", Value::from(base64::encode(&extension.value)))]).into()
}

/// RFC 3339, in UTC.
fn time(seconds: i64) -> Value {
    let time = chrono::DateTime::from_timestamp(seconds, 0);
    time.map_or(Value::Null, |time| Value::from(time.format("%Y-%m-%dT%H:%M:%SZ").to_string()))
}
