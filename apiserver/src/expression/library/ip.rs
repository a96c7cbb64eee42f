//! IP addresses. Source: `apiserver` `pkg/cel/library/ip.go` and Go's `net/netip`.

use std::net::IpAddr;

use cel::common::types::{CelBool, CelInt, CelString, Type};
use cel::{DeclarationError, Env, ExecutionError};

use super::failed;
use super::opaque::{Held, Opaque, kind};

impl Opaque for IpAddr {
    const KIND: &'static Type = &kind("net.IP");
}

/// Why a text is no address that is allowed. The texts are upstream's.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub(super) enum AddressError {
    /// It is none.
    #[error("IP Address {0:?} parse error during conversion from string: ParseAddr({0:?}): {1}")]
    Malformed(String, &'static str),
    /// It names an interface of one machine.
    #[error("IP address {0:?} with zone value is not allowed")]
    Zone(String),
    /// It has a shorter form.
    #[error("IPv4-mapped IPv6 address {0:?} is not allowed")]
    Mapped(String),
}

pub(super) fn register(env: &mut Env) -> Result<(), DeclarationError> {
    env.add_type(IpAddr::KIND.to_owned())?;
    cel::add_overload!(env, fn ip: (CelString) -> Result<Held<IpAddr>>, name = "ip")?;
    cel::add_overload!(env, fn is_ip: (CelString) -> CelBool, name = "isIP")?;
    cel::add_overload!(env, fn is_canonical: (CelString) -> Result<CelBool>, name = "ip.isCanonical")?;
    cel::add_overload!(env, fn string: (Held<IpAddr>) -> CelString, id = "ip_to_string")?;
    cel::add_member_overload!(env, fn family: (Held<IpAddr>) -> CelInt)?;
    cel::add_member_overload!(env, fn is_unspecified: (Held<IpAddr>) -> CelBool)?;
    cel::add_member_overload!(env, fn is_loopback: (Held<IpAddr>) -> CelBool)?;
    cel::add_member_overload!(env, fn is_link_local_multicast: (Held<IpAddr>) -> CelBool)?;
    cel::add_member_overload!(env, fn is_link_local_unicast: (Held<IpAddr>) -> CelBool)?;
    cel::add_member_overload!(env, fn is_global_unicast: (Held<IpAddr>) -> CelBool)
}

/// Reads an address: no leading zeros, no zone, no IPv4 within IPv6. Fails when it is none.
pub(super) fn parse(text: &str) -> Result<IpAddr, AddressError> {
    let address = text.split_once('%').map_or(text, |(address, _)| address);
    let malformed = |_| AddressError::Malformed(text.to_owned(), fault(text));
    let parsed: IpAddr = address.parse().map_err(malformed)?;
    match parsed {
        IpAddr::V4(_) if address != text => Err(AddressError::Malformed(text.to_owned(), "unexpected character")),
        _ if address != text => Err(AddressError::Zone(text.to_owned())),
        IpAddr::V6(mapped) if mapped.to_ipv4_mapped().is_some() => Err(AddressError::Mapped(text.to_owned())),
        address => Ok(address),
    }
}

/// Go tells more of what is wrong inside an address; the kind of address is told alike.
fn fault(text: &str) -> &'static str {
    let dotted = text.bytes().find(|byte| matches!(byte, b'.' | b':' | b'%'));
    match dotted {
        Some(b'.') => "IPv4 address is malformed",
        Some(b':') => "IPv6 address is malformed",
        Some(_) => "missing IPv6 address",
        None => "unable to parse IP",
    }
}

fn ip(text: &CelString<'_>) -> Result<Held<IpAddr>, ExecutionError> {
    parse(text.inner()).map(Held).map_err(|error| failed("ip", error))
}

fn is_ip(text: &CelString<'_>) -> CelBool {
    parse(text.inner()).is_ok().into()
}

fn is_canonical(text: &CelString<'_>) -> Result<CelBool, ExecutionError> {
    let address = parse(text.inner()).map_err(|error| failed("ip.isCanonical", error))?;
    Ok((address.to_string() == text.inner()).into())
}

fn string(ip: &Held<IpAddr>) -> CelString<'static> {
    ip.0.to_string().into()
}

fn family(ip: &Held<IpAddr>) -> CelInt {
    if ip.0.is_ipv4() { 4 } else { 6 }.into()
}

fn is_unspecified(ip: &Held<IpAddr>) -> CelBool {
    ip.0.is_unspecified().into()
}

fn is_loopback(ip: &Held<IpAddr>) -> CelBool {
    ip.0.is_loopback().into()
}

fn is_link_local_multicast(ip: &Held<IpAddr>) -> CelBool {
    let is = match ip.0 {
        IpAddr::V4(address) => matches!(address.octets(), [224, 0, 0, _]),
        IpAddr::V6(address) => address.segments()[0] & 0xff0f == 0xff02,
    };
    is.into()
}

fn is_link_local_unicast(ip: &Held<IpAddr>) -> CelBool {
    is_link_local(ip.0).into()
}

fn is_link_local(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.is_link_local(),
        IpAddr::V6(address) => address.is_unicast_link_local(),
    }
}

/// Private addresses are global, too.
fn is_global_unicast(ip: &Held<IpAddr>) -> CelBool {
    let broadcast = matches!(ip.0, IpAddr::V4(address) if address.is_broadcast());
    let special = ip.0.is_unspecified() || ip.0.is_loopback() || ip.0.is_multicast() || is_link_local(ip.0);
    (!broadcast && !special).into()
}
