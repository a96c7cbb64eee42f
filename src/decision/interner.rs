//! Equal values, each in memory once for as long as somebody holds it.

use std::borrow::Borrow;
use std::fmt;
use std::hash::{BuildHasher, Hash};
use std::sync::{Arc, Weak};

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use parking_lot::Mutex;

/// What nobody holds any more is looked for when there are more values than this, and than twice as many as were left the last time.
const FEW: usize = 1_024;

/// Makes equal values one while somebody holds it. It holds none itself, and whether it finds one makes no difference but memory.
pub struct Interner<T> {
    hasher: RandomState,
    known: Mutex<Known<T>>,
}

struct Known<T> {
    /// With their hashes.
    values: HashTable<(u64, Weak<T>)>,
    /// With more than these, what nobody holds is to be left out.
    most: usize,
}

impl<T: Hash + Eq> Interner<T> {
    /// Returns the value like this that somebody holds.
    pub fn find<Q: Hash + Eq + ?Sized>(&self, like: &Q) -> Option<Arc<T>>
    where
        T: Borrow<Q>,
    {
        let hash = self.hasher.hash_one(like);
        let known = self.known.lock();
        let of_hash = known.values.iter_hash(hash).filter(|(of, _)| *of == hash);
        of_hash.filter_map(|(_, held)| held.upgrade()).find(|held| (**held).borrow() == like)
    }

    /// Returns the equal value that somebody holds, else this one, to be found from now on.
    pub fn intern(&self, value: Arc<T>) -> Arc<T> {
        let hash = self.hasher.hash_one(&value);
        let mut known = self.known.lock();
        // What nobody holds gives its place to what is made again: there is one such place of a hash at most.
        let is_it = |(of, held): &(u64, Weak<T>)| *of == hash && held.upgrade().is_none_or(|held| held == value);
        if let Some((_, held)) = known.values.find_mut(hash, is_it) {
            return held.upgrade().unwrap_or_else(|| {
                *held = Arc::downgrade(&value);
                value
            });
        }
        if known.values.len() >= known.most {
            known.values.retain(|(_, held)| held.strong_count() > 0);
            known.most = known.values.len().saturating_mul(2).max(FEW);
        }
        known.values.insert_unique(hash, (hash, Arc::downgrade(&value)), |(hash, _)| *hash);
        value
    }
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Self { hasher: RandomState::default(), known: Mutex::new(Known { values: HashTable::new(), most: FEW }) }
    }
}

impl<T> fmt::Debug for Interner<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Interner").field("count", &self.known.lock().values.len()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_are_one_while_somebody_holds_it() {
        let interner = Interner::default();
        let one = interner.intern(Arc::new("one".to_owned()));
        assert!(Arc::ptr_eq(&one, &interner.intern(Arc::new("one".to_owned()))));
        assert!(!Arc::ptr_eq(&one, &interner.intern(Arc::new("other".to_owned()))));
        let address = Arc::downgrade(&one);
        drop(one);
        let again = interner.intern(Arc::new("one".to_owned()));
        assert!(!Weak::ptr_eq(&address, &Arc::downgrade(&again)), "nobody held it");
        drop(again);
        (0..FEW).for_each(|_| drop(interner.intern(Arc::new("one".to_owned()))));
        assert!(interner.known.lock().values.len() <= 2, "it comes again and again");
    }

    /// A text whose hash says nothing.
    #[derive(Debug, PartialEq, Eq)]
    struct Alike(String);

    impl Hash for Alike {
        fn hash<H: std::hash::Hasher>(&self, _: &mut H) {}
    }

    #[test]
    fn a_hash_makes_no_two_values_one() {
        let interner = Interner::default();
        let held = ["one", "two", "three"].map(|text| interner.intern(Arc::new(Alike(text.to_owned()))));
        for value in &held {
            let like = Alike(value.0.clone());
            assert!(interner.find(&like).is_some_and(|found| Arc::ptr_eq(&found, value)));
            assert!(Arc::ptr_eq(&interner.intern(Arc::new(like)), value));
        }
        assert_eq!(interner.find(&Alike("four".to_owned())), None);
    }

    #[test]
    fn what_nobody_holds_takes_no_room() {
        let interner = Interner::default();
        let held: Vec<_> = (0..FEW * 3).map(|number| interner.intern(Arc::new(number))).collect();
        (0..FEW * 100).for_each(|number| drop(interner.intern(Arc::new(number + held.len()))));
        let count = interner.known.lock().values.len();
        assert!((held.len()..=held.len() * 2).contains(&count), "{count}");
        assert!(held.iter().all(|value| Arc::ptr_eq(value, &interner.intern(Arc::new(**value)))));
    }
}
