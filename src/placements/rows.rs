//! The rows and what is remembered beside them, as one persistent value.

mod counts;
mod shown;

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use imbl::OrdMap;
use plimsoll_contract::kind::Gvr;
use plimsoll_contract::placement::Placement;

use super::log::Log;
use super::reconcile::Pending;
use crate::decision::Last;
use crate::decision::class::Said;
pub use counts::Counts;
use shown::{Shown, shown};

/// Names an object. Cloning is cheap. Objects of one kind and namespace share these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Key {
    pub(super) gvr: Arc<Gvr>,
    pub(super) namespace: Arc<str>,
    pub(super) name: Arc<str>,
}

/// The result of a sweep for one object.
#[derive(Clone, Debug)]
pub(super) enum Verdict {
    /// The object is not there, or no longer of a placed kind.
    Gone,
    /// The object is there but has no row; since the resync of this number it says that it has an owner that is not there.
    Unplaced { uid: Arc<str>, orphaned: Option<u64> },
    /// A row, and what the next decision has to know of this one, if there was one.
    Row { row: Box<Placement>, last: Option<Last>, said: Option<Said>, course: Course },
}

/// Where an object was, and where it is to be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Course {
    /// It was placed once.
    pub(super) placed: bool,
    /// It is not where it is wanted, or nothing can be decided of it.
    pub(super) pending: Option<Arc<Pending>>,
}

/// Everything that readers see. Cloning is cheap.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    objects: OrdMap<Key, Known>,
    uids: OrdMap<Arc<str>, Key>,
    pub(super) log: Log,
    pub(super) counts: Counts,
    /// The revision up to which every row has been decided.
    pub(super) swept: u64,
}

/// One object of a placed kind.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) uid: Arc<str>,
    /// The last decision about it.
    pub(super) last: Option<Arc<Last>>,
    said: Option<Said>,
    /// Where it last was and is to be.
    pub(super) course: Course,
    /// Since which resync it says that it has an owner that is not there.
    pub(super) orphaned: Option<u64>,
    shown: Option<Shown>,
}

impl Ord for Key {
    /// By kind, namespace and name. What is shared is not compared: a key is sought among 100,000 by some 17 others.
    fn cmp(&self, other: &Self) -> Ordering {
        let kind = || if Arc::ptr_eq(&self.gvr, &other.gvr) { Ordering::Equal } else { self.gvr.cmp(&other.gvr) };
        let is_one = Arc::ptr_eq(&self.namespace, &other.namespace);
        let namespace = || if is_one { Ordering::Equal } else { self.namespace.cmp(&other.namespace) };
        kind().then_with(namespace).then_with(|| self.name.cmp(&other.name))
    }
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Hash for Key {
    /// Objects of one namespace and name are few, whatever their kind.
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.namespace, &self.name).hash(state);
    }
}

impl Known {
    /// The object's row, with what policy said of it.
    pub(super) fn row(&self) -> Option<(&Placement, Option<Said>)> {
        Some((&self.shown.as_ref()?.row, self.said))
    }
}

impl Verdict {
    /// Returns the uid of the object, if it is there.
    fn uid(&self) -> Option<&str> {
        match self {
            Self::Row { row, .. } => Some(&row.uid),
            Self::Unplaced { uid, .. } => Some(uid),
            Self::Gone => None,
        }
    }

    /// Returns the digests of policy's answer for the object; `None` where policy was not asked.
    pub(super) fn said(&self) -> Option<Said> {
        match self {
            Self::Row { said, .. } => *said,
            Self::Gone | Self::Unplaced { .. } => None,
        }
    }
}

// === Rows ===

impl Rows {
    pub(super) fn new(log: Log) -> Self {
        Self { objects: OrdMap::new(), uids: OrdMap::new(), log, counts: Counts::default(), swept: 0 }
    }

    /// Every object that is known, with or without a row.
    pub(super) fn keys(&self) -> impl Iterator<Item = &Key> {
        self.objects.keys()
    }

    /// Returns the key of an object without a name, with kind and namespace as those that are known there share them.
    pub(super) fn shared(&self, gvr: &Gvr, namespace: &str) -> Key {
        let sought = Key { gvr: Arc::new(gvr.clone()), namespace: namespace.into(), name: Arc::default() };
        let known = self.objects.get_next(&sought).map(|(known, _)| Key { name: Arc::default(), ..known.clone() });
        known.filter(|known| *known == sought).unwrap_or(sought)
    }

    /// Every row, in the order of kind, namespace and name.
    pub(super) fn rows(&self) -> impl Iterator<Item = (&Key, &Arc<Placement>)> {
        self.objects.iter().filter_map(|(key, known)| Some((key, &known.shown.as_ref()?.row)))
    }

    /// Every object that is known, in the same order, with its row and what policy said of it, if it has both.
    pub(super) fn classified(&self) -> impl Iterator<Item = (&Key, Option<(&Placement, Said)>)> {
        self.objects.iter().map(|(key, known)| (key, known.row().and_then(|(row, said)| Some((row, said?)))))
    }

