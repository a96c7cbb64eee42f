//! What moves an object, and what has to be remembered of one that is not where it is wanted.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use plimsoll_contract::annotations::{APPLIED, AppliedKey};
use plimsoll_contract::kind::Kind;
use plimsoll_contract::moves::Cause;
use serde_json::{Map, Value as Json};

use super::verdict::annotation;
use crate::decision::normal_form::undo::sum_of;
use crate::decision::{Last, NormalForm, ahead};

/// An object that is not where policy wants it, or about which nothing can be decided just now, and since when.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(in crate::placements) struct Pending {
    /// Nothing can be decided since.
    pub(super) doubt: Option<Doubt>,
    /// The move that was wanted last.
    pub(super) wanted: Option<Wanted>,
}

/// Nothing can be decided: what was known when something could be last.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Doubt {
    /// The first revision at which its row may have been out of date.
    pub(super) since: u64,
    pub(super) last: Option<Arc<Last>>,
}

/// A move: while it is wanted, its cause is what it was first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Wanted {
    pub(super) from: String,
    pub(super) to: String,
    pub(super) cause: Cause,
}

/// One object whose placement is to change, and what is known of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mover<'a> {
    pub(super) object: &'a Json,
    pub(super) kind: &'a Kind,
    pub(super) allowed: &'a BTreeSet<String>,
    /// What was last decided for it.
    pub(super) last: Option<&'a Last>,
    /// It was placed before, as far as is known.
    pub(super) placed: bool,
    /// It has not changed since that decision. Then perhaps only a part of it was read, and its digest must not be computed.
    pub(super) unchanged: bool,
}

impl Mover<'_> {
    /// Returns what moves it, given the digest of the policies in force; `None`: data did, if anybody knows.
    pub(super) fn cause(&self, in_force: &str) -> Option<Cause> {
        // What could not be read was never decided.
        let last = self.last.filter(|last| !last.intent.is_empty());
        if !self.placed && ahead::record(|key| annotation(self.object, key)).is_none() {
            return Some(Cause::First);
        }
        let known = last.filter(|last| last.written).map(|last| last.keys.as_ref().clone()).unwrap_or_default();
        let form = NormalForm::of(self.object, Some(self.kind), self.allowed, &known).ok()?;
        let record = form.written.record.as_ref();
        // Where policies have changed since as well, it is them: whoever annotates an object that they let go a while later moves nothing.
        let same_policies = |last: &&Last| *last.policy == *in_force;
        if !self.unchanged && last.filter(same_policies).is_some_and(|last| !self.asks_the_same(&form, last)) {
            return Some(Cause::Object);
        }
        let was_taken = self.placed && !known.is_empty() && (record.is_none() || !is_on(&form, &known));
        if was_taken || !form.written.superseded.is_empty() {
            return Some(Cause::Drift);
        }
        let policy = last.map(|last| &*last.policy).or(record.map(|record| record.policy.as_str()))?;
        (policy != in_force).then(|| Cause::Policy { from: policy.to_owned(), to: in_force.to_owned() })
    }

    /// Whether this engine decided it before.
    pub(super) fn was_decided(&self) -> bool {
        self.last.is_some_and(|last| !last.intent.is_empty())
    }

    /// Whether its owner asks for what he asked for at the last decision, whatever somebody did to what we wrote since.
    fn asks_the_same(&self, form: &NormalForm, last: &Last) -> bool {
        let recorded = form.written.record.iter().flat_map(|record| &record.keys).filter(|(key, _)| self.allowed.contains(*key));
        let mut entries: BTreeMap<String, AppliedKey> = recorded.map(|(key, entry)| (key.clone(), entry.clone())).collect();
        entries.extend(last.keys.iter().map(|(key, entry)| (key.clone(), entry.clone())));
        form.digest() == last.intent || self.restored(&entries).is_some_and(|form| form.digest() == last.intent)
    }

    /// The object's form with what was there before in the place of whatever stands there.
    fn restored(&self, entries: &BTreeMap<String, AppliedKey>) -> Option<NormalForm> {
        let mut object = self.object.clone();
        let metadata = object.get_mut("metadata")?.as_object_mut()?;
        let annotations = metadata.entry("annotations").or_insert_with(|| Map::new().into()).as_object_mut()?;
        annotations.remove(APPLIED);
        for (key, AppliedKey { was, .. }) in entries {
            match was {
                Some(was) => annotations.insert(key.clone(), was.as_str().into()),
                None => annotations.remove(key),
            };
        }
        NormalForm::of(&object, Some(self.kind), self.allowed, &BTreeMap::new()).ok()
    }
}

fn is_on(form: &NormalForm, entries: &BTreeMap<String, AppliedKey>) -> bool {
    entries.iter().all(|(key, entry)| sum_of(form.current.get(key).map(String::as_str)) == entry.sum)
}
