//! Names of subjects, and what authorities may certify of them.

use super::{Members, bytes, list, object, oid, text};
use crate::builtins::bytes as octets;
use crate::builtins::crypto::base64;
use crate::builtins::crypto::x509::extensions::{Names, address};
use crate::builtins::crypto::x509::name::Name;
use crate::builtins::uri::Url;
use crate::value::Value;

/// The names of a subject.
pub(in crate::builtins::crypto::x509) fn subject_names(names: &Names, members: &mut Members) {
    let ip = |ip: &Vec<u8>| address(ip).map_or(Value::Null, |ip| Value::from(ip.to_canonical().to_string()));
    members.extend(object([
        ("DNSNames", list(&names.dns, text)),
        ("EmailAddresses", list(&names.emails, text)),
        ("IPAddresses", list(&names.addresses, ip)),
        ("URIs", list(&names.uris, |uri| self::uri(uri))),
    ]));
}

pub(super) fn constraints(kind: &str, names: &Names, members: &mut Members) {
    let range = |range: &Vec<u8>| {
        let (ip, mask) = range.split_at(range.len() / 2);
        let ip = address(ip).map_or(Value::Null, |ip| Value::from(ip.to_string()));
        object([("IP", ip), ("Mask", bytes(mask))]).into()
    };
    let mut add = |what: &str, value| members.insert(format!("{kind}{what}"), value);
    add("DNSDomains", list(&names.dns, text));
    add("EmailAddresses", list(&names.emails, text));
    add("IPRanges", list(&names.addresses, range));
    add("URIDomains", list(&names.uris, text));
}

fn uri(uri: &str) -> Value {
    let Ok(url) = Url::parse(uri) else { return Value::Null };
    let user = if url.user.is_some() { Value::object([]) } else { Value::Null };
    // What is no UTF-8 is replaced where Go writes it out.
    let part = |part: &str| Value::from(base64::text(&octets::of(part)));
    let mut members = object([
        ("Scheme", part(&url.scheme)),
        ("Opaque", part(&url.opaque)),
        ("Host", part(&url.host)),
        ("Path", part(&url.path)),
        ("RawPath", part(&url.raw_path)),
        ("RawQuery", part(&url.raw_query)),
        ("Fragment", part(&url.fragment)),
        ("RawFragment", part(&url.raw_fragment)),
        ("ForceQuery", Value::from(url.force_query)),
        ("OmitHost", Value::from(url.omit_host)),
    ]);
    members.insert("User", user);
    members.into()
}

/// A distinguished name.
pub(in crate::builtins::crypto::x509) fn name(name: &Name) -> Value {
    let one = |n| Value::from(name.all(n).last().copied().unwrap_or_default());
    let all = |n| list(&name.all(n), text);
    let attribute = |(of, value): &(String, String)| object([("Type", oid(of)), ("Value", text(value))]).into();
    object([
        ("Country", all(6)),
        ("Organization", all(10)),
        ("OrganizationalUnit", all(11)),
        ("Locality", all(7)),
        ("Province", all(8)),
        ("StreetAddress", all(9)),
        ("PostalCode", all(17)),
        ("SerialNumber", one(5)),
        ("CommonName", one(3)),
        ("Names", list(&name.attributes, attribute)),
        ("ExtraNames", Value::Null),
    ])
    .into()
}
