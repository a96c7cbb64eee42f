//! `net.cidr_merge`: the fewest networks that hold the same addresses.

use std::collections::BTreeSet;
use std::net::IpAddr;

use regorus::Value;

use super::net::Net;
use crate::rego::builtins::error::BuiltinError;
use crate::rego::builtins::operand;

/// Addresses from the first to the last, of one family; the network, if they are one as it was given.
#[derive(Clone, Debug)]
struct Range {
    v4: bool,
    last: u128,
    first: u128,
    net: Option<Net>,
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

    fn nets(&self) -> Vec<Net> {
        self.net.map_or_else(|| Net::cover(self.first, self.last, self.v4), |net| vec![net])
    }
}

/// Merges the networks and addresses of an array or a set.
pub(super) fn merge(values: &[Value]) -> Result<Value, BuiltinError> {
    let nets: Vec<Net> = match operand::any(values, 1) {
        Value::Array(items) => items.iter().map(net).collect::<Result<_, _>>()?,
        Value::Set(items) => items.iter_sorted().map(net).collect::<Result<_, _>>()?,
        _ => return Err(BuiltinError::other("operand must be an array")),
    };
    let merged = joined(nets.into_iter().map(range).collect());
    let nets = merged.iter().flat_map(Range::nets);
    Ok(nets.map(|net| Value::from(net.to_string())).collect::<BTreeSet<_>>().into())
}

fn range(net: Net) -> Range {
    let (first, last) = net.range();
    Range { v4: net.is_ipv4(), first, last, net: Some(net) }
}

fn net(element: &Value) -> Result<Net, BuiltinError> {
    let Value::String(text) = element else { return Err(BuiltinError::other("element must be string")) };
    match text.parse::<IpAddr>() {
        Ok(IpAddr::V4(v4)) => Ok(Net::classful(v4)),
        Ok(IpAddr::V6(v6)) => {
            v6.to_ipv4_mapped().map(Net::classful).ok_or_else(|| BuiltinError::other("IPv6 invalid: needs prefix length"))
        }
        Err(_) => Net::parse(text),
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
