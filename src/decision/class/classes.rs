//! The classes that are kept.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use quick_cache::sync::Cache;
use quick_cache::{Equivalent, Weighter};

use super::parts::Parts;
use super::{Class, Digest, Interners};

/// Of this size, about: what the cache is made for at first.
const TYPICAL: u64 = 4 << 10;

/// One of so many bytes is for long members that answers of several classes have.
const SHARED: u64 = 8;

/// What the cache takes for a class beside the key and what is kept of it, about.
const BESIDE: usize = 128;

/// Classes by their keys, up to so many bytes; those that are asked for least go first. What classes have in common, which is all but the
/// key where policy answers both alike, is kept once for all of them. Cloned, it is the same.
#[derive(Clone)]
pub struct Classes {
    /// `None`: nothing is kept.
    kept: Option<Arc<Kept>>,
    /// Classes that are kept.
    count: Arc<AtomicUsize>,
    /// Answers that were ever kept.
    answers: Arc<AtomicU64>,
    interners: Arc<Interners>,
}

type Kept = Cache<Key, Entry, Bytes>;

#[derive(Debug)]
enum Key {
    /// A class, by the key that [`super::key`] makes for it.
    Class { key: Box<[u8]>, _counted: Counted },
    /// An answer of policy, by its digest.
    Answer(Digest),
}

#[derive(Clone, Debug)]
enum Entry {
    /// Of a class: its answer is the entry at this digest, if that still has this number.
    Common(Digest, u64),
    /// Of an answer: its number, which no other one ever gets, and the class that it was found for.
    Answer(u64, Arc<Class>),
    /// Of a class, where another answer has the same digest: more follows from an answer than it says.
    Own(Arc<Class>),
}

/// Adds one to a count for as long as it lives.
#[derive(Debug)]
struct Counted(Arc<AtomicUsize>);

impl Counted {
    fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(count))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Class { key: one, .. }, Self::Class { key: other, .. }) => one == other,
            (Self::Answer(one), Self::Answer(other)) => one == other,
            (Self::Class { .. }, Self::Answer(_)) | (Self::Answer(_), Self::Class { .. }) => false,
        }
    }
}

impl Eq for Key {}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Self::Class { key, .. } => key.hash(state),
            Self::Answer(digest) => digest.hash(state),
        }
    }
}

impl Equivalent<Key> for [u8] {
    fn equivalent(&self, key: &Key) -> bool {
        matches!(key, Key::Class { key, .. } if **key == *self)
    }
}

/// Weighs by memory.
#[derive(Clone, Debug)]
struct Bytes;

impl Weighter<Key, Entry> for Bytes {
    fn weight(&self, key: &Key, entry: &Entry) -> u64 {
        let key = if let Key::Class { key, .. } = key { key.len() } else { 0 };
        let class = if let Entry::Answer(_, class) | Entry::Own(class) = entry { class.size } else { 0 };
        u64::try_from(key.saturating_add(class).saturating_add(BESIDE)).unwrap_or(u64::MAX)
    }
}

impl Classes {
    /// How many bytes are kept where nothing is said.
    pub const BYTES: u64 = 64 << 20;

    /// None yet, of at most so many bytes; 0 keeps nothing.
    pub fn new(bytes: u64) -> Self {
        let items = usize::try_from(bytes / TYPICAL).unwrap_or(usize::MAX);
        let shared = bytes / SHARED;
        let kept = (bytes > 0).then(|| Arc::new(Cache::with_weighter(items, bytes - shared, Bytes)));
        let interners = Arc::new(Interners { parts: Parts::new(shared), ..Interners::default() });
        Self { kept, count: Arc::default(), answers: Arc::default(), interners }
    }

    /// Returns where equal values of answers are found, whether the answers are kept or not.
    pub fn interners(&self) -> &Arc<Interners> {
        &self.interners
    }

    /// Whether anything is kept.
    pub fn are_kept(&self) -> bool {
        self.kept.is_some()
    }

    /// Returns the class of a key, if it and its answer are kept.
    pub fn get(&self, key: &[u8]) -> Option<Arc<Class>> {
        let kept = self.kept.as_ref()?;
        match kept.get(key)? {
            Entry::Own(class) => Some(class),
            Entry::Common(digest, number) => match kept.get(&Key::Answer(digest))? {
                Entry::Answer(known, class) => (known == number).then_some(class),
                Entry::Common(..) | Entry::Own(_) => None,
            },
            Entry::Answer(..) => None,
        }
    }

    /// Keeps a class, if it is not too large.
    pub fn keep(&self, key: Vec<u8>, class: &Arc<Class>) {
        let Some(kept) = &self.kept else { return };
        let digest = class.digest;
        let entry = match kept.get(&Key::Answer(digest)) {
            Some(Entry::Answer(number, known)) if known == *class => Entry::Common(digest, number),
            Some(_) => Entry::Own(class.clone()),
            None => {
                let number = self.answers.fetch_add(1, Ordering::Relaxed);
                kept.insert(Key::Answer(digest), Entry::Answer(number, class.clone()));
                if !kept.contains_key(&Key::Answer(digest)) {
                    return;
                }
                Entry::Common(digest, number)
            }
        };
        let key = Key::Class { key: key.into_boxed_slice(), _counted: Counted::new(&self.count) };
        kept.insert(key, entry);
    }

