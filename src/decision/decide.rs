//! The one decision: at admission, at the data API and in a sweep.

mod ask;
pub mod input;
mod no_opinion;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use plimsoll_contract::annotations::{APPLIED, Applied, AppliedKey};
use plimsoll_contract::kind::{Kind, Target};
use plimsoll_contract::outcome::Outcome;
use serde_json::Value as Json;

use super::intent::{self, Patch};
use super::mac::RecordKeys;
use super::normal_form::NormalForm;
use super::outcome::{Ruling, invalid};
use super::retention;
use super::wanted::Wanted;
use super::{Config, Decision, Last, Retained, Sight, Subject, Way, Writer, exempt, owner};
use crate::snapshot::Snapshot;
use ask::Classified;
pub(super) use input::asked;

/// What an API server allows for all annotations of an object together.
const MAX_ANNOTATIONS: usize = 256 << 10;

/// Decides one object on one snapshot, however old. The same object gives the same decision on CREATE, UPDATE and sweep.
pub fn decide(snapshot: &Snapshot, subject: Subject<'_>, config: &Config) -> Decision {
    decide_seeing(snapshot, subject, config, &Sight::default())
}

/// [`decide`], where some of what decisions depend on may be stale by now.
pub fn decide_seeing(snapshot: &Snapshot, subject: Subject<'_>, config: &Config, sight: &Sight) -> Decision {
    let case = Case::of(snapshot, subject, config, sight);
    match case.classified(subject, sight) {
        Classified::Decided(decision) => *decision,
        Classified::Asks(form, key) => {
            let seen = key.as_deref().and_then(|key| Some(case.seen(&form, key, &config.classes.get(key)?)));
            sight.warned(seen.unwrap_or_else(|| case.asked(&form, key)))
        }
    }
}

/// [`decide_seeing`], if that takes little time: no policy has to be evaluated, and at most so many bytes are shown of what it said.
/// Else `None`.
pub fn decide_seen(snapshot: &Snapshot, subject: Subject<'_>, config: &Config, sight: &Sight, most: usize) -> Option<Decision> {
    // What rests on what has changed since must be found out first, and that takes long.
    snapshot.known_basis(&config.placement_path)?;
    let case = Case::of(snapshot, subject, config, sight);
    match case.classified(subject, sight) {
        Classified::Decided(decision) => Some(*decision),
        Classified::Asks(form, key) => {
            let key = key?;
            let class = config.classes.get(&key).filter(|class| class.written <= most)?;
            Some(sight.warned(case.seen(&form, &key, &class)))
        }
    }
}

/// Returns what [`decide_seeing`] does for a stored object that has not changed since its last decision, and of which only a part was read
/// (see [`suffices_again`]). `intent` is the digest of the whole. Returns `None` where the whole has to be read: policy is not asked, or its
/// answer is not kept.
///
/// [`suffices_again`]: super::skim::suffices_again
pub fn decide_again(snapshot: &Snapshot, subject: Subject<'_>, config: &Config, sight: &Sight, intent: &str) -> Option<Decision> {
    let case = Case::of(snapshot, subject, config, sight);
    let Classified::Asks(form, key) = case.classified(subject, sight) else { return None };
    let (form, key) = (form.of_intent(intent), key?);
    let class = config.classes.get(&key)?;
    Some(sight.warned(case.seen(&form, &key, &class)))
}

/// One object on one snapshot.
struct Case<'a> {
    snapshot: &'a Snapshot,
    config: &'a Config,
    kind: Option<&'a Kind>,
    name: &'a str,
    target: Option<Target>,
    allowed: BTreeSet<String>,
    way: Way<'a>,
    memory: Option<&'a Last>,
    keys: Option<Arc<RecordKeys>>,
    claims_owner: bool,
    /// See [`Sight::grace`].
    grace: Option<Duration>,
}

impl<'a> Case<'a> {
    fn of(snapshot: &'a Snapshot, subject: Subject<'a>, config: &'a Config, sight: &Sight) -> Self {
        let text = |field: &str| subject.object.get(field).and_then(Json::as_str).unwrap_or_default();
        let kind = subject.kind.or_else(|| snapshot.state.kind_of(text("apiVersion"), text("kind")));
        let name = kind.map_or_else(|| text("kind"), |kind| kind.kind.as_str());
        let target = kind.map_or_else(|| Target::of_kind(name), Kind::effective_target);
        let allowed = config.allowed_keys(target.as_ref());
        // A new object has no past, whatever uid it gives itself.
        let memory = subject.last.filter(|_| !matches!(subject.way, Way::Create));
        let claims_owner = claims_owner(snapshot, subject);
        let (way, keys, grace) = (subject.way, config.keys(), sight.grace);
        Self { snapshot, config, kind, name, target, allowed, way, memory, keys, claims_owner, grace }
    }

    /// Returns the entries of the record that are known from elsewhere than the object itself.
    fn known(&self) -> BTreeMap<String, AppliedKey> {
        match self.way {
            Way::Create => BTreeMap::new(),
            Way::Update(previous) => previous.ours(&self.allowed, &self.remembered()),
            Way::Stored => self.remembered(),
        }
    }

    /// Returns the entries of the record that the object was last seen with. A sweep that puts a lost record back by this is itself an
    /// update that is reviewed.
    fn remembered(&self) -> BTreeMap<String, AppliedKey> {
        retention::seen_with(self.memory)
    }

    /// No accepted module defines the placement path: nothing is written, unless originals are asked back.
    fn disarmed(&self, form: &NormalForm) -> Decision {
        let kept = self.unplaced(form, Outcome::Unarmed);
        let patch = if self.config.release_when_disarmed { intent::release(form) } else { Patch::new() };
        if self.grace.is_some() && !patch.is_empty() { self.waiting(kept) } else { Decision { patch, ..kept } }
    }

