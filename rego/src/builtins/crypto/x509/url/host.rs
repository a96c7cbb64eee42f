//! The authority of a URL: user, host and port, as Go's `net/url` reads them.

use std::net::Ipv6Addr;

use super::escape::{Part, quoted, unescape};

/// The host, port included; what stands for the user is only checked.
pub(super) fn authority(scheme: &str, authority: &str) -> Result<String, String> {
    let Some((user, host)) = authority.rsplit_once('@') else { return host_and_port(scheme, authority) };
    let host = host_and_port(scheme, host)?;
    if !user.chars().all(|c| c.is_ascii_alphanumeric() || "-._:~!$&'()*+,;=%@".contains(c)) {
        return Err("net/url: invalid userinfo".to_owned());
    }
    for part in user.splitn(2, ':') {
        unescape(part, Part::UserPassword)?;
    }
    Ok(host)
}

fn host_and_port(scheme: &str, host: &str) -> Result<String, String> {
    match host.rfind('[') {
        Some(0) => return literal(host),
        Some(_) => return Err("invalid IP-literal".to_owned()),
        None => {}
    }
    if let (Some(first), Some(last)) = (host.find(':'), host.rfind(':')) {
        // Other schemes have lists of hosts, with ports.
        let from = if matches!(scheme, "http" | "https") { first } else { last };
        check_port(host.get(from..).unwrap_or_default())?;
    }
    unescape(host, Part::Host)
}

/// `[address]` or `[address%25zone]`, and maybe a port.
fn literal(host: &str) -> Result<String, String> {
    let (address, port) = host.rsplit_once(']').ok_or("missing ']' in host")?;
    check_port(port)?;
    let port = unescape(port, Part::Host)?;
    let name = address.strip_prefix('[').unwrap_or(address);
    let name = match name.find("%25") {
        Some(zone) => {
            let (address, zone) = name.split_at(zone);
            unescape(address, Part::Host)? + &unescape(zone, Part::Zone)?
        }
        None => unescape(name, Part::Host)?,
    };
    check_address(&name)?;
    Ok(format!("[{name}]{port}"))
}

fn check_address(name: &str) -> Result<(), String> {
    let (address, zone) = name.split_once('%').unwrap_or((name, "zone"));
    if address.parse::<std::net::Ipv4Addr>().is_ok() && address == name {
        return Err("invalid IP-literal".to_owned());
    }
    let invalid = |why: &str| format!("invalid host: ParseAddr({}): {why}", quoted(name));
    if zone.is_empty() {
        return Err(invalid("zone must be a non-empty string"));
    }
    address.parse::<Ipv6Addr>().map(drop).map_err(|_| invalid("unable to parse IP"))
}

fn check_port(port: &str) -> Result<(), String> {
    if is_port(port) { Ok(()) } else { Err(format!("invalid port {} after host", quoted(port))) }
}

/// Nothing, or a colon and digits.
fn is_port(port: &str) -> bool {
    port.is_empty() || port.strip_prefix(':').is_some_and(|digits| digits.bytes().all(|b| b.is_ascii_digit()))
}
