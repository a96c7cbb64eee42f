//! A network as Go knows it (`net.ParseCIDR`, `net.IPNet`): an IPv4-mapped IPv6 network counts as one of IPv4.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::builtins::BuiltinError;

/// A network: the bits of its address after the prefix are zero, unless it was made of an address alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Network {
    address: IpAddr,
    prefix: u32,
}

impl Network {
    /// Reads `address/prefix`.
    pub(super) fn parse(text: &str) -> Result<Self, BuiltinError> {
        let invalid = || BuiltinError::failed(format!("invalid CIDR address: {text}"));
        let (address, prefix) = text.split_once('/').ok_or_else(invalid)?;
        let address: IpAddr = address.parse().map_err(|_| invalid())?;
        if prefix.is_empty() || !prefix.bytes().all(|b| b.is_ascii_digit()) {
            return Err(invalid());
        }
        let prefix: u32 = prefix.parse().map_err(|_| invalid())?;
        if prefix > width(address) {
            return Err(invalid());
        }
        Ok(Self::of(masked(address, prefix), prefix))
    }

    /// The network that classes once gave an IPv4 address, with the address as it is.
    pub(super) fn classful(address: Ipv4Addr) -> Self {
        let prefix = match address.octets().first() {
            Some(0..=127) => 8,
            Some(128..=191) => 16,
            _ => 24,
        };
        Self { address: address.into(), prefix }
    }

    fn of(address: IpAddr, prefix: u32) -> Self {
        match plain(address) {
            IpAddr::V4(v4) if address.is_ipv6() => Self { address: v4.into(), prefix: prefix.saturating_sub(96) },
            _ => Self { address, prefix },
        }
    }

    pub(super) fn first(&self) -> IpAddr {
        self.address
    }

    /// The first and the last address, as numbers of their family.
    pub(super) fn range(&self) -> (u128, u128) {
        let first = bits(masked(self.address, self.prefix));
        (first, first | hosts(self.address, self.prefix))
    }

    pub(super) fn is_ipv4(&self) -> bool {
        self.address.is_ipv4()
    }

    pub(super) fn contains(&self, address: IpAddr) -> bool {
        let address = plain(address);
        address.is_ipv4() == self.address.is_ipv4() && masked(address, self.prefix) == masked(self.address, self.prefix)
    }

    pub(super) fn contains_network(&self, inner: &Self) -> bool {
        self.is_ipv4() == inner.is_ipv4() && self.prefix <= inner.prefix && self.contains_bits(inner)
    }

    fn contains_bits(&self, inner: &Self) -> bool {
        masked(inner.address, self.prefix) == masked(self.address, self.prefix)
    }

    /// All addresses, which may be very many.
    pub(super) fn addresses(&self) -> impl Iterator<Item = IpAddr> + use<> {
        let (first, last) = self.range();
        let v4 = self.is_ipv4();
        (first..=last).map(move |bits| address(bits, v4))
    }

    /// The fewest networks that are the addresses from `first` to `last`.
    pub(super) fn cover(first: u128, last: u128, v4: bool) -> Vec<Self> {
        let (mut first, mut nets) = (first, Vec::new());
        let width = if v4 { 32 } else { 128 };
        loop {
            let mut free = first.trailing_zeros().min(width);
            while free > 0 && first | low(free) > last {
                free -= 1;
            }
            nets.push(Self { address: address(first, v4), prefix: width - free });
            match (first | low(free)).checked_add(1) {
                Some(next) if next <= last => first = next,
                _ => return nets,
            }
        }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.prefix)
    }
}

/// An IPv4-mapped address is one of IPv4.
fn plain(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V6(v6) => v6.to_ipv4_mapped().map_or(address, IpAddr::V4),
        IpAddr::V4(_) => address,
    }
}

fn width(address: IpAddr) -> u32 {
    if address.is_ipv4() { 32 } else { 128 }
}

fn bits(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(v4) => u128::from(u32::from(v4)),
        IpAddr::V6(v6) => u128::from(v6),
    }
}

fn address(bits: u128, v4: bool) -> IpAddr {
    match u32::try_from(bits) {
        Ok(bits) if v4 => Ipv4Addr::from(bits).into(),
        _ => Ipv6Addr::from(bits).into(),
    }
}

/// So many ones at the end.
fn low(count: u32) -> u128 {
    1_u128.checked_shl(count).map_or(u128::MAX, |bit| bit - 1)
}

fn hosts(address: IpAddr, prefix: u32) -> u128 {
    low(width(address).saturating_sub(prefix))
}

fn masked(net: IpAddr, prefix: u32) -> IpAddr {
    address(bits(net) & !hosts(net, prefix), net.is_ipv4())
}
