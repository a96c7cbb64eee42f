//! Answers of functions that are kept from one evaluation to the next: of functions that depend on nothing but what they are called with,
//! where that is the same in memory. `ready(cluster)` is computed again for a cluster that has changed, and for no other one.

use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use parking_lot::Mutex;
use smallvec::SmallVec;

use super::Evaluation;
use super::cache::Known;
use super::val::Val;
use crate::ir::GroupId;
use crate::value::Value;

/// Each shard has a lock of its own, which is held for one lookup.
const SHARDS: usize = 16;

/// So many bytes are kept for a program, those of the operands included.
const MOST: usize = 32 << 20;

/// A function of which so many answers were kept, and fewer than one of so many was ever used, is called with other values each time.
const TRIED: u64 = 32_768;
const ONE_OF: u64 = 4;

/// Texts that are longer are not compared, nor kept.
const LONGEST: usize = 256;

/// About what a node of a value takes, and what is said about an answer, in bytes.
const NODE: usize = 32;
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
    kept: AtomicU64,
    used: AtomicU64,
}

/// Answers of two ages. What is used becomes young again; where there is no room for the young, the old go, and the young become old. So
/// what nobody asks for any more, since its operand has changed or came with a request, goes in time.
#[derive(Debug, Default)]
struct Shard {
    young: HashTable<Answer>,
    old: HashTable<Answer>,
    /// How many bytes the young answers take together.
    bytes: usize,
}

/// The answer of a function, `None` where it is undefined. It holds its operands, so that no other value can have their addresses.
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
        // What an evaluation makes is in another place each time.
        let is_borrowed = operands.iter().all(|operand| matches!(operand, Val::Ref(_)));
        let is_small = |operand: &Val<'_>| operand.value().as_str().is_none_or(|text| text.len() <= LONGEST);
        let has_place = operands.iter().any(|operand| operand.value().address().is_some());
        if !is_borrowed || !has_place || !operands.iter().all(is_small) {
            return None;
        }
        let mut state = FixedState::default().build_hasher();
        id.0.hash(&mut state);
        for value in operands.iter().map(Val::value) {
            match value.address() {
                Some(address) => address.hash(&mut state),
                None => value.hash64().hash(&mut state),
            }
        }
        Some(state.finish())
    }

    fn shard(&self, hash: u64) -> Option<&Mutex<Shard>> {
        // Other bits than those by which a table finds its places.
        usize::try_from(hash >> 32).ok().and_then(|upper| self.shards.get(upper % SHARDS))
    }

    fn get(&self, id: GroupId, hash: u64, operands: &[Val<'_>]) -> Option<Option<Value>> {
        let (value, gone) = self.shard(hash)?.lock().get(id, hash, operands)?;
        drop(gone);
        if let Some(Some(function)) = self.functions.get(id.index()) {
            function.used.fetch_add(1, Ordering::Relaxed);
        }
        Some(value)
    }

    fn keep(&self, answer: Answer) {
        let (Some(Some(function)), Some(shard)) = (self.functions.get(answer.id.index()), self.shard(answer.hash)) else {
            return;
        };
        function.kept.fetch_add(1, Ordering::Relaxed);
        // What goes is dropped when the lock is free again.
        let _gone = shard.lock().keep(answer);
    }

    /// How many answers are kept.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.shards.iter().map(|shard| shard.lock().len()).sum()
    }
}

impl Shard {
    /// Returns the kept answer, with the old answers that had to go so that it is young again; `None` where there is none.
    fn get(&mut self, id: GroupId, hash: u64, operands: &[Val<'_>]) -> Option<(Option<Value>, Option<HashTable<Answer>>)> {
        let is_it = |answer: &Answer| answer.hash == hash && answer.is_of(id, operands);
        if let Some(answer) = self.young.find(hash, is_it) {
            return Some((answer.value.clone(), None));
        }
        let (answer, _) = self.old.find_entry(hash, is_it).ok()?.remove();
        Some((answer.value.clone(), self.keep(answer)))
    }

    /// Puts an answer among the young, and returns the old answers that had to go for it.
    fn keep(&mut self, answer: Answer) -> Option<HashTable<Answer>> {
        let most = MOST / SHARDS / 2;
        let gone = if self.bytes.saturating_add(answer.bytes) > most {
            self.bytes = 0;
            let young = std::mem::take(&mut self.young);
            Some(std::mem::replace(&mut self.old, young))
        } else {
            None
        };
        let is_there = |other: &Answer| other.hash == answer.hash && other.is_like(&answer);
        if answer.bytes <= most && self.young.find(answer.hash, is_there).is_none() {
            self.bytes = self.bytes.saturating_add(answer.bytes);
            self.young.insert_unique(answer.hash, answer, |answer| answer.hash);
        }
        gone
    }

    #[cfg(test)]
    fn len(&self) -> usize {
        self.young.len() + self.old.len()
    }
}

impl Answer {
    fn new((id, hash): (GroupId, u64), operands: &[Val<'_>], value: Option<&Value>) -> Self {
        let operands: SmallVec<[Value; 2]> = operands.iter().map(|operand| operand.value().clone()).collect();
        let nodes = operands.iter().chain(value).map(|value| usize::try_from(value.nodes()).unwrap_or(usize::MAX));
        let bytes = nodes.fold(0, usize::saturating_add).saturating_mul(NODE).saturating_add(ANSWER);
        Self { hash, id, operands, value: value.cloned(), bytes }
    }

    /// Whether two threads have found the same.
    fn is_like(&self, other: &Self) -> bool {
        let operands: SmallVec<[Val<'_>; 2]> = other.operands.iter().map(Val::Ref).collect();
        self.is_of(other.id, &operands)
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

    /// Returns the answers that are kept and the hash under which that of a function is, if it may be. Under `with` none is: rules and other
    /// functions that it reads may be replaced.
    pub(super) fn kept_as(&self, id: GroupId, operands: &[Val<'a>]) -> Option<(&'a Calls, u64)> {
        let calls = self.calls.filter(|_| !self.scope.is_changed())?;
        Some((calls, calls.hash(id, operands)?))
    }

    /// Returns the kept answer of a function.
    pub(super) fn kept_answer(&mut self, id: GroupId, kept: (&Calls, u64), operands: &[Val<'a>]) -> Option<Known<'a>> {
        let found = kept.0.get(id, kept.1, operands)?;
        self.used_kept = true;
        Some(found.map(|value| self.keep(value)))
    }

    /// Keeps the answer of a function, unless it may depend on what was evaluated before.
    pub(super) fn keep_answer(&self, id: GroupId, (calls, hash): (&Calls, u64), operands: &[Val<'a>], value: Option<&Value>) {
        if !self.minds_order() {
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
