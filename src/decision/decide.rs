//! The one decision: at admission, at the data API and in a sweep.

pub mod input;
mod no_opinion;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use plimsoll_contract::annotations::{APPLIED, Applied, AppliedKey};
use plimsoll_contract::kind::{Kind, Target};
use plimsoll_contract::outcome::{Outcome, Unavailable};
use serde_json::{Map, Value as Json};

use super::intent::{self, Patch};
use super::mac::RecordKeys;
use super::normal_form::NormalForm;
use super::outcome::{self, Fault, Ruling, invalid};
use super::retention;
use super::validate::Rules;
use super::{Config, Decision, Last, Sight, Subject, Way, Writer, evaluate, exempt, fleet, owner};
use crate::snapshot::Snapshot;

/// What an API server allows for all annotations of an object together.
const MAX_ANNOTATIONS: usize = 256 << 10;

/// Decides one object on one snapshot, however old. The same object gives the same decision on CREATE, UPDATE and sweep.
pub fn decide(snapshot: &Snapshot, subject: Subject<'_>, config: &Config) -> Decision {
    decide_seeing(snapshot, subject, config, &Sight::default())
}

/// [`decide`], where some of what decisions depend on may be stale by now.
pub fn decide_seeing(snapshot: &Snapshot, subject: Subject<'_>, config: &Config, sight: &Sight) -> Decision {
    let case = Case::of(snapshot, subject, config);
    if exempt::exempt(subject, &snapshot.state, config).is_some() {
        return case.untouched(Outcome::Exempt);
    }
    if let Some(outcome) = sight.unavailable(snapshot) {
        return case.untouched(outcome);
    }
    let form = NormalForm::of(subject.object, case.kind, &case.allowed, &case.known());
    let armed = evaluate::armed(&snapshot.policies.program, config);
    let decision = match form {
        Ok(form) if armed => case.placed(&form),
        Ok(form) => case.disarmed(&form),
        Err(_) if !armed => case.untouched(Outcome::Unarmed),
        Err(error) => case.untouched(invalid(error.to_string())),
    };
    sight.warned(decision)
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
}

impl<'a> Case<'a> {
    fn of(snapshot: &'a Snapshot, subject: Subject<'a>, config: &'a Config) -> Self {
        let text = |field: &str| subject.object.get(field).and_then(Json::as_str).unwrap_or_default();
        let kind = subject.kind.or_else(|| snapshot.state.kind_of(text("apiVersion"), text("kind")));
        let name = kind.map_or_else(|| text("kind"), |kind| kind.kind.as_str());
        let target = kind.map_or_else(|| Target::of_kind(name), Kind::effective_target);
        let allowed = config.allowed_keys(target.as_ref());
        // A new object has no past, whatever uid it gives itself.
        let memory = subject.last.filter(|_| !matches!(subject.way, Way::Create));
        let claims_owner = claims_owner(snapshot, subject);
        Self { snapshot, config, kind, name, target, allowed, way: subject.way, memory, keys: config.keys(), claims_owner }
    }

    /// What we are known to have written on the object, whatever it says itself.
    fn known(&self) -> BTreeMap<String, AppliedKey> {
        match self.way {
            Way::Create => BTreeMap::new(),
            Way::Update(previous) => previous.ours(&self.allowed, &self.remembered()),
            Way::Stored => self.remembered(),
        }
    }

    /// What the object was seen with. A sweep that puts a lost record back by this is itself an update that is reviewed.
    fn remembered(&self) -> BTreeMap<String, AppliedKey> {
        self.memory.filter(|last| last.written).map(|last| last.keys.as_ref().clone()).unwrap_or_default()
    }

    /// No accepted module defines the placement path: nothing is written, unless originals are asked back.
    fn disarmed(&self, form: &NormalForm) -> Decision {
        let patch = if self.config.release_when_disarmed { intent::release(form) } else { Patch::new() };
        Decision { patch, ..self.unplaced(form, Outcome::Unarmed) }
    }

    fn placed(&self, form: &NormalForm) -> Decision {
        let document = match evaluate::evaluate(self.snapshot, &form.object, self.config) {
            Err(error) => {
                let outcome = Outcome::Unavailable { reason: Unavailable::Failed, message: error.to_string() };
                return self.unplaced(form, outcome);
            }
            Ok(None) => return self.unplaced(form, Outcome::Undefined),
            Ok(Some(document)) => document,
        };
        let exists = |name: &str| fleet::exists(&self.snapshot.state, name).unwrap_or(true);
        let rules = Rules { allowed: &self.allowed, target: self.target.as_ref(), kind: self.name, exists: Some(&exists) };
        let decision = match outcome::rule(&document, rules) {
            Ok(ruling) => self.ruled(form, ruling),
            Err(fault) => self.unplaced(form, invalid(self.located(fault))),
        };
        self.show(decision, &document)
    }

