//! The authority of a URL: user, host and port, as Go's `net/url` reads them.

use std::net::Ipv6Addr;

use super::error::{AddressError, UrlError};
use super::escape::{Part, escape, unescape};

/// The user, if there is one, with percent-encoding as Go writes it out; and the host, port included.
pub(super) fn authority(scheme: &str, authority: &str) -> Result<(Option<String>, String), UrlError> {
    let Some((user, host)) = authority.rsplit_once('@') else { return Ok((None, host_and_port(scheme, authority)?)) };
    let host = host_and_port(scheme, host)?;
    if !user.chars().all(|c| c.is_ascii_alphanumeric() || "-._:~!$&'()*+,;=%@".contains(c)) {
        return Err(UrlError::UserInfo);
    }
    let parts = user.splitn(2, ':').map(|part| Ok(escape(&unescape(part, Part::UserPassword)?, Part::UserPassword)));
    let parts = parts.collect::<Result<Vec<_>, UrlError>>()?;
    Ok((Some(parts.join(":")), host))
}

fn host_and_port(scheme: &str, host: &str) -> Result<String, UrlError> {
    match host.rfind('[') {
        Some(0) => return literal(host),
        Some(_) => return Err(UrlError::Literal),
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
fn literal(host: &str) -> Result<String, UrlError> {
    let (address, port) = host.rsplit_once(']').ok_or(UrlError::MissingBracket)?;
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

fn check_address(name: &str) -> Result<(), UrlError> {
    let (address, zone) = name.split_once('%').unwrap_or((name, "zone"));
    if address.parse::<std::net::Ipv4Addr>().is_ok() && address == name {
        return Err(UrlError::Literal);
    }
    let invalid = |why| UrlError::Address { name: name.into(), why };
    if zone.is_empty() {
        return Err(invalid(AddressError::EmptyZone));
    }
    address.parse::<Ipv6Addr>().map(drop).map_err(|_| invalid(AddressError::Unparsable))
}

fn check_port(port: &str) -> Result<(), UrlError> {
    if is_port(port) { Ok(()) } else { Err(UrlError::Port(port.into())) }
}

/// Nothing, or a colon and digits.
fn is_port(port: &str) -> bool {
    port.is_empty() || port.strip_prefix(':').is_some_and(|digits| digits.bytes().all(|b| b.is_ascii_digit()))
}

/// Host name without brackets, and port.
pub(super) fn split(host: &str) -> (String, String) {
    let at = host.rfind(':').filter(|at| is_port(host.get(*at..).unwrap_or_default()));
    let (name, port) = at.map_or((host, ""), |at| host.split_at(at));
    let inner = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
    (inner.to_owned(), port.trim_start_matches(':').to_owned())
}
