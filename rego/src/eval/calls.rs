//! Answers of functions that are kept from one evaluation to the next: of functions that depend on nothing but what they are called with,
//! where that is the same in memory. `ready(cluster)` is computed again for a cluster that has changed, and for no other one.

use std::sync::atomic::{AtomicU32, Ordering};

use hashbrown::HashTable;
use parking_lot::Mutex;
use smallvec::SmallVec;

use super::Evaluation;
use super::val::Val;
use crate::ir::GroupId;
use crate::value::Value;

/// Each shard has a lock of its own, which is held for one lookup.
const SHARDS: usize = 16;

/// So many bytes are kept for a program, those of the operands included.
const MOST: usize = 16 << 20;

/// A function of which so many answers were kept, and fewer than one of so many was ever used, is called with other values each time.
const TRIED: u32 = 32_768;
const ONE_OF: u32 = 4;

/// Texts that are longer are not compared, nor kept.
const LONGEST: usize = 256;

/// What a value takes, and what is said about an answer, in bytes.
const VALUE: usize = size_of::<Value>();
const ANSWER: usize = 128;

/// The answers that are kept for a program, whichever version of the base documents they were computed over.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    /// Of each group, by its number; `None` for what is no function, or depends on more than its operands.
    functions: Vec<Option<Use>>,
    shards: [Mutex<Shard>; SHARDS],
}

/// How often answers of a function were kept, and used.
#[derive(Debug, Default)]
struct Use {
    kept: AtomicU32,
    used: AtomicU32,
}

#[derive(Debug, Default)]
struct Shard {
    answers: HashTable<Answer>,
    bytes: usize,
    /// How many answers found no room since room was made.
    refused: usize,
}

/// What a function answers, perhaps nothing. The operands are kept with it, so that nothing else takes their place in memory.
#[derive(Debug)]
struct Answer {
    hash: u64,
    id: GroupId,
    operands: SmallVec<[Value; 2]>,
    value: Option<Value>,
    bytes: usize,
}

impl Calls {
    /// With a place for each group that is a function of its operands alone.
    pub(crate) fn new(functions: impl Iterator<Item = bool>) -> Self {
        Self { functions: functions.map(|is_one| is_one.then(Use::default)).collect(), ..Self::default() }
    }

    /// Returns the hash under which the answer of a function is kept; `None` where it is not.
    fn hash(&self, id: GroupId, operands: &[Val<'_>]) -> Option<u64> {
        let function = self.functions.get(id.index())?.as_ref()?;
        let kept = function.kept.load(Ordering::Relaxed);
        if kept > TRIED && function.used.load(Ordering::Relaxed) < kept / ONE_OF {
            return None;
        }
        // What an evaluation has just made is never seen again in the same place.
        let is_borrowed = operands.iter().all(|operand| matches!(operand, Val::Ref(_)));
        let is_small = |operand: &Val<'_>| operand.value().as_str().is_none_or(|text| text.len() <= LONGEST);
        let has_place =
            is_borrowed && operands.iter().all(is_small) && operands.iter().any(|operand| operand.value().address().is_some());
        let mix = |hash: u64, operand: &Val<'_>| {
            let value = operand.value();
            let own = value.address().map_or_else(|| value.hash64(), |address| u64::try_from(address).unwrap_or_default());
            (hash.rotate_left(5) ^ own).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        };
        has_place.then(|| operands.iter().fold(u64::from(id.0), mix))
    }

    fn shard(&self, hash: u64) -> Option<&Mutex<Shard>> {
        let upper = usize::try_from(hash >> u64::BITS.saturating_sub(SHARDS.trailing_zeros())).ok()?;
        self.shards.get(upper)
    }

