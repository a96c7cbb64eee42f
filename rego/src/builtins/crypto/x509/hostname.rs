//! Whether a certificate is that of a host (RFC 6125), as Go's `VerifyHostname`: common names do not count.

use std::net::IpAddr;

use super::certificate::Certificate;
use super::extensions::address;

/// Whether the host's name, or its address, alone or in brackets, is among those of the certificate.
pub(super) fn matches(certificate: &Certificate, host: &str) -> bool {
    let names = &certificate.extensions.names;
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    if let Ok(ip) = bare.parse::<IpAddr>() {
        let ip = ip.to_canonical();
        return names.addresses.iter().any(|bytes| address(bytes).is_some_and(|of| of.to_canonical() == ip));
    }
    let host = host.to_ascii_lowercase();
    names.dns.iter().any(|pattern| match is_name(&host, false) && is_name(pattern, true) {
        true => matches_pattern(&pattern.to_ascii_lowercase(), &host),
        false => !host.is_empty() && host != "." && pattern.eq_ignore_ascii_case(&host),
    })
}

/// Whether labels are of letters, digits, `-` and `_`; the first of a pattern may be `*`.
fn is_name(name: &str, pattern: bool) -> bool {
    let name = if pattern { name } else { name.strip_suffix('.').unwrap_or(name) };
    if name.is_empty() || name == "*" {
        return false;
    }
    name.split('.').enumerate().all(|(at, label)| {
        let plain = label.char_indices().all(|(i, c)| c.is_ascii_alphanumeric() || c == '_' || c == '-' && i > 0);
        !label.is_empty() && (plain || pattern && at == 0 && label == "*")
    })
}

fn matches_pattern(pattern: &str, host: &str) -> bool {
    let host = host.strip_suffix('.').unwrap_or(host);
    let (patterns, labels): (Vec<_>, Vec<_>) = (pattern.split('.').collect(), host.split('.').collect());
    let alike = |(at, (pattern, label)): (usize, (&&str, &&str))| pattern == label || at == 0 && *pattern == "*";
    !pattern.is_empty() && patterns.len() == labels.len() && patterns.iter().zip(&labels).enumerate().all(alike)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_is_one_label() {
        for (pattern, host, expected) in [
            ("www.x.org", "www.x.org", true),
            ("*.x.org", "www.x.org", true),
            ("*.x.org", "x.org", false),
            ("*.x.org", "a.b.x.org", false),
            ("www.*.org", "www.x.org", false),
            ("www.x.org", "www.x.org.", true),
        ] {
            assert_eq!(matches_pattern(pattern, host), expected, "{pattern} {host}");
        }
        assert!(is_name("*.x.org", true) && !is_name("*.x.org", false) && !is_name("-x", true) && !is_name("a..b", true));
    }
}
