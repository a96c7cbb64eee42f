//! Sorting that is paid for: stable, and it may end early.

use std::cmp::Ordering;

use super::Value;
use super::meter::Meter;

/// A value that others are sorted by.
pub(super) trait Keyed {
    fn key(&self) -> &Value;
}

impl Keyed for Value {
    fn key(&self) -> &Value {
        self
    }
}

impl Keyed for (Value, Value) {
    fn key(&self) -> &Value {
        &self.0
    }
}

/// Values up to this size are compared without being asked for each part.
const SMALL: u32 = 64;

/// Whether each is less than the next: nothing to sort, nothing to drop.
pub(super) fn is_strictly_sorted<T: Keyed, M: Meter>(items: &[T], meter: &mut M) -> Result<bool, M::Stop> {
    for (a, b) in items.iter().zip(items.iter().skip(1)) {
        if a.key().compare_within(b.key(), meter)? != Ordering::Less {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Sorts in OPA's order; what is equal stays in its order. Paid by comparison, up front where the values are small.
pub(super) fn sort<T: Keyed, M: Meter>(items: &mut Vec<T>, meter: &mut M) -> Result<(), M::Stop> {
    let largest = items.iter().map(|item| item.key().nodes()).max().unwrap_or(0);
    if largest <= SMALL {
        let rounds = u64::from(items.len().checked_ilog2().unwrap_or(0)).saturating_add(1);
        meter.step(rounds.saturating_mul(u64::try_from(items.len()).unwrap_or(u64::MAX)))?;
        if items.iter().all(|item| matches!(item.key(), Value::String(_))) {
            items.sort_by(|a, b| texts(a.key(), b.key()));
        } else {
            items.sort_by(|a, b| a.key().cmp(b.key()));
        }
        return Ok(());
    }
    let mut runs: Vec<Vec<T>> = std::mem::take(items).into_iter().map(|item| vec![item]).collect();
    while runs.len() > 1 {
        let mut next = Vec::with_capacity(runs.len().div_ceil(2));
        let mut rest = runs.into_iter();
        while let Some(first) = rest.next() {
            next.push(match rest.next() {
                Some(second) => merge(first, second, meter)?,
                None => first,
            });
        }
        runs = next;
    }
    *items = runs.pop().unwrap_or_default();
    Ok(())
}

/// The order of two texts.
fn texts(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::String(a), Value::String(b)) => a.as_bytes().cmp(b.as_bytes()),
        (a, b) => a.cmp(b),
    }
}

fn merge<T: Keyed, M: Meter>(first: Vec<T>, second: Vec<T>, meter: &mut M) -> Result<Vec<T>, M::Stop> {
    let mut merged = Vec::with_capacity(first.len().saturating_add(second.len()));
    let (mut first, mut second) = (first.into_iter().peekable(), second.into_iter().peekable());
    while let (Some(a), Some(b)) = (first.peek(), second.peek()) {
        let from = if b.key().compare_within(a.key(), meter)? == Ordering::Less { &mut second } else { &mut first };
        merged.extend(from.next());
    }
    merged.extend(first);
    merged.extend(second);
    Ok(merged)
}

/// Takes out all but the first of equal ones, which stand side by side.
pub(super) fn dedup<M: Meter>(items: &mut Vec<Value>, meter: &mut M) -> Result<(), M::Stop> {
    if items.iter().all(|item| item.nodes() <= SMALL) {
        meter.step(u64::try_from(items.len()).unwrap_or(u64::MAX))?;
        items.dedup();
        return Ok(());
    }
    let mut kept: Vec<Value> = Vec::with_capacity(items.len());
    for item in items.drain(..) {
        if let Some(last) = kept.last()
            && last.equal_within(&item, meter)?
        {
            continue;
        }
        kept.push(item);
    }
    *items = kept;
    Ok(())
}
