//! Hashes: equal values hash alike; seeded at random for each process; kept in collections once they are computed.

use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use super::many::Many;
use super::meter::{Free, Meter, text_steps};
use super::{Number, Value, deep, rank};

static STATE: LazyLock<foldhash::fast::RandomState> = LazyLock::new(Default::default);

/// A hash that was computed; 0 before.
#[derive(Debug, Default)]
pub(super) struct HashCell(AtomicU64);

impl HashCell {
    /// The hash, if it is known.
    pub(super) fn known(&self) -> Option<u64> {
        Some(self.0.load(Ordering::Relaxed)).filter(|hash| *hash != 0)
    }

    fn keep(&self, hash: u64) -> u64 {
        let hash = hash.max(1);
        self.0.store(hash, Ordering::Relaxed);
        hash
    }
}

impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Ok(()) = feed(self, state, &mut Free);
    }
}

impl Value {
    /// A hash of 64 bits, good in this process alone: what a map with keys of this type would compute.
    pub fn hash64(&self) -> u64 {
        let Ok(hash) = self.hash_within(&mut Free);
        hash
    }

    /// The same, paid by an account: a step for each value that has no hash yet.
    pub fn hash_within<M: Meter>(&self, meter: &mut M) -> Result<u64, M::Stop> {
        let mut state = STATE.build_hasher();
        feed(self, &mut state, meter)?;
        Ok(state.finish())
    }
}

/// The hash of a string, as [`Value::hash64`].
pub(super) fn of_text(text: &str) -> u64 {
    let mut state = STATE.build_hasher();
    feed_text(text, &mut state);
    state.finish()
}

fn feed_text(text: &str, state: &mut impl Hasher) {
    state.write_u8(rank::STRING);
    text.hash(state);
}

fn feed<M: Meter>(value: &Value, state: &mut impl Hasher, meter: &mut M) -> Result<(), M::Stop> {
    match value {
        Value::String(text) => {
            meter.step(text_steps(text.len()))?;
            feed_text(text, state);
            return Ok(());
        }
        other => state.write_u8(rank::of(other)),
    }
    match value {
        Value::Null | Value::False | Value::True | Value::String(_) => {}
        Value::Int(value) => value.hash(state),
        Value::Number(number) => Number::hash(number, state),
        Value::Array(array) => state.write_u64(kept(array, array.depth(), meter)?),
        Value::Set(set) => state.write_u64(kept(set, set.depth(), meter)?),
        Value::Object(object) => {
            let keys = kept(&object.shape.keys, object.depth(), meter)?;
            let values = kept(object, object.depth(), meter)?;
            state.write_u64(keys);
            state.write_u64(values);
        }
    }
    Ok(())
}

fn kept<M: Meter>(many: &Many, depth: u32, meter: &mut M) -> Result<u64, M::Stop> {
    if let Some(hash) = many.hash.known() {
        return Ok(hash);
    }
    let hash = deep::level(depth, || {
        let mut state = STATE.build_hasher();
        state.write_usize(many.len());
        for item in many.items() {
            meter.step(1)?;
            feed(item, &mut state, meter)?;
        }
        Ok(state.finish())
    })?;
    Ok(many.hash.keep(hash))
}
