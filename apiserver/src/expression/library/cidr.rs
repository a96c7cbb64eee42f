//! Blocks of IP addresses. Source: `apiserver` `pkg/cel/library/cidr.go` and Go's `net/netip`.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use cel::common::types::{CelBool, CelInt, CelString, Type};
use cel::{DeclarationError, Env, ExecutionError};

use super::failed;
use super::ip::{self, AddressError};
use super::opaque::{Held, Opaque, kind};

/// An address and how many of its bits count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cidr {
    address: IpAddr,
    bits: u32,
}

impl Opaque for Cidr {
    const KIND: &'static Type = &kind("net.CIDR");
}

/// Why a text is no block. The texts are upstream's.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
enum CidrError {
    #[error("network address parse error during conversion from string: netip.ParsePrefix({0:?}): {1}")]
    Malformed(String, &'static str),
    #[error("IPv4-mapped IPv6 address {0:?} is not allowed")]
    Mapped(String),
}

pub(super) fn register(env: &mut Env) -> Result<(), DeclarationError> {
    env.add_type(Cidr::KIND.to_owned())?;
    cel::add_overload!(env, fn cidr: (CelString) -> Result<Held<Cidr>>)?;
    cel::add_overload!(env, fn is_cidr: (CelString) -> CelBool, name = "isCIDR")?;
    cel::add_overload!(env, fn string: (Held<Cidr>) -> CelString, id = "cidr_to_string")?;
    cel::add_member_overload!(env, fn contains_ip: (Held<Cidr>, Held<IpAddr>) -> CelBool, name = "containsIP")?;
    cel::add_member_overload!(env, fn contains_ip_text: (Held<Cidr>, CelString) -> Result<CelBool>, name = "containsIP")?;
    cel::add_member_overload!(env, fn contains_cidr: (Held<Cidr>, Held<Cidr>) -> CelBool, name = "containsCIDR")?;
    cel::add_member_overload!(env, fn contains_cidr_text: (Held<Cidr>, CelString) -> Result<CelBool>, name = "containsCIDR")?;
    cel::add_member_overload!(env, fn address: (Held<Cidr>) -> Held<IpAddr>, name = "ip")?;
    cel::add_member_overload!(env, fn prefix_length: (Held<Cidr>) -> CelInt)?;
    cel::add_member_overload!(env, fn masked: (Held<Cidr>) -> Held<Cidr>)
}

impl Cidr {
    /// Reads `10.0.0.0/8`. Bits behind the mask may be set.
    fn parse(text: &str) -> Result<Self, CidrError> {
        let malformed = |why| CidrError::Malformed(text.to_owned(), why);
        let (address, bits) = text.rsplit_once('/').ok_or_else(|| malformed("no '/'"))?;
        let address = ip::parse(address).map_err(|error| match error {
            AddressError::Mapped(_) => CidrError::Mapped(text.to_owned()),
            AddressError::Zone(_) => malformed("IPv6 zones cannot be present in a prefix"),
            AddressError::Malformed(_, why) => malformed(why),
        })?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let is_number = bits.bytes().all(|byte| byte.is_ascii_digit()) && (bits.len() == 1 || !bits.starts_with('0'));
        let bits = bits.parse::<u32>().ok().filter(|_| is_number).ok_or_else(|| malformed("bad bits after slash"))?;
        if bits <= most { Ok(Self { address, bits }) } else { Err(malformed("prefix length out of range")) }
    }

    fn masked(self) -> Self {
        let address = match self.address {
            IpAddr::V4(address) => {
                let mask = u32::MAX.checked_shl(32 - self.bits).unwrap_or(0);
                Ipv4Addr::from_bits(address.to_bits() & mask).into()
            }
            IpAddr::V6(address) => {
                let mask = u128::MAX.checked_shl(128 - self.bits).unwrap_or(0);
                Ipv6Addr::from_bits(address.to_bits() & mask).into()
            }
        };
        Self { address, bits: self.bits }
    }

    fn contains(self, address: IpAddr) -> bool {
        self.address.is_ipv4() == address.is_ipv4() && Self { address, bits: self.bits }.masked().address == self.masked().address
    }

    fn covers(self, other: Self) -> bool {
        self.bits <= other.bits && self.contains(other.address)
    }
}

fn cidr(text: &CelString<'_>) -> Result<Held<Cidr>, ExecutionError> {
    let wrapped = |error| failed("cidr", format!("network address parse error during conversion from string: {error}"));
    Cidr::parse(text.inner()).map(Held).map_err(wrapped)
}

fn is_cidr(text: &CelString<'_>) -> CelBool {
    Cidr::parse(text.inner()).is_ok().into()
}

fn string(cidr: &Held<Cidr>) -> CelString<'static> {
    format!("{}/{}", cidr.0.address, cidr.0.bits).into()
}

fn contains_ip(cidr: &Held<Cidr>, ip: &Held<IpAddr>) -> CelBool {
    cidr.0.contains(ip.0).into()
}

/// Upstream loses why the text is no address: what is told is that nothing fits.
fn contains_ip_text(cidr: &Held<Cidr>, text: &CelString<'_>) -> Result<CelBool, ExecutionError> {
    let address = ip::parse(text.inner()).map_err(|_| ExecutionError::no_such_overload("containsIP", Vec::new()))?;
    Ok(cidr.0.contains(address).into())
}

fn contains_cidr(cidr: &Held<Cidr>, other: &Held<Cidr>) -> CelBool {
    cidr.0.covers(other.0).into()
}

fn contains_cidr_text(cidr: &Held<Cidr>, text: &CelString<'_>) -> Result<CelBool, ExecutionError> {
    Ok(cidr.0.covers(self::cidr(text)?.0).into())
}

fn address(cidr: &Held<Cidr>) -> Held<IpAddr> {
    Held(cidr.0.address)
}

fn prefix_length(cidr: &Held<Cidr>) -> CelInt {
    i64::from(cidr.0.bits).into()
}

fn masked(cidr: &Held<Cidr>) -> Held<Cidr> {
    Held(cidr.0.masked())
}