    /// Every row of which it is not known what policy said, in the same order.
    pub(super) fn unclassified(&self) -> impl Iterator<Item = (&Key, &Placement)> {
        let without = self.objects.iter().filter(|(_, known)| known.said.is_none());
        without.filter_map(|(key, known)| Some((key, &*known.shown.as_ref()?.row)))
    }

    /// What is known of an object of this name.
    pub(super) fn known(&self, key: &Key) -> Option<&Known> {
        self.objects.get(key)
    }

    /// What is known of the object of this uid, whatever its name.
    pub(super) fn known_by_uid(&self, uid: &str) -> Option<&Known> {
        self.objects.get(self.uids.get(uid)?)
    }

    /// The last decision about an object, by its uid.
    pub(super) fn last(&self, uid: &str) -> Option<&Arc<Last>> {
        self.known_by_uid(uid)?.last.as_ref()
    }

    /// Adds the objects of these verdicts that are not known yet, every other one first. When the table is first filled they come sorted, and
    /// a tree that only grows at its end keeps half-empty leaves: the second half fills them.
    pub(super) fn meet(&mut self, verdicts: &[(Key, Verdict)]) {
        let every_other = |from: usize| verdicts.iter().skip(from).step_by(2);
        for (key, verdict) in every_other(0).chain(every_other(1)) {
            if let Some(uid) = verdict.uid() {
                self.know(key, uid);
            }
        }
    }

    /// Takes over a verdict; says whether it made an event.
    pub(super) fn apply(&mut self, key: Key, verdict: Verdict) -> bool {
        match verdict {
            Verdict::Gone => self.forget(&key),
            Verdict::Unplaced { uid, orphaned } => {
                self.know(&key, &uid);
                self.orphan(&key, orphaned);
                self.hide(&key)
            }
            Verdict::Row { row, last, said, course } => self.show(&key, *row, (last, said, course)),
        }
    }

    /// An object of this identity is there; another one's memory goes.
    fn know(&mut self, key: &Key, uid: &str) {
        let shown = match self.objects.get(key) {
            Some(known) if &*known.uid == uid => return,
            Some(known) => {
                let (before, shown) = (Arc::clone(&known.uid), known.shown.clone());
                self.unlink(&before, key);
                shown
            }
            None => None,
        };
        let uid: Arc<str> = uid.into();
        // Objects that say none have it in common.
        if !uid.is_empty() {
            self.uids.insert(Arc::clone(&uid), key.clone());
        }
        self.objects.insert(key.clone(), Known { uid, last: None, said: None, course: Course::default(), orphaned: None, shown });
    }

    fn orphan(&mut self, key: &Key, since: Option<u64>) {
        let is_news = self.objects.get(key).is_some_and(|known| known.orphaned != since);
        if let Some(known) = self.objects.get_mut(key).filter(|_| is_news) {
            known.orphaned = since;
        }
    }

    /// An object has this row, and this is remembered of it; its last decision stays what it was where there is none. Looked for
    /// once, and written only where something differs: to find a row takes longer than to compare it.
    fn show(&mut self, key: &Key, row: Placement, (last, said, course): (Option<Last>, Option<Said>, Course)) -> bool {
        let known = match self.objects.get(key) {
            Some(known) if *known.uid == *row.uid => known,
            _ => {
                self.know(key, &row.uid);
                let Some(known) = self.objects.get(key) else { return false };
                known
            }
        };
        let last = last.filter(|last| known.last.as_deref() != Some(last));
        let (shown, is_event) = shown(known.shown.as_ref(), row, (&mut self.log, &mut self.counts));
        if last.is_none() && shown.is_none() && known.said == said && known.course == course {
            return false;
        }
        if let Some(known) = self.objects.get_mut(key) {
            known.last = last.map(Arc::new).or_else(|| known.last.take());
            known.shown = shown.or_else(|| known.shown.take());
            (known.said, known.course) = (said, course);
        }
        is_event
    }

    fn hide(&mut self, key: &Key) -> bool {
        let shown = match self.objects.get(key) {
            Some(known) if known.shown.is_some() => self.objects.get_mut(key).and_then(|known| known.shown.take()),
            _ => None,
        };
        let Some(shown) = shown else { return false };
        self.counts.remove(&shown.row);
        self.log.removed(shown.at, key.clone());
        true
    }

    fn forget(&mut self, key: &Key) -> bool {
        let removed = self.hide(key);
        if let Some(known) = self.objects.remove(key) {
            self.unlink(&known.uid, key);
        }
        removed
    }

    /// Forgets whose uid this was, unless it is another object's by now.
    fn unlink(&mut self, uid: &str, key: &Key) {
        if self.uids.get(uid).is_some_and(|of| of == key) {
            self.uids.remove(uid);
        }
    }
}

#[cfg(test)]
pub(super) mod tests;