    /// Bytes that are kept, about.
    pub fn bytes(&self) -> u64 {
        self.kept.as_ref().map_or(0, |kept| kept.weight().saturating_add(self.interners.parts.bytes()))
    }

    /// Returns the number of classes that are kept.
    pub fn count(&self) -> usize {
        self.count.load(Ordering::Relaxed)
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::decision::outcome::Fault;
    use crate::decision::testing::answered;

    fn kept(classes: &Classes, key: &str, class: &Arc<Class>) -> Option<Arc<Class>> {
        classes.keep(key.into(), class);
        classes.get(key.as_bytes())
    }

    #[test]
    fn classes_that_are_answered_alike_are_kept_as_one() {
        let classes = Classes::default();
        let answer = || answered(&json!({"clusters": ["a", "b", "c"]}), &[("k", "v")]);
        let one = kept(&classes, "one", &answer()).unwrap();
        let bytes = classes.bytes();
        let other = kept(&classes, "other", &answer()).unwrap();
        assert!(Arc::ptr_eq(&one, &other));
        assert_eq!((classes.bytes() - bytes, classes.count()), (u64::try_from("other".len() + BESIDE).unwrap(), 2));
        drop((one, other));
        assert!(classes.get(b"one").is_some() && classes.get(b"other").is_some(), "nobody else holds it");
    }

    #[test]
    fn what_follows_otherwise_from_the_same_answer_is_kept_apart() {
        let classes = Classes::default();
        let answer = |value: &str| answered(&json!({"clusters": ["a"]}), &[("k", value)]);
        for _ in 0..2 {
            for key in ["v", "w", "x"] {
                let class = answer(key);
                assert_eq!(kept(&classes, key, &class), Some(class));
            }
        }
        for key in ["v", "w", "x"] {
            assert_eq!(classes.get(key.as_bytes()), Some(answer(key)));
        }
        assert_eq!(classes.count(), 3);
    }

    #[test]
    fn answers_go_with_the_classes_that_nobody_asks_for() {
        let classes = Classes::new(64 << 10);
        let answer = |number: usize| answered(&json!({"clusters": [number, "x".repeat(1_000)]}), &[]);
        let often = kept(&classes, "often", &answer(0)).unwrap();
        for number in 1..1_000 {
            let found = kept(&classes, &format!("{number}"), &answer(number));
            assert!(found.is_none_or(|class| class == answer(number)));
            assert!(classes.get(b"often").is_some_and(|class| Arc::ptr_eq(&often, &class)), "{number}");
        }
        assert!(classes.bytes() <= 64 << 10 && (10..100).contains(&classes.count()), "{} {}", classes.bytes(), classes.count());
    }

    #[test]
    fn what_many_answers_say_in_the_same_words_is_kept_once() {
        let classes = Classes::new(128 << 10);
        let why = "x".repeat(8_000);
        for number in 0..50 {
            let answer = interned(&classes, &json!({"clusters": [number], "rejected": why}));
            assert_eq!(kept(&classes, &number.to_string(), &answer), Some(answer));
        }
        assert_eq!(classes.count(), 50);
        assert!((16_000..64_000).contains(&classes.bytes()), "{}", classes.bytes());
    }

    #[test]
    fn answers_are_one_whether_their_members_are_shared_or_not() {
        let classes = Classes::default();
        let answer = || interned(&classes, &json!({"clusters": ["a"], "rejected": "x".repeat(8_000)}));
        let first = kept(&classes, "first", &answer()).unwrap();
        for key in ["second", "third"] {
            assert!(kept(&classes, key, &answer()).is_some_and(|class| Arc::ptr_eq(&first, &class)), "{key}");
        }
    }

    #[test]
    fn long_members_take_no_more_than_all_may() {
        let limit = 64 << 10;
        let classes = Classes::new(limit);
        let document = |of: usize, why: usize| json!({"clusters": [of], "rejected": format!("{why}{}", "x".repeat(2_000))});
        for number in 0..1_000 {
            for (key, why) in [("one", number), ("other", number), ("again", number / 2)] {
                let answer = interned(&classes, &document(number, why));
                classes.keep(format!("{key} {number}").into_bytes(), &answer);
                assert!(classes.bytes() <= limit, "{number}: {}", classes.bytes());
            }
        }
        assert!(classes.count() > 20 && classes.interners.parts.bytes() > 2_000, "{classes:?}");
    }

    fn interned(classes: &Classes, document: &serde_json::Value) -> Arc<Class> {
        let ruling = Err(Fault { rule: None, key: None, message: String::new() });
        Arc::new(Class::of(Some((document, ruling)), classes.interners()).unwrap())
    }

    #[test]
    fn what_is_too_large_leaves_nothing() {
        let classes = Classes::new(1 << 10);
        let large = answered(&json!({"clusters": ["x".repeat(10_000)]}), &[]);
        for number in 0..100 {
            assert_eq!(kept(&classes, &format!("{number}"), &large), None);
        }
        assert_eq!((classes.count(), classes.bytes()), (0, 0));
    }
}
