//! What is made of a class when somebody asks for it, and shared for as long as somebody holds it; where other classes have an equal one,
//! with these.

use std::fmt;
use std::hash::Hash;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use crate::decision::interner::Interner;

/// Something that follows from what is kept beside it: to have it or not makes no difference but time.
pub(super) struct WeakCache<T>(Mutex<Weak<T>>);

impl<T: Hash + Eq> WeakCache<T> {
    /// Returns the value that somebody still holds, else a new one of `make`. Callers at the same time wait for one `make`.
    pub(super) fn get(&self, interner: &Interner<T>, make: impl FnOnce() -> T) -> Arc<T> {
        let mut held = self.0.lock();
        held.upgrade().unwrap_or_else(|| {
            let made = interner.intern(Arc::new(make()));
            *held = Arc::downgrade(&made);
            made
        })
    }

    /// Returns the value that somebody still holds, if it is equal to this one, else this one, to be shared from now on.
    pub(super) fn share(&self, interner: &Interner<T>, value: Arc<T>) -> Arc<T> {
        let known = self.0.lock().upgrade();
        if let Some(known) = known.filter(|known| *known == value) {
            return known;
        }
        let value = interner.intern(value);
        *self.0.lock() = Arc::downgrade(&value);
        value
    }
}

impl<T> Default for WeakCache<T> {
    fn default() -> Self {
        Self(Mutex::new(Weak::new()))
    }
}

impl<T> Clone for WeakCache<T> {
    fn clone(&self) -> Self {
        Self(Mutex::new(self.0.lock().clone()))
    }
}

impl<T> PartialEq for WeakCache<T> {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl<T> fmt::Debug for WeakCache<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WeakCache")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_shared_while_somebody_holds_it_and_made_again_later() {
        let (cache, interner) = (WeakCache::default(), Interner::default());
        let one = cache.get(&interner, || vec![1]);
        assert!(Arc::ptr_eq(&one, &cache.get(&interner, || vec![2])));
        drop(one);
        assert_eq!(*cache.get(&interner, || vec![3]), [3]);
    }

    #[test]
    fn what_is_equal_is_shared() {
        let (cache, interner) = (WeakCache::default(), Interner::default());
        let one = cache.share(&interner, Arc::new(vec![1]));
        assert!(Arc::ptr_eq(&one, &cache.share(&interner, Arc::new(vec![1]))));
        let other = cache.share(&interner, Arc::new(vec![2]));
        assert_eq!((&*one, &*other), (&vec![1], &vec![2]));
        assert!(Arc::ptr_eq(&other, &cache.share(&interner, Arc::new(vec![2]))));
    }
}
