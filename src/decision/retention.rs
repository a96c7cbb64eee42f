//! Policy has no opinion any more. An absent annotation means *every cluster* to some readers, so what was written is
//! taken back only if policy or the developer changed something; if only state changed, the last placement is kept. While a change of
//! policy is new, letting go waits: it may have been made by mistake, or in several steps.
//!
//! Undoing is always believed, keeping is earned: what an object says of itself is user-writable, so what is kept is taken from
//! elsewhere. A new object keeps nothing. A change of a stored object keeps what the stored one had. In a sweep the memory
//! of the decision, or the record's mac, shows that the placement was decided.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use plimsoll_contract::annotations::{APPLIED, Applied, AppliedKey};
use plimsoll_contract::kind::OnNoOpinion;

use super::mac::RecordKeys;
use super::normal_form::NormalForm;

/// The last decision about an object, kept in memory by the placements table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Last {
    /// Digest of the policy set that decided.
    pub policy: Arc<str>,
    /// Digest of the object's normal form, if it is a stored object's.
    pub intent: String,
    /// What a record of the decision says; empty if it placed nothing, or as the developer asked.
    pub keys: Arc<BTreeMap<String, AppliedKey>>,
    /// The object was seen with exactly that.
    pub written: bool,
    /// The next reading of the object gives the same `intent`, if the object has not changed: what is remembered now of our writing undoes
    /// as much as what was known at this decision.
    pub repeats: bool,
}

/// Whether a placement that policy no longer has an opinion about is kept or released.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retention<'a> {
    /// There is none, or it is taken back.
    Release,
    /// It stays, or would, if anything showed that it was decided.
    Stay(Stay<'a>),
}

/// A placement that stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stay<'a> {
    /// Digest of the policy set that placed it.
    pub policy: &'a str,
    /// Something shows that it was decided.
    pub proven: bool,
    /// It stays for a while only: another policy set is in force.
    pub waits: bool,
}

/// Evidence that an object's placement is one that policy gave.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// What was last decided for it.
    pub memory: Option<&'a Last>,
    /// The keys that records are signed with.
    pub keys: Option<&'a RecordKeys>,
    /// Digest of the policy set in force.
    pub policy: &'a str,
    /// What the kind says.
    pub on_no_opinion: OnNoOpinion,
    /// That set came into force a short time ago.
    pub is_new: bool,
}

/// The last decision that placed an object.
struct Placed<'a> {
    policy: &'a str,
    intent: &'a str,
    proven: bool,
}

impl Evidence<'_> {
    /// Returns what becomes of the placement on `stored`, which is the object itself in a sweep and what it was before in an
    /// update, now that the developer asks for `intent` (a digest).
    pub fn retention<'a>(&'a self, stored: &'a NormalForm, intent: &str) -> Retention<'a> {
        let Some(Placed { policy, intent: asked, proven }) = self.placed(stored) else { return Retention::Release };
        // Whatever else changed: nobody knows what the other set would say now.
        let waits = policy != self.policy;
        let stays = if waits { self.is_new } else { self.on_no_opinion == OnNoOpinion::Keep && asked == intent };
        if stays { Retention::Stay(Stay { policy, proven, waits }) } else { Retention::Release }
    }

    /// Whether what was written on `stored`, if anything was, is shown to have been decided.
    pub fn is_proven(&self, stored: &NormalForm) -> bool {
        stored.written.ours.is_empty() || self.placed(stored).is_some_and(|placed| placed.proven)
    }

    /// From memory, else as far as the object's own record tells. A record is younger than the memory if admission wrote it and
    /// the sweep has not been there yet: it names the set in force where the memory does not, or its mac shows that the same
    /// was decided for the object as it is now.
    fn placed<'a>(&'a self, stored: &'a NormalForm) -> Option<Placed<'a>> {
        let written = &stored.written;
        if written.ours.is_empty() {
            return None;
        }
        let record = written.record.as_ref();
        let is_proven = |record: &Applied| self.keys.is_some_and(|keys| keys.verify(record, stored));
        let is_younger = |last: &Last| {
            let names_newer = |record: &Applied| *last.policy != *self.policy && record.policy == self.policy;
            record.is_some_and(|record| names_newer(record) || (last.intent != stored.digest() && is_proven(record)))
        };
        let decided = |last: &Last| written.ours.iter().all(|(key, entry)| last.keys.get(key) == Some(entry));
        if let Some(last) = self.memory.filter(|last| decided(last) && !is_younger(last)) {
            return Some(Placed { policy: &last.policy, intent: &last.intent, proven: true });
        }
        let record = record?;
        // Somebody changed what we wrote: whatever the intent was then, it is another one now.
        let intent = if written.superseded.is_empty() { stored.digest() } else { "" };
        Some(Placed { policy: &record.policy, intent, proven: is_proven(record) })
    }
}

impl Last {
    /// Returns this decision with [`Self::repeats`] as it is, given the one before and the form that the object had for this one.
    pub(super) fn after(self, before: Option<&Self>, form: &NormalForm, allowed: &BTreeSet<String>) -> Self {
        let known = |last: &Self| last.written && !last.keys.is_empty();
        let as_before = match before.filter(|before| known(before)) {
            Some(before) => known(&self) && self.keys == before.keys,
            None => !known(&self),
        };
        let ours = &form.written.ours;
        // The record says all that is known, and all that will be: what is known changes nothing.
        let by_record =
            || form.written.are_recorded(allowed) && (!known(&self) || self.keys.keys().all(|key| ours.contains_key(key)));
        Self { repeats: as_before || by_record(), ..self }
    }
}

/// Returns what the object was last seen with of ours; nothing, if that is not known.
pub fn seen_with(memory: Option<&Last>) -> BTreeMap<String, AppliedKey> {
    memory.filter(|last| last.written).map(|last| last.keys.as_ref().clone()).unwrap_or_default()
}

/// Returns what is to be remembered after a decision that placed nothing. What is let go is known to be ours until it is gone: nobody says when
/// that will be, while a brake is on or the API server is away, and it must not come to be taken for the developer's wish.
pub fn remembered(form: &NormalForm, memory: Option<&Last>, decided: Last) -> Last {
    let is_there = |last: &&Last| !last.keys.is_empty() && !form.written.ours.is_empty();
    memory.filter(is_there).map_or(decided, |last| Last { repeats: false, ..last.clone() })
}

/// Returns the annotations of an object that keeps what `stored` has of ours, with its record, whatever else it asks for.
pub fn kept(intent: &BTreeMap<String, String>, stored: &NormalForm, record: Option<String>) -> BTreeMap<String, String> {
    let mut wanted = intent.clone();
    for key in stored.written.ours.keys() {
        match stored.current.get(key) {
            Some(value) => wanted.insert(key.clone(), value.clone()),
            None => wanted.remove(key),
        };
    }
    wanted.extend(record.map(|record| (APPLIED.to_owned(), record)));
    wanted
}

#[cfg(test)]
mod tests;
