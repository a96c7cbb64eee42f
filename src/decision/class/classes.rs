//! The classes that are kept.

use std::fmt;
use std::sync::Arc;

use quick_cache::Weighter;
use quick_cache::sync::Cache;

use super::{Class, Interners};

/// Of this size, about: what the cache is made for at first.
const TYPICAL: u64 = 4 << 10;

/// What the cache takes for a class beside the key and what is kept of it, about.
const BESIDE: usize = 128;

/// Classes by their keys, up to so many bytes; those that are asked for least go first. Cloned, it is the same.
#[derive(Clone)]
pub struct Classes {
    /// `None`: nothing is kept.
    kept: Option<Arc<Kept>>,
    interners: Arc<Interners>,
}

type Kept = Cache<Box<[u8]>, Arc<Class>, Bytes>;

/// Weighs by memory.
#[derive(Clone, Debug)]
struct Bytes;

impl Weighter<Box<[u8]>, Arc<Class>> for Bytes {
    fn weight(&self, key: &Box<[u8]>, class: &Arc<Class>) -> u64 {
        u64::try_from(key.len().saturating_add(class.size).saturating_add(BESIDE)).unwrap_or(u64::MAX)
    }
}

impl Classes {
    /// How many bytes are kept where nothing is said.
    pub const BYTES: u64 = 64 << 20;

    /// None yet, of at most so many bytes; 0 keeps nothing.
    pub fn new(bytes: u64) -> Self {
        let items = usize::try_from(bytes / TYPICAL).unwrap_or(usize::MAX);
        Self { kept: (bytes > 0).then(|| Arc::new(Cache::with_weighter(items, bytes, Bytes))), interners: Arc::default() }
    }

    /// What answers of classes have in common, kept or not.
    pub fn interners(&self) -> &Arc<Interners> {
        &self.interners
    }

    /// Whether anything is kept.
    pub fn are_kept(&self) -> bool {
        self.kept.is_some()
    }

    /// The class of a key, if it is kept.
    pub fn get(&self, key: &[u8]) -> Option<Arc<Class>> {
        self.kept.as_ref()?.get(key)
    }

    /// Keeps a class, if it is not too large.
    pub fn keep(&self, key: Vec<u8>, class: &Arc<Class>) {
        if let Some(kept) = &self.kept {
            kept.insert(key.into_boxed_slice(), class.clone());
        }
    }

    /// Bytes that are kept, about.
    pub fn bytes(&self) -> u64 {
        self.kept.as_ref().map_or(0, |kept| kept.weight())
    }

    /// Returns the number of classes that are kept.
    pub fn count(&self) -> usize {
        self.kept.as_ref().map_or(0, |kept| kept.len())
    }
}

impl Default for Classes {
    fn default() -> Self {
        Self::new(Self::BYTES)
    }
}

impl fmt::Debug for Classes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Classes").field("count", &self.count()).field("bytes", &self.bytes()).finish()
    }
}
