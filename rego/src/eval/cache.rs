//! What is computed once: documents of rules and answers of functions.

use std::collections::HashMap;
use std::sync::Arc;

use hashbrown::HashTable;
use smallvec::SmallVec;

use super::comprehension::Table;
use super::place::Place;
use super::val::Val;
use crate::ir::{GroupId, IndexedComprehension};
use crate::value::Value;

/// A document that is known: perhaps to be undefined.
pub(super) type Known<'a> = Option<&'a Value>;

/// Operands of a function, or keys of a document.
pub(super) type Operands<'a> = SmallVec<[Val<'a>; 3]>;

/// What was computed under one set of documents and functions; what `with` replaces has a cache of its own.
#[derive(Default)]
pub(super) struct Cache<'a> {
    prepared: &'a [Place],
    /// Documents that are found anew, whatever is prepared.
    fresh: &'a [bool],
    documents: Vec<Option<Known<'a>>>,
    keyed: Vec<Keyed<'a>>,
    /// Where they are, by their hashes: small, for it is made anew whenever it grows.
    places: HashTable<(u64, usize)>,
    /// The operands of all of them, one behind the other.
    operands: Vec<Val<'a>>,
    /// Comprehensions, by where they are in memory.
    tables: HashMap<usize, Arc<Table<'a>>, foldhash::fast::RandomState>,
}

/// Values of more nodes are not compared, unless they are in the same place: what is known of one of them is found anew.
const COMPARED: u32 = 1 << 16;

/// Equal values of more nodes count as written differently, unless their numbers can be written in one way only: nobody pays for comparing
/// their texts.
const WRITTEN: u32 = 16;

/// What is known of a group for some operands, or keys.
struct Keyed<'a> {
    id: GroupId,
    /// Where its operands begin.
    first: usize,
    known: Known<'a>,
}

/// Whether two operands are the same in memory, or small and equal.
fn is_one(a: &Value, b: &Value) -> bool {
    a.is_same(b) || (a.nodes() <= COMPARED && a == b)
}

/// Returns whether two equal operands are written alike (`1.0` and `1` are not); `false`, too, where they are too large to compare their texts.
fn is_written_alike(a: &Value, b: &Value) -> bool {
    a.is_same(b) || (a.is_plain() && b.is_plain()) || (a.nodes() <= WRITTEN && a.to_string() == b.to_string())
}

impl<'a> Cache<'a> {
    /// The whole document of a group, if it is known; and whether it was known beforehand.
    #[inline]
    pub(super) fn complete(&self, id: GroupId) -> Option<(Known<'a>, bool)> {
        match self.documents.get(id.index()).copied().flatten() {
            None if self.fresh.get(id.index()).copied().unwrap_or_default() => None,
            None => self.prepared.get(id.index())?.known().map(|known| (known, true)),
            Some(known) => Some((known, false)),
        }
    }

    /// With documents that are known beforehand, but for those that are to be found anew.
    pub(super) fn with(prepared: &'a [Place], fresh: &'a [bool]) -> Self {
        Self { prepared, fresh, ..Self::default() }
    }

    /// With what was known beforehand and nothing else.
    pub(super) fn emptied(&self) -> Self {
        Self::with(self.prepared, self.fresh)
    }

    pub(super) fn set_complete(&mut self, id: GroupId, value: Known<'a>) {
        let index = id.index();
        if self.documents.len() <= index {
            self.documents.resize(index.saturating_add(1), None);
        }
        if let Some(place) = self.documents.get_mut(index) {
            *place = Some(value);
        }
    }

    /// The hash of a group and operands, or keys, under which it is known.
    pub(super) fn hash(id: GroupId, operands: &[Val<'a>]) -> u64 {
        let mix =
            |hash: u64, operand: &Val<'a>| hash.rotate_left(5).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ operand.value().hash64();
        operands.iter().fold(u64::from(id.0), mix)
    }

    /// The number under which what was found for patterns is known; those of groups are below 2^31.
    pub(super) fn by_patterns(id: GroupId) -> GroupId {
        GroupId(id.0 | 1 << 31)
    }

    /// Returns what is known of a group for some keys, or operands, and which entry says so; `None` where there is none for equal ones.
    pub(super) fn keyed(&self, id: GroupId, hash: u64, operands: &[Val<'a>]) -> Option<(Known<'a>, usize)> {
        let at = self.place(id, hash, operands)?;
        self.keyed.get(at).map(|keyed| (keyed.known, at))
    }

    /// Returns whether the operands, or keys, of an entry are written as these are, which are equal to them.
    pub(super) fn is_written_as(&self, at: usize, operands: &[Val<'a>]) -> bool {
        self.operands_of(at).iter().zip(operands).all(|(a, b)| is_written_alike(a.value(), b.value()))
    }

    fn place(&self, id: GroupId, hash: u64, operands: &[Val<'a>]) -> Option<usize> {
        let is_it = |(known, at): &(u64, usize)| *known == hash && self.is_of(*at, id, operands);
        self.places.find(hash, is_it).map(|(_, at)| *at)
    }

    /// Returns whether the entry `at` is the answer of this group for these operands.
    fn is_of(&self, at: usize, id: GroupId, operands: &[Val<'a>]) -> bool {
        if self.keyed.get(at).is_none_or(|keyed| keyed.id != id) {
            return false;
        }
        let known = self.operands_of(at);
        known.len() == operands.len() && known.iter().zip(operands).all(|(a, b)| is_one(a.value(), b.value()))
    }

    /// Returns the operands, or keys, of an entry; none where there is no such entry.
    fn operands_of(&self, at: usize) -> &[Val<'a>] {
        let Some(keyed) = self.keyed.get(at) else { return &[] };
        let end = self.keyed.get(at.saturating_add(1)).map_or(self.operands.len(), |next| next.first);
        self.operands.get(keyed.first..end).unwrap_or_default()
    }

    /// Remembers what is known of a group for some keys, or operands, in the place of what was known before: a function that is called instead
    /// of another one may call what is being evaluated.
    pub(super) fn set_keyed(&mut self, id: GroupId, hash: u64, operands: &[Val<'a>], known: Known<'a>) {
        if let Some(keyed) = self.place(id, hash, operands).and_then(|at| self.keyed.get_mut(at)) {
            keyed.known = known;
            return;
        }
        self.places.insert_unique(hash, (hash, self.keyed.len()), |(hash, _)| *hash);
        self.keyed.push(Keyed { id, first: self.operands.len(), known });
        self.operands.extend(operands.iter().cloned());
    }

    /// What a comprehension gives.
    pub(super) fn table(&self, comprehension: &IndexedComprehension) -> Option<Arc<Table<'a>>> {
        self.tables.get(&std::ptr::from_ref(comprehension).addr()).cloned()
    }

    pub(super) fn set_table(&mut self, comprehension: &IndexedComprehension, table: Table<'a>) -> Arc<Table<'a>> {
        let table = Arc::new(table);
        self.tables.insert(std::ptr::from_ref(comprehension).addr(), table.clone());
        table
    }
}
