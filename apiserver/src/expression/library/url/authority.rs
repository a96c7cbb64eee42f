//! The part of a URL between `//` and the path: user, host and port. Source: Go's `net/url`, `parseAuthority`.

use std::net::Ipv6Addr;

use super::escape;
use super::parse::Fault;

/// The host, with its port, unescaped.
pub(super) fn host(scheme: &str, authority: &str) -> Result<String, Fault> {
    let Some((user, host)) = authority.rsplit_once('@') else { return checked(scheme, authority) };
    let host = checked(scheme, host)?;
    let is_user = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:~!$&'()*+,;=%@".contains(&byte);
    if !user.bytes().all(is_user) {
        return Err(Fault::User);
    }
    escape::check_path(user)?;
    Ok(host)
}

fn checked(scheme: &str, host: &str) -> Result<String, Fault> {
    match host.rfind('[') {
        Some(0) => return literal(host),
        Some(_) => return Err(Fault::Literal),
        None => {}
    }
    // More than one colon is for lists of hosts, which other schemes have.
    let is_web = matches!(scheme, "http" | "https");
    let colon = if is_web { host.find(':') } else { host.rfind(':') };
    port(colon.and_then(|colon| host.get(colon..)).unwrap_or_default())?;
    Ok(escape::host(host)?)
}

/// An IPv6 address in brackets.
fn literal(host: &str) -> Result<String, Fault> {
    let (address, after) = host.strip_prefix('[').and_then(|rest| rest.rsplit_once(']')).ok_or(Fault::Bracket)?;
    port(after)?;
    let (bare, zone) = address.split_once("%25").map_or((address, None), |(bare, zone)| (bare, Some(zone)));
    if bare.parse::<Ipv6Addr>().is_err() || zone.is_some_and(str::is_empty) {
        return Err(Fault::Literal);
    }
    let zone = zone.map(|zone| escape::host(zone).map(|zone| format!("%{zone}"))).transpose()?.unwrap_or_default();
    Ok(format!("[{bare}{zone}]{after}"))
}

fn port(text: &str) -> Result<(), Fault> {
    if is_port(text) { Ok(()) } else { Err(Fault::Port(text.to_owned())) }
}

/// Nothing, or a colon and digits.
fn is_port(text: &str) -> bool {
    text.is_empty() || text.strip_prefix(':').is_some_and(|port| port.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Name and port of a host.
pub(super) fn split(host: &str) -> (&str, &str) {
    let (name, port) = match host.rfind(':').and_then(|colon| host.split_at_checked(colon)) {
        Some((name, port)) if is_port(port) => (name, port.strip_prefix(':').unwrap_or(port)),
        _ => (host, ""),
    };
    (name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name), port)
}
