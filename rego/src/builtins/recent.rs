//! What was compiled lately from text: two generations, so that a full one costs nothing but a new one.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;

/// At most this many in each of the two generations.
const MOST: usize = 128;
/// Texts longer than this are compiled anew: kept ones stay for good.
const LONGEST: usize = 16 << 10;

/// What texts were compiled to, in all evaluations.
pub(super) struct Recent<V>(Mutex<Generations<V>>);

/// What texts were compiled to, in one evaluation: a look into it takes no lock.
pub(super) struct Kept<V>(HashMap<String, Arc<V>, foldhash::fast::RandomState>);

struct Generations<V> {
    young: HashMap<String, Arc<V>, foldhash::fast::RandomState>,
    old: HashMap<String, Arc<V>, foldhash::fast::RandomState>,
}

impl<V> Default for Recent<V> {
    fn default() -> Self {
        Self(Mutex::new(Generations { young: HashMap::default(), old: HashMap::default() }))
    }
}

impl<V> Default for Kept<V> {
    fn default() -> Self {
        Self(HashMap::default())
    }
}

impl<V> Recent<V> {
    /// What a text compiles to. It is compiled without the lock; errors are not kept.
    pub(super) fn of<E>(&self, text: &str, compile: impl FnOnce() -> Result<V, E>) -> Result<Arc<V>, E> {
        if let Some(found) = self.0.lock().find(text) {
            return Ok(found);
        }
        let compiled = Arc::new(compile()?);
        if text.len() <= LONGEST {
            self.0.lock().keep(text.to_owned(), Arc::clone(&compiled));
        }
        Ok(compiled)
    }
}

impl<V> Kept<V> {
    /// What a text was compiled to in this evaluation.
    pub(super) fn find(&self, text: &str) -> Option<Arc<V>> {
        self.0.get(text).map(Arc::clone)
    }

    /// Keeps what a text was compiled to; a full keep begins anew.
    pub(super) fn keep(&mut self, text: &str, compiled: &Arc<V>) {
        if self.0.len() >= MOST {
            self.0.clear();
        }
        self.0.insert(text.to_owned(), Arc::clone(compiled));
    }
}

impl<V> Generations<V> {
    fn find(&mut self, text: &str) -> Option<Arc<V>> {
        if let Some(found) = self.young.get(text) {
            return Some(Arc::clone(found));
        }
        let (text, found) = self.old.remove_entry(text)?;
        self.keep(text, Arc::clone(&found));
        Some(found)
    }

    fn keep(&mut self, text: String, compiled: Arc<V>) {
        if self.young.len() >= MOST {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(text, compiled);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used_stays_and_what_is_kept_is_bounded() {
        let (recent, mut kept) = (Recent::default(), Kept::default());
        for at in 0..10 * MOST {
            let used = recent.of("used", || if at == 0 { Ok(7) } else { Err(at) });
            assert_eq!(used.map(|value| *value), Ok(7));
            let new = recent.of(&at.to_string(), || Ok::<_, ()>(at)).unwrap();
            kept.keep(&at.to_string(), &new);
            assert_eq!(kept.find(&at.to_string()).map(|value| *value), Some(at));
        }
        let generations = recent.0.lock();
        assert!(generations.young.len() <= MOST && generations.old.len() <= MOST && kept.0.len() <= MOST);
    }
}