    fn ruled(&self, form: &NormalForm, ruling: &Ruling) -> Decision {
        let Ruling { outcome, placed, warnings, urgent } = ruling;
        let mut decision = match placed {
            Some(placed) => self.write(form, outcome, &placed.wanted),
            None if *outcome == Outcome::NoOpinion => self.no_opinion(form),
            None => self.unplaced(form, outcome.clone()),
        };
        decision.warnings.extend(warnings.iter().cloned());
        decision.warnings.sort();
        decision.urgent = *urgent;
        decision
    }

    fn write(&self, form: &NormalForm, outcome: &Outcome, wanted: &Wanted) -> Decision {
        let keys = intent::entries(form, wanted);
        let patch = intent::write(form, wanted, self.record(form, &keys).as_deref());
        let size = intent::size_after(form, &patch);
        if size > MAX_ANNOTATIONS {
            let message =
                format!("the annotations would have {size} bytes, more than the {MAX_ANNOTATIONS} that an object may have");
            return self.unplaced(form, invalid(message));
        }
        // Whoever takes the record off an object that was seen with it does not make us forget.
        let written = patch.is_empty() || self.memory.is_some_and(|last| last.written && *last.keys == keys);
        Decision {
            unremoved: self.unremoved(form, (&keys, &patch)),
            patch,
            warnings: form.written.warnings.clone(),
            last: Last { keys: Arc::new(keys), written, ..self.decided(form) }.after(self.memory, form, &self.allowed),
            ..self.untouched(outcome.clone())
        }
    }

    /// The record of what is written, as it is to stand on the object; nothing if policy wants what the developer wrote, unless
    /// a sweep would take the object for its owner's child then.
    fn record(&self, form: &NormalForm, keys: &BTreeMap<String, AppliedKey>) -> Option<String> {
        self.record_by(&self.snapshot.policies.digest, form, keys)
    }

    /// Returns the record of a placement that the policies of the digest `policy` gave.
    fn record_by(&self, policy: &str, form: &NormalForm, keys: &BTreeMap<String, AppliedKey>) -> Option<String> {
        if keys.is_empty() && !self.claims_owner {
            return None;
        }
        if let (Some(record), Some(text)) = (&form.written.record, form.current.get(APPLIED))
            && record.keys == *keys
            && self.stands(form, record, text)
        {
            return Some(text.clone());
        }
        let (kind, fleet) = (self.name.into(), self.snapshot.state.seen_fleet());
        let mut record = Applied { kind, mac: None, policy: policy.into(), keys: keys.clone(), fleet };
        record.mac = self.keys.as_ref().and_then(|keys| keys.sign(&record, form));
        Some(record.encode())
    }

    /// Returns the record of `keys` and of what the patch removes of ours; nothing if it removes nothing. It is never signed, and by no
    /// policies: what it names beside `keys` was not decided, and whoever decides next must not take it for a placement that may stay.
    fn unremoved(&self, form: &NormalForm, (keys, patch): (&BTreeMap<String, AppliedKey>, &Patch)) -> Option<String> {
        let mut all = intent::removed(form, patch);
        if all.is_empty() {
            return None;
        }
        all.extend(keys.iter().map(|(key, entry)| (key.clone(), entry.clone())));
        let (kind, fleet) = (self.name.into(), self.snapshot.state.seen_fleet());
        Some(Applied { kind, mac: None, policy: String::new(), keys: all, fleet }.encode())
    }

    /// Whether a record of the right keys stays byte for byte. In a sweep it always does: an edit of a policy that changes no
    /// placement must change no object. In a write it does if it is proved, or was there before: whoever writes can make one up.
    fn stands(&self, form: &NormalForm, record: &Applied, text: &str) -> bool {
        match (self.way, &self.keys) {
            (Way::Stored, _) => true,
            (_, Some(keys)) => keys.verify(record, form),
            (Way::Update(previous), None) => previous.annotations().get(APPLIED).is_some_and(|before| before == text),
            (Way::Create, None) => false,
        }
    }

    /// A decision that changes nothing, and that remembers the last one that did.
    fn unplaced(&self, form: &NormalForm, outcome: Outcome) -> Decision {
        let last = retention::remembered(form, self.memory, self.decided(form));
        Decision { warnings: form.written.warnings.clone(), last, ..self.untouched(outcome) }
    }

    /// Returns what the table of placements remembers of a decision that placed nothing.
    fn decided(&self, form: &NormalForm) -> Last {
        let intent = if matches!(self.way, Way::Stored) { form.digest().to_owned() } else { String::new() };
        Last { policy: self.snapshot.policies.digest.clone(), intent, ..Last::default() }
    }

    fn untouched(&self, outcome: Outcome) -> Decision {
        Decision {
            outcome,
            class: None,
            said: None,
            cached: false,
            retained: Retained::default(),
            patch: Patch::new(),
            unremoved: None,
            kept: false,
            unproven: false,
            letting_go: false,
            urgent: false,
            stale: Vec::new(),
            warnings: Vec::new(),
            last: self.memory.cloned().unwrap_or_default(),
            revision: self.snapshot.revision,
        }
    }
}

/// Whether the object says that it has an owner, and yet is decided itself: no controller wrote it, or it was decided before.
fn claims_owner(snapshot: &Snapshot, subject: Subject<'_>) -> bool {
    // The owner first: few objects name one, and nearly all that are placed carry a record to be read.
    owner::owner(subject.object, &snapshot.state).is_some()
        && (subject.writer == Writer::Other || exempt::has_own_record(subject.object))
}

#[cfg(test)]
mod tests;
