//! What annotations say, read once for all objects that have the same value: those of a class do.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use plimsoll_contract::moves::Standing;
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

/// Values that were read lately, by their text; those that are asked for least go first.
pub struct Readings(Cache<Box<str>, Arc<Annotation>, Bytes>);

/// Weighs by memory.
#[derive(Clone, Debug)]
struct Bytes;

impl Weighter<Box<str>, Arc<Annotation>> for Bytes {
    fn weight(&self, text: &Box<str>, annotation: &Arc<Annotation>) -> u64 {
        let size = annotation.size().saturating_add(text.len()).saturating_add(BESIDE);
        u64::try_from(size).unwrap_or(u64::MAX)
    }
}

impl Readings {
    /// Returns the clusters that a value of preferences names; the value itself where it cannot be read.
    pub(super) fn preferences(&self, value: &str) -> Arc<Annotation> {
        if let Some(known) = self.0.get(value) {
            return known;
        }
        let annotation =
            Arc::new(Preferences::parse(value).map_or_else(|_| Annotation::By(value.to_owned()), |read| named(&read)));
        self.0.insert(value.into(), Arc::clone(&annotation));
        annotation
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
        assert_eq!(readings.preferences("no JSON"), Arc::new(Annotation::By("no JSON".into())));
    }
}
