//! The formats of strings that custom resources are checked for; others say nothing. Source:
//! `apiextensions-apiserver/pkg/apiserver/validation/formats.go`.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use base64::Engine as _;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::names;

/// Whether `text` is of the format.
pub(super) fn fits(format: &str, text: &str) -> bool {
    match format {
        "date-time" => OffsetDateTime::parse(text, &Rfc3339).is_ok(),
        "date" => OffsetDateTime::parse(&format!("{text}T00:00:00Z"), &Rfc3339).is_ok(),
        "byte" => base64::engine::general_purpose::STANDARD.decode(text).is_ok(),
        "ipv4" => text.parse::<Ipv4Addr>().is_ok(),
        "ipv6" => text.parse::<Ipv6Addr>().is_ok(),
        "cidr" => is_cidr(text),
        "mac" => text.split([':', '-']).count() == 6 && text.split([':', '-']).all(|part| part.len() == 2 && is_hex(part)),
        "uuid" | "uuid3" | "uuid4" | "uuid5" => uuid::Uuid::try_parse(text).is_ok(),
        "hostname" => text.len() <= 253 && names::subdomain(&text.to_lowercase()).is_empty(),
        "email" => text.split_once('@').is_some_and(|(user, host)| !user.is_empty() && !host.is_empty()),
        "uri" => text.split_once(':').is_some_and(|(scheme, _)| !scheme.is_empty()) || text.starts_with('/'),
        "duration" => is_duration(text),
        "k8s-short-name" => names::dns_label(text).is_empty(),
        "k8s-long-name" => names::subdomain(text).is_empty(),
        _ => true,
    }
}

fn is_hex(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// An address and the length of its prefix.
pub(super) fn is_cidr(text: &str) -> bool {
    let Some((address, length)) = text.split_once('/') else { return false };
    let Ok(length) = length.parse::<u8>() else { return false };
    match address.parse::<IpAddr>() {
        Ok(IpAddr::V4(_)) => length <= 32,
        Ok(IpAddr::V6(_)) => length <= 128,
        Err(_) => false,
    }
}

/// Go's durations, such as `1h30m`.
fn is_duration(text: &str) -> bool {
    let mut rest = text.trim_start_matches(['-', '+']);
    if rest == "0" {
        return true;
    }
    let mut parts = 0;
    while !rest.is_empty() {
        let number = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let after = rest.get(number..).unwrap_or_default();
        let unit = after.find(|c: char| c.is_ascii_digit()).unwrap_or(after.len());
        let known = matches!(after.get(..unit), Some("ns" | "us" | "µs" | "ms" | "s" | "m" | "h"));
        if number == 0 || !known {
            return false;
        }
        rest = after.get(unit..).unwrap_or_default();
        parts += 1;
    }
    parts > 0
}