    fn ruled(&self, form: &NormalForm, ruling: Ruling) -> Decision {
        let Ruling { outcome, desired, output } = ruling;
        let mut decision = match desired {
            Some(desired) => self.write(form, outcome, desired),
            None if outcome == Outcome::NoOpinion => self.no_opinion(form),
            None => self.unplaced(form, outcome),
        };
        decision.warnings.extend(output.warnings);
        decision.warnings.sort();
        decision.rejected = output.rejected;
        decision
    }

    fn write(&self, form: &NormalForm, outcome: Outcome, desired: super::validate::Desired) -> Decision {
        let policy = &self.snapshot.policies.digest;
        let keys = intent::entries(form, &desired.keys);
        let patch = intent::write(form, &desired.keys, self.record(form, &keys));
        let size = intent::size_after(form, &patch);
        if size > MAX_ANNOTATIONS {
            let message =
                format!("the annotations would have {size} bytes, more than the {MAX_ANNOTATIONS} that an object may have");
            return self.unplaced(form, invalid(message));
        }
        // Whoever takes the record off an object that was seen with it does not make us forget.
        let written = patch.is_empty() || self.memory.is_some_and(|last| last.written && *last.keys == keys);
        Decision {
            annotations: desired.keys.into_iter().filter_map(|(key, value)| Some((key, value?))).collect(),
            patch,
            clusters: desired.clusters.into_iter().collect(),
            warnings: form.written.warnings.clone(),
            last: Last { policy: policy.clone(), intent: form.digest.clone(), keys: Arc::new(keys), written },
            ..self.untouched(outcome)
        }
    }

    /// The record of what is written, as it is to stand on the object; nothing if policy wants what the developer wrote, unless
    /// a sweep would take the object for its owner's child then.
    fn record(&self, form: &NormalForm, keys: &BTreeMap<String, AppliedKey>) -> Option<String> {
        if keys.is_empty() && !self.claims_owner {
            return None;
        }
        if let (Some(record), Some(text)) = (&form.written.record, form.current.get(APPLIED))
            && record.keys == *keys
            && self.stands(form, record, text)
        {
            return Some(text.clone());
        }
        let policy = self.snapshot.policies.digest.clone();
        let mut record =
            Applied { kind: self.name.into(), mac: None, policy, keys: keys.clone(), fleet: self.snapshot.state.seen_fleet() };
        record.mac = self.keys.as_ref().and_then(|keys| keys.sign(&record, form));
        Some(record.encode())
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
        let last = retention::remembered(form, self.memory, &self.snapshot.policies.digest, false);
        Decision { warnings: form.written.warnings.clone(), last, ..self.untouched(outcome) }
    }

    fn untouched(&self, outcome: Outcome) -> Decision {
        Decision {
            document: outcome::shown(None, &outcome, Map::new()),
            outcome,
            annotations: BTreeMap::new(),
            patch: Patch::new(),
            kept: false,
            unproven: false,
            clusters: Vec::new(),
            warnings: Vec::new(),
            rejected: BTreeMap::new(),
            last: self.memory.cloned().unwrap_or_default(),
            revision: self.snapshot.revision,
        }
    }

    /// A client of the data API writes what it is shown: the record belongs to it, or intent would be lost (T5). It cannot
    /// be shown a removal, so a record that is to go is emptied: what stays beside it is a wish that policy will be asked about.
    fn show(&self, decision: Decision, document: &Json) -> Decision {
        let emptied = || (APPLIED.to_owned(), Applied::default().encode().into());
        let emptied = decision.patch.get(APPLIED).is_some_and(Option::is_none).then(emptied);
        let set = decision.patch.iter().filter_map(|(key, value)| Some((key, value.as_ref()?)));
        let placed = decision.annotations.iter().filter(|_| !decision.kept);
        let annotations = placed.chain(set).map(|(key, value)| (key.clone(), value.clone().into())).chain(emptied).collect();
        Decision { document: outcome::shown(Some(document), &decision.outcome, annotations), ..decision }
    }

    fn located(&self, fault: Fault) -> String {
        let Fault { rule, key, message } = fault;
        let path = &self.config.placement_path;
        let places = evaluate::places(&self.snapshot.policies.program, path, rule, key.as_deref());
        if places.is_empty() { message } else { format!("{message} (from {places})") }
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
