//! Members of answers that classes have in common. Classes that differ in weights alone say of 750 clusters of 1,000 why an object may not
//! go there, in the same words.

use std::borrow::Borrow;
use std::fmt;
use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use foldhash::fast::RandomState;

use super::raw::Raw;
use crate::decision::interner::Interner;

/// Shorter members are not looked for: finding one takes about as much as they do.
const SHORTEST: usize = 1 << 10;

/// How many members are remembered that one answer had: what comes a second time is worth sharing.
const SEEN: usize = 1 << 10;

/// Long members that several answers have, up to so many bytes: each once, beside that of the answer which came first.
pub(crate) struct Parts {
    known: Interner<Part>,
    most: u64,
    bytes: Arc<AtomicU64>,
    hasher: RandomState,
    /// Hashes of members that one answer had, each at the place that it names; a newer one takes the place of an older one.
    seen: Box<[AtomicU64]>,
}

/// The value of a member.
#[derive(Clone, Debug)]
pub(super) enum Text {
    /// Of this answer alone.
    Own(Raw),
    /// Long, and one in memory for the answers that have it.
    Shared(Arc<Part>),
}

/// A long member. For as long as it lives its bytes are counted.
#[derive(Debug)]
pub(super) struct Part {
    raw: Raw,
    bytes: Arc<AtomicU64>,
}

impl Parts {
    /// None yet, of at most so many bytes.
    pub(super) fn new(most: u64) -> Self {
        let (known, bytes, hasher) = Default::default();
        Self { known, most, bytes, hasher, seen: (0..SEEN).map(|_| AtomicU64::default()).collect() }
    }

    /// Returns the value: that of other answers where some had an equal one before and there is room for it, else its own.
    pub(super) fn share(&self, raw: Raw) -> Text {
        if raw.text().len() < SHORTEST || weight(&raw) > self.most {
            return Text::Own(raw);
        }
        if let Some(part) = self.known.find(raw.text()) {
            return Text::Shared(part);
        }
        if !self.is_seen(raw.text()) || !self.takes(weight(&raw)) {
            return Text::Own(raw);
        }
        Text::Shared(self.known.intern(Arc::new(Part { raw, bytes: Arc::clone(&self.bytes) })))
    }

    /// Remembers a member. Returns whether an answer had it not long ago.
    fn is_seen(&self, text: &str) -> bool {
        let hash = self.hasher.hash_one(text);
        let place = usize::try_from(hash).unwrap_or_default() % SEEN;
        self.seen.get(place).is_some_and(|seen| seen.swap(hash, Ordering::Relaxed) == hash)
    }

    /// Takes so many bytes, if there is room for them. Returns whether there was.
    fn takes(&self, weight: u64) -> bool {
        let more = |bytes: u64| bytes.checked_add(weight).filter(|bytes| *bytes <= self.most);
        self.bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok()
    }

    /// Returns how many bytes the members take that some answer still has, never more than they may.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }
}

impl fmt::Debug for Parts {
    /// Without the hashes, among which nobody would find what differs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parts").field("bytes", &self.bytes()).field("most", &self.most).finish_non_exhaustive()
    }
}

impl Default for Parts {
    /// Of nothing.
    fn default() -> Self {
        Self::new(0)
    }
}

impl Text {
    /// The value.
    pub(super) fn raw(&self) -> &Raw {
        match self {
            Self::Own(raw) => raw,
            Self::Shared(part) => &part.raw,
        }
    }

    /// About how many bytes it takes beside itself, but for what is counted already.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Own(raw) => raw.size(),
            Self::Shared(_) => 0,
        }
    }
}

impl PartialEq for Text {
    /// By the value, whoever else has it.
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.raw(), other.raw()) || self.raw() == other.raw()
    }
}

fn weight(raw: &Raw) -> u64 {
    u64::try_from(raw.size() + size_of::<Part>()).unwrap_or(u64::MAX)
}

impl Drop for Part {
    fn drop(&mut self) {
        self.bytes.fetch_sub(weight(&self.raw), Ordering::Relaxed);
    }
}

impl PartialEq for Part {
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw
    }
}

impl Eq for Part {}

impl Borrow<str> for Part {
    fn borrow(&self) -> &str {
        self.raw.text()
    }
}

impl Hash for Part {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.raw.text().hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(parts: &Parts, length: usize) -> Text {
        parts.share(Raw::of(&"x".repeat(length)).unwrap())
    }

    #[test]
    fn what_comes_again_is_shared_and_counted_once_for_as_long_as_somebody_has_it() {
        let parts = Parts::new(10_000);
        let (first, one, other) = (text(&parts, 2_000), text(&parts, 2_000), text(&parts, 2_000));
        assert!(matches!(first, Text::Own(_)) && first.size() > 2_000 && first.raw() == one.raw());
        assert!(matches!((&one, &other), (Text::Shared(one), Text::Shared(other)) if Arc::ptr_eq(one, other)));
        assert_eq!((one.size(), parts.bytes()), (0, weight(one.raw())));
        drop(one);
        assert_eq!(parts.bytes(), weight(other.raw()));
        drop(other);
        assert_eq!(parts.bytes(), 0);
    }

    #[test]
    fn what_is_short_or_has_no_room_is_the_answers_own() {
        let parts = Parts::new(5_000);
        let twice = |length| (text(&parts, length), text(&parts, length)).1;
        assert!(matches!(twice(100), Text::Own(_)) && matches!(twice(6_000), Text::Own(_)));
        let (one, another) = (twice(2_000), twice(2_500));
        assert!(matches!((&one, &another), (Text::Shared(_), Text::Shared(_))));
        assert!(matches!(twice(2_100), Text::Own(_)) && matches!(text(&parts, 2_000), Text::Shared(_)));
        drop(one);
        assert!(matches!(text(&parts, 2_100), Text::Shared(_)));
    }
}
