//! What annotations say, read once for all objects that have the same value: those of a class do.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, OnceLock};

use plimsoll_contract::moves::{self, Standing};
use quick_cache::Weighter;
use quick_cache::sync::Cache;

use crate::decision::preferences::{ANY, Preferences};

/// Bytes of what is kept, about.
const BYTES: u64 = 8 << 20;
/// Of this size, about, with the names of a thousand clusters: it says in how many parts the cache is divided, each of which has to have
/// room for what is kept.
const TYPICAL: usize = 128 << 10;
/// What is kept of a name, and of a value, beside its text, about.
const BESIDE: usize = 64;

/// The clusters that one annotation names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Annotation {
    /// These clusters, by name.
    On(BTreeSet<String>),
    /// Those that this value means, whichever they are.
    By(String),
}

/// An annotation's value that was read, for all objects that have it.
#[derive(Debug)]
pub(super) struct Read {
    pub(super) says: Annotation,
    /// The key at which it was first asked where an object stands that has nothing else, and the answer.
    alone: OnceLock<(String, String)>,
}

/// Values that were read lately, by their text; those that are asked for least go first.
pub struct Readings(Cache<Box<str>, Arc<Read>, Bytes>);

/// Weighs by memory.
#[derive(Clone, Debug)]
struct Bytes;

impl Weighter<Box<str>, Arc<Read>> for Bytes {
    fn weight(&self, text: &Box<str>, read: &Arc<Read>) -> u64 {
        let size = read.says.size().saturating_add(text.len()).saturating_add(BESIDE);
        u64::try_from(size).unwrap_or(u64::MAX)
    }
}

impl Readings {
    /// Returns the clusters that a value of preferences names; the value itself where it cannot be read.
    pub(super) fn preferences(&self, value: &str) -> Arc<Read> {
        if let Some(known) = self.0.get(value) {
            return known;
        }
        let says = Preferences::parse(value).map_or_else(|_| Annotation::By(value.to_owned()), |read| named(&read));
        let read = Arc::new(Read::of(says));
        self.0.insert(value.into(), Arc::clone(&read));
        read
    }
}

impl Default for Readings {
    fn default() -> Self {
        Self(Cache::with_weighter(usize::try_from(BYTES).unwrap_or(usize::MAX) / TYPICAL, BYTES, Bytes))
    }
}

impl fmt::Debug for Readings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Readings").field("count", &self.0.len()).field("bytes", &self.0.weight()).finish()
    }
}

impl Read {
    pub(super) fn of(says: Annotation) -> Self {
        Self { says, alone: OnceLock::new() }
    }

    /// Returns [`moves::stands`] of an object that has this at a key, and nothing else; `None` where it is known for another key only.
    pub(super) fn alone(&self, key: &str) -> Option<&str> {
        let (at, digest) = self.alone.get_or_init(|| (key.to_owned(), moves::stands([(key, self.says.standing())])));
        (at == key).then_some(digest)
    }
}

impl Annotation {
    /// Returns it in the form from which [`plimsoll_contract::moves::stands`] makes a digest.
    pub(super) fn standing(&self) -> Standing<'_> {
        match self {
            Self::On(clusters) => Standing::On(clusters),
            Self::By(value) => Standing::By(value),
        }
    }

    /// Returns the names of the clusters; none where only the value is known.
    pub(super) fn clusters(&self) -> impl Iterator<Item = &String> {
        match self {
            Self::On(clusters) => Some(clusters),
            Self::By(_) => None,
        }
        .into_iter()
        .flatten()
    }

    fn size(&self) -> usize {
        let Self::By(value) = self else { return self.clusters().map(|name| name.len() + BESIDE).sum() };
        value.len()
    }
}

/// The clusters, where names tell all of them; else those that are left out, which tell as much.
fn named(preferences: &Preferences) -> Annotation {
    let places: BTreeSet<String> = preferences.places().map(str::to_owned).collect();
    if !places.contains(ANY) {
        return Annotation::On(places);
    }
    let left_out = preferences.clusters.keys().filter(|name| !places.contains(*name));
    Annotation::By(std::iter::once(ANY).chain(left_out.map(String::as_str)).collect::<Vec<_>>().join(" -"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_once_and_no_more_are_kept_than_there_is_room_for() {
        let readings = Readings::default();
        let text = |number: usize| format!(r#"{{"clusters":{{"c{number}-{}":{{"weight":1}}}}}}"#, "x".repeat(50_000));
        let first = readings.preferences(&text(0));
        assert!(Arc::ptr_eq(&first, &readings.preferences(&text(0))));
        (0..400).for_each(|number| drop(readings.preferences(&text(number))));
        assert!(readings.0.weight() <= BYTES && readings.0.len() < 400, "{readings:?}");
        assert_eq!(readings.preferences("no JSON").says, Annotation::By("no JSON".into()));
    }

    #[test]
    fn where_a_value_stands_alone_is_told_for_its_key() {
        let read = Read::of(Annotation::By("v".into()));
        let digest = moves::stands([("k", Standing::By("v"))]);
        assert_eq!((read.alone("k"), read.alone("other"), read.alone("k")), (Some(&*digest), None, Some(&*digest)));
    }
}
