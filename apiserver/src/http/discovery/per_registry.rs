//! Something made from the table of kinds, kept until the table changes.

use std::sync::Arc;

use parking_lot::Mutex;

/// Keeps what was made from the newest table `R`.
#[derive(Debug)]
pub struct PerRegistry<R, T> {
    kept: Mutex<Option<(Arc<R>, Arc<T>)>>,
}

impl<R, T> Default for PerRegistry<R, T> {
    fn default() -> Self {
        PerRegistry { kept: Mutex::new(None) }
    }
}

impl<R, T> PerRegistry<R, T> {
    /// What was made from `registry`; made now, if it is another than last time, with the help of what was made then.
    pub fn get(&self, registry: &Arc<R>, make: impl FnOnce(&Arc<R>, Option<&T>) -> T) -> Arc<T> {
        let mut kept = self.kept.lock();
        match kept.as_ref() {
            Some((made_from, made)) if Arc::ptr_eq(made_from, registry) => Arc::clone(made),
            previous => {
                let made = Arc::new(make(registry, previous.map(|(_, made)| made.as_ref())));
                *kept = Some((Arc::clone(registry), Arc::clone(&made)));
                made
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn makes_once_per_registry() {
        let (first, second) = (Arc::new(1), Arc::new(2));
        let kept = PerRegistry::<i32, i32>::default();
        let made = kept.get(&first, |registry, previous| **registry * 10 + previous.copied().unwrap_or(0));
        assert_eq!(*made, 10);
        assert!(Arc::ptr_eq(&made, &kept.get(&first, |_, _| 0)));
        assert_eq!(*kept.get(&second, |registry, previous| **registry * 10 + previous.copied().unwrap_or(0)), 30);
    }
}
