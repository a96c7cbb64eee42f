//! Values with a part that is equal to a text, found by an index: made when a collection is gone through for the second time from
//! one place of a policy.

use std::collections::HashMap;
use std::ptr;
use std::sync::Arc;

use super::val::{Val, entry};
use super::{Evaluation, Stop};
use crate::ir::{Filter, Wanted};
use crate::value::Value;

/// Shorter collections are gone through.
const SHORT: usize = 8;
/// Behind the last one.
const END: u32 = u32::MAX;

/// Indices, by where collections and filters are in memory: both outlive the evaluation.
pub(super) type Joins<'a> = HashMap<(usize, usize), Option<Arc<Join<'a>>>, foldhash::fast::RandomState>;

/// Which members have which text.
#[derive(Default)]
pub(super) struct Join<'a> {
    first: HashMap<&'a str, u32, foldhash::fast::RandomState>,
    next: Vec<u32>,
}

impl<'a> Join<'a> {
    /// The first one with a text.
    pub(super) fn first(&self, text: &str) -> Option<usize> {
        index(*self.first.get(text)?)
    }

    /// The next one with the same text.
    pub(super) fn next(&self, member: usize) -> Option<usize> {
        index(*self.next.get(member)?)
    }

    fn put(&mut self, member: usize, text: Option<&'a str>) {
        let Some((text, number)) = text.zip(u32::try_from(member).ok()) else { return };
        let next = self.first.insert(text, number).unwrap_or(END);
        if let Some(place) = self.next.get_mut(member) {
            *place = next;
        }
    }
}

fn index(number: u32) -> Option<usize> {
    usize::try_from(number).ok().filter(|_| number != END)
}

impl<'a> Evaluation<'a> {
    /// An index of a collection, and the text that a filter wants; `None` where all members have to be gone through.
    pub(super) fn join(
        &mut self,
        collection: &'a Value,
        filter: &'a Filter,
        base: usize,
    ) -> Result<Option<(Arc<Join<'a>>, Val<'a>)>, Stop> {
        let length = collection.as_collection().unwrap_or(0);
        if length < SHORT || self.is_observed() || self.scope.has_mocks() {
            return Ok(None);
        }
        let Some(wanted) = self.wanted(&filter.wanted, base) else { return Ok(None) };
        let key = (ptr::from_ref::<Value>(collection).addr(), ptr::from_ref(filter).addr());
        let join = match self.joins.get(&key) {
            None => {
                self.joins.insert(key, None);
                return Ok(None);
            }
            Some(Some(join)) => Arc::clone(join),
            Some(None) => {
                let join = Arc::new(self.joined(collection, length, filter)?);
                self.joins.insert(key, Some(Arc::clone(&join)));
                join
            }
        };
        Ok(Some((join, wanted)))
    }

    /// What a filter wants, if it is text: numbers may be equal that are written differently.
    fn wanted(&mut self, wanted: &'a Wanted, base: usize) -> Option<Val<'a>> {
        let value = match wanted {
            Wanted::Slot(slot) => self.slot(base, *slot).clone(),
            Wanted::Constant(value) => Val::Ref(value),
            Wanted::Input(path) => Val::Ref(self.at(self.scope.input?, path)?),
        };
        matches!(value.value(), Value::String(_)).then_some(value)
    }

    fn joined(&mut self, collection: &'a Value, length: usize, filter: &'a Filter) -> Result<Join<'a>, Stop> {
        self.context.account.charge(length.saturating_mul(4 * size_of::<u64>()))?;
        let mut join = Join { next: vec![END; length], ..Join::default() };
        for member in (0..length).rev() {
            self.context.account.step(1)?;
            let Some((_, Val::Ref(value))) = entry(collection, member, Val::Ref) else { continue };
            join.put(member, self.at(value, &filter.path).and_then(Value::as_str).map(|text| text.as_str()));
        }
        Ok(join)
    }

    fn at(&mut self, value: &'a Value, path: &'a [Value]) -> Option<&'a Value> {
        path.iter().try_fold(value, |value, key| self.one_below(value, key, Value::get))
    }
}
