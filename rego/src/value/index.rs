//! Where a value stands in a sorted list: by halves, or by hash in a list that is asked often.

use std::cmp::Ordering as Order;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use super::meter::Meter;
use super::{Value, hash, order};

/// Up to this length, halving is as fast as hashing. Measured on two loaded cores, optimised, with keys of 15 bytes: halving takes
/// 9 ns in 2 keys, 27 in 8, 64 to 160 in 16 to 32, 210 in 1,000; hashing 13 to 25 in any number, and 25 to make it for each key.
const SHORT: usize = 8;
/// Keys up to this size are looked for without being asked for each part.
const SMALL: u32 = 64;

/// An index that makes itself once so many questions came that they cost as much as making it.
#[derive(Debug, Default)]
pub(super) struct Index {
    asked: AtomicU32,
    slots: OnceLock<Box<[u32]>>,
}

/// A byte for each of a few texts, by which nearly all of them are told apart before one is compared: 2 to 6 ns for up to 8 keys.
#[derive(Debug)]
pub(super) struct Prints([u8; PRINTED]);

/// How many texts have one at most.
const PRINTED: usize = 16;

impl Prints {
    /// Of texts; of others, and of more, they say nothing.
    pub(super) fn of(items: &[Value]) -> Self {
        let mut prints = [0; PRINTED];
        if items.len() <= PRINTED {
            for (place, item) in prints.iter_mut().zip(items) {
                *place = item.as_str().map_or(0, |text| print(text));
            }
        }
        Self(prints)
    }

    /// Where a text stands among the texts that these are of; in more of them, an index says it.
    pub(super) fn position(&self, items: &[Value], text: &str, index: &Index) -> Option<usize> {
        if items.len() > PRINTED {
            return index.text_position(items, text);
        }
        let wanted = print(text);
        let mut places = items.iter().zip(&self.0).enumerate();
        places.find_map(|(at, (item, print))| {
            (*print == wanted && matches!(item, Value::String(item) if item == text)).then_some(at)
        })
    }
}

/// A byte made of the length, and of the bytes at both ends and in the middle.
#[inline]
fn print(text: &str) -> u8 {
    let bytes = text.as_bytes();
    let at = |index: usize| bytes.get(index).copied().unwrap_or(0);
    let length = u8::try_from(bytes.len() & 0xff).unwrap_or(0);
    length.wrapping_mul(29) ^ at(0) ^ at(bytes.len() / 2).rotate_left(3) ^ at(bytes.len().saturating_sub(1)).rotate_left(5)
}

impl Index {
    /// Where an equal value stands.
    pub(super) fn position(&self, items: &[Value], key: &Value) -> Option<usize> {
        if items.len() <= SHORT || !self.is_worth_it(items.len()) {
            return items.binary_search(key).ok();
        }
        self.find(items, key.hash64(), |item| item == key)
    }

    /// Where an equal value stands; comparing with one that is large is paid for.
    pub(super) fn position_within<M: Meter>(
        &self,
        items: &[Value],
        key: &Value,
        meter: &mut M,
    ) -> Result<Option<usize>, M::Stop> {
        if key.nodes() <= SMALL {
            return Ok(self.position(items, key));
        }
        let (mut low, mut high) = (0, items.len());
        while low < high {
            let middle = low.midpoint(high);
            let Some(item) = items.get(middle) else { break };
            match item.compare_within(key, meter)? {
                Order::Less => low = middle.saturating_add(1),
                Order::Greater => high = middle,
                Order::Equal => return Ok(Some(middle)),
            }
        }
        Ok(None)
    }

    /// Where this text stands.
    pub(super) fn text_position(&self, items: &[Value], text: &str) -> Option<usize> {
        if items.len() <= SHORT || !self.is_worth_it(items.len()) {
            return items.binary_search_by(|item| order::with_text(item, text)).ok();
        }
        self.find(items, hash::of_text(text), |item| order::with_text(item, text).is_eq())
    }

    fn is_worth_it(&self, length: usize) -> bool {
        if self.slots.get().is_some() {
            return true;
        }
        let asked = self.asked.fetch_add(1, Ordering::Relaxed);
        usize::try_from(asked).is_ok_and(|asked| asked >= length / 8)
    }

    fn find(&self, items: &[Value], hash: u64, is_it: impl Fn(&Value) -> bool) -> Option<usize> {
        let slots = self.slots.get_or_init(|| filled(items));
        let mut at = place(hash, slots.len());
        loop {
            let position = usize::try_from((*slots.get(at)?).checked_sub(1)?).ok()?;
            if is_it(items.get(position)?) {
                return Some(position);
            }
            at = at.saturating_add(1) & slots.len().saturating_sub(1);
        }
    }
}

/// At least half of the slots are empty: 0. The others hold a position and 1 more.
fn filled(items: &[Value]) -> Box<[u32]> {
    let mut slots = vec![0_u32; items.len().saturating_mul(2).next_power_of_two()].into_boxed_slice();
    for (position, item) in (1_u32..).zip(items) {
        let mut at = place(item.hash64(), slots.len());
        while slots.get(at).is_some_and(|slot| *slot != 0) {
            at = at.saturating_add(1) & slots.len().saturating_sub(1);
        }
        if let Some(slot) = slots.get_mut(at) {
            *slot = position;
        }
    }
    slots
}

fn place(hash: u64, slots: usize) -> usize {
    usize::try_from(hash & u64::from(u32::MAX)).unwrap_or(0) & slots.saturating_sub(1)
}
