//! `net.cidr_merge`: the fewest networks that hold the same addresses.

use std::net::IpAddr;

use crate::value::Value;

use super::network::Network;
use crate::builtins::BuiltinError;
use crate::builtins::error::Answer;
use crate::builtins::{Context, operand};

/// Addresses from the first to the last, of one family; the network, if they are one as it was given.
#[derive(Clone, Debug)]
struct Range {
    v4: bool,
    last: u128,
    first: u128,
    net: Option<Network>,
}

/// IPv4 addresses stand among those of IPv6 as the mapped ones.
const MAPPED: u128 = 0xffff << 32;

impl Range {
    fn bounds(&self) -> (u128, u128) {
        let offset = if self.v4 { MAPPED } else { 0 };
        (self.last | offset, self.first | offset)
    }

    fn joins(&self, before: &Self) -> bool {
        let (_, first) = self.bounds();
        if before.v4 && !self.v4 && before.bounds().1 < first {
            return false;
        }
        // Nothing is before the first address of a family.
        let previous = if self.first == 0 { first } else { first - 1 };
        previous <= before.bounds().0
    }

    fn join(self, before: Self) -> Self {
        let (v4, first) = if before.bounds().1 < self.bounds().1 { (before.v4, before.first) } else { (self.v4, self.first) };
        let last = if v4 == self.v4 { self.last } else { self.bounds().0 };
        Self { v4, last, first, net: None }
    }

    fn networks(&self) -> Vec<Network> {
        self.net.map_or_else(|| Network::cover(self.first, self.last, self.v4), |net| vec![net])
    }
}

/// Merges the networks and addresses of an array or a set.
pub(super) fn merge(context: &mut Context, operands: &[&Value]) -> Answer {
    let elements = match operand::at(operands, 0)? {
        Value::Array(items) => items.items(),
        Value::Set(members) => members.members(),
        _ => return Err(BuiltinError::failed("operand must be an array")),
    };
    let mut ranges = Vec::new();
    for element in elements {
        context.account.charge(size_of::<Range>())?;
        ranges.push(range(network(context, element)?));
    }
    let mut merged = Vec::new();
    for network in joined(ranges).iter().flat_map(Range::networks) {
        context.account.charge(super::ADDRESS)?;
        merged.push(Value::from(network.to_string()));
    }
    Ok(Some(Value::set(merged)))
}

fn range(net: Network) -> Range {
    let (first, last) = net.range();
    Range { v4: net.is_ipv4(), first, last, net: Some(net) }
}

fn network(context: &mut Context, element: &Value) -> Result<Network, BuiltinError> {
    if element.as_str().is_none() {
        return Err(BuiltinError::failed("element must be string"));
    }
    let text = super::text(context, element)?;
    match text.parse::<IpAddr>() {
        Ok(IpAddr::V4(v4)) => Ok(Network::classful(v4)),
        Ok(IpAddr::V6(v6)) => {
            let classful = v6.to_ipv4_mapped().map(Network::classful);
            classful.ok_or_else(|| BuiltinError::failed("IPv6 invalid: needs prefix length"))
        }
        Err(_) => Network::parse(text),
    }
}

/// From the last to the first, each is joined to the one before it where they touch.
fn joined(mut ranges: Vec<Range>) -> Vec<Range> {
    ranges.sort_by_key(Range::bounds);
    let mut joined: Vec<Range> = Vec::new();
    let mut current = ranges.pop();
    while let Some(range) = current {
        match ranges.pop() {
            Some(before) if range.joins(&before) => current = Some(range.join(before)),
            before => {
                joined.push(range);
                current = before;
            }
        }
    }
    joined
}