    fn get(&self, id: GroupId, hash: u64, operands: &[Val<'_>]) -> Option<Option<Value>> {
        let value = {
            let shard = self.shard(hash)?.lock();
            shard.answers.find(hash, |answer| answer.hash == hash && answer.is_of(id, operands))?.value.clone()
        };
        if let Some(Some(function)) = self.functions.get(id.index()) {
            function.used.fetch_add(1, Ordering::Relaxed);
        }
        Some(value)
    }

    fn keep(&self, answer: Answer) {
        let (Some(Some(function)), Some(shard)) = (self.functions.get(answer.id.index()), self.shard(answer.hash)) else {
            return;
        };
        if shard.lock().keep(answer) {
            function.kept.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// How many answers are kept.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.shards.iter().map(|shard| shard.lock().answers.len()).sum()
    }
}

impl Shard {
    /// Returns whether there was room.
    fn keep(&mut self, answer: Answer) -> bool {
        let is_there = |other: &Answer| {
            let same = |(a, b): (&Value, &Value)| is_same(a, b);
            other.hash == answer.hash && other.id == answer.id && other.operands.iter().zip(&answer.operands).all(same)
        };
        if self.answers.find(answer.hash, is_there).is_some() || !self.has_room(answer.bytes) {
            return false;
        }
        self.bytes = self.bytes.saturating_add(answer.bytes);
        self.answers.insert_unique(answer.hash, answer, |answer| answer.hash);
        true
    }

    /// Whether there is room, after what nobody else has any more is gone. That is looked for once for as many answers as there are.
    fn has_room(&mut self, bytes: usize) -> bool {
        let fits = |used: usize| used.saturating_add(bytes) <= MOST / SHARDS;
        if !fits(self.bytes) && self.refused == 0 {
            self.answers.retain(|answer| answer.operands.iter().all(Value::is_shared));
            self.bytes = self.answers.iter().map(|answer| answer.bytes).sum();
        }
        let is_room = fits(self.bytes);
        self.refused = if is_room || self.refused > self.answers.len() { 0 } else { self.refused.saturating_add(1) };
        is_room
    }
}

impl Answer {
    fn new((id, hash): (GroupId, u64), operands: &[Val<'_>], value: Option<&Value>) -> Self {
        let operands: SmallVec<[Value; 2]> = operands.iter().map(|operand| operand.value().clone()).collect();
        let nodes = operands.iter().chain(value).map(|value| usize::try_from(value.nodes()).unwrap_or(usize::MAX));
        let bytes = nodes.fold(0, usize::saturating_add).saturating_mul(VALUE).saturating_add(ANSWER);
        Self { hash, id, operands, value: value.cloned(), bytes }
    }

    fn is_of(&self, id: GroupId, operands: &[Val<'_>]) -> bool {
        let same = |(a, b): (&Value, &Val<'_>)| is_same(a, b.value());
        self.id == id && self.operands.len() == operands.len() && self.operands.iter().zip(operands).all(same)
    }
}

impl<'a> Evaluation<'a> {
    /// With answers that are kept, and places for more; without where labels are wanted, for rules inside of functions have some, too.
    pub(crate) fn with_calls(self, calls: &'a Calls) -> Self {
        Self { calls: self.labels.is_none().then_some(calls), ..self }
    }

    /// Returns the answers that are kept and the hash under which that of a function is, if it may be. Where functions are replaced none is.
    pub(super) fn kept_as(&self, id: GroupId, operands: &[Val<'a>]) -> Option<(&'a Calls, u64)> {
        let calls = self.calls.filter(|_| !self.scope.has_mocks())?;
        Some((calls, calls.hash(id, operands)?))
    }

    /// Returns the kept answer of a function.
    pub(super) fn kept_answer(&mut self, id: GroupId, kept: (&Calls, u64), operands: &[Val<'a>]) -> Option<Option<Value>> {
        let found = kept.0.get(id, kept.1, operands)?;
        self.used_kept = true;
        Some(found)
    }

    /// Keeps the answer of a function, unless it may depend on what was evaluated before.
    pub(super) fn keep_answer(&self, id: GroupId, (calls, hash): (&Calls, u64), operands: &[Val<'a>], value: Option<&Value>) {
        if !self.met_unusual {
            calls.keep(Answer::new((id, hash), operands, value));
        }
    }
}

/// Whether two values are one in memory, or equal scalars. Numbers that are equal and written otherwise are never asked for here.
fn is_same(a: &Value, b: &Value) -> bool {
    a.is_same(b) || (a.as_collection().is_none() && a == b)
}

#[cfg(test)]
mod tests;
