//! Sorting that is paid for: stable, and it may end early.

use std::cmp::Ordering;
use std::convert::Infallible;
use std::sync::Arc;

use super::Value;
use super::meter::{Free, Meter};
use super::order::{compare_items, equal_items};

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

/// From where on values that are sorted have to be compared.
pub(super) enum Lead {
    /// All are texts.
    Text,
    /// All are objects with the same keys, and the values before this one are the same in all. Whoever sorts compares each with several others,
    /// and what is deep and the same in all would cost most.
    Member(usize),
    /// Nothing is known.
    Whole,
}

impl Lead {
    fn of<T: Keyed, M: Meter>(items: &[T], meter: &mut M) -> Result<Self, M::Stop> {
        if items.iter().all(|item| matches!(item.key(), Value::String(_))) {
            return Ok(Self::Text);
        }
        let Some(Value::Object(first)) = items.first().map(Keyed::key) else { return Ok(Self::Whole) };
        let has_shape = |item: &T| matches!(item.key(), Value::Object(object) if Arc::ptr_eq(object.shape(), first.shape()));
        if !items.iter().all(has_shape) {
            return Ok(Self::Whole);
        }
        for (at, value) in first.values().iter().enumerate() {
            for item in items.iter().skip(1) {
                let [other, ..] = values_from(item.key(), at) else { return Ok(Self::Whole) };
                if !value.equal_within(other, meter)? {
                    return Ok(Self::Member(at));
                }
            }
        }
        Ok(Self::Member(first.values().len()))
    }

    fn compare<M: Meter>(&self, a: &Value, b: &Value, meter: &mut M) -> Result<Ordering, M::Stop> {
        match self {
            Self::Member(first) => compare_items(values_from(a, *first), values_from(b, *first), meter),
            Self::Text | Self::Whole => a.compare_within(b, meter),
        }
    }

    fn equal<M: Meter>(&self, a: &Value, b: &Value, meter: &mut M) -> Result<bool, M::Stop> {
        match self {
            Self::Member(first) => equal_items(values_from(a, *first), values_from(b, *first), meter),
            Self::Text | Self::Whole => a.equal_within(b, meter),
        }
    }
}

/// The values of an object's members from one on.
fn values_from(object: &Value, first: usize) -> &[Value] {
    if let Value::Object(object) = object { object.values().get(first..).unwrap_or_default() } else { &[] }
}

/// Sorts in OPA's order; what is equal stays in its order. Paid by comparison, up front where the values are small. Returns what [`dedup`] needs.
pub(super) fn sort<T: Keyed, M: Meter>(items: &mut Vec<T>, meter: &mut M) -> Result<Lead, M::Stop> {
    let largest = items.iter().map(|item| item.key().nodes()).max().unwrap_or(0);
    if largest <= SMALL {
        let rounds = u64::from(items.len().checked_ilog2().unwrap_or(0)).saturating_add(1);
        meter.step(rounds.saturating_mul(u64::try_from(items.len()).unwrap_or(u64::MAX)))?;
        let Ok(lead) = Lead::of(items, &mut Free);
        match lead {
            Lead::Text => items.sort_by(|a, b| texts(a.key(), b.key())),
            _ => items.sort_by(|a, b| free(lead.compare(a.key(), b.key(), &mut Free))),
        }
        return Ok(lead);
    }
    let lead = Lead::of(items, meter)?;
    let mut runs: Vec<Vec<T>> = std::mem::take(items).into_iter().map(|item| vec![item]).collect();
    while runs.len() > 1 {
        let mut next = Vec::with_capacity(runs.len().div_ceil(2));
        let mut rest = runs.into_iter();
        while let Some(first) = rest.next() {
            next.push(match rest.next() {
                Some(second) => merge(first, second, &lead, meter)?,
                None => first,
            });
        }
        runs = next;
    }
    *items = runs.pop().unwrap_or_default();
    Ok(lead)
}

/// Returns what was found under [`Free`], which never stops.
fn free<T>(result: Result<T, Infallible>) -> T {
    let Ok(value) = result;
    value
}

/// The order of two texts.
fn texts(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::String(a), Value::String(b)) => a.cmp(b),
        (a, b) => a.cmp(b),
    }
}

fn merge<T: Keyed, M: Meter>(first: Vec<T>, second: Vec<T>, lead: &Lead, meter: &mut M) -> Result<Vec<T>, M::Stop> {
    let mut merged = Vec::with_capacity(first.len().saturating_add(second.len()));
    let (mut first, mut second) = (first.into_iter().peekable(), second.into_iter().peekable());
    while let (Some(a), Some(b)) = (first.peek(), second.peek()) {
        let from = if lead.compare(b.key(), a.key(), meter)? == Ordering::Less { &mut second } else { &mut first };
        merged.extend(from.next());
    }
    merged.extend(first);
    merged.extend(second);
    Ok(merged)
}

/// Takes out all but the first of equal ones, which stand side by side.
pub(super) fn dedup<M: Meter>(items: &mut Vec<Value>, lead: &Lead, meter: &mut M) -> Result<(), M::Stop> {
    if items.iter().all(|item| item.nodes() <= SMALL) {
        meter.step(u64::try_from(items.len()).unwrap_or(u64::MAX))?;
        items.dedup_by(|item, last| free(lead.equal(last, item, &mut Free)));
        return Ok(());
    }
    let mut kept: Vec<Value> = Vec::with_capacity(items.len());
    for item in items.drain(..) {
        if let Some(last) = kept.last()
            && lead.equal(last, &item, meter)?
        {
            continue;
        }
        kept.push(item);
    }
    *items = kept;
    Ok(())
}
