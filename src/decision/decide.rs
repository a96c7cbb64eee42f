//! The one decision: at admission, at the data API and in a sweep.

use std::collections::{BTreeMap, BTreeSet};

use plimsoll_contract::kind::{Kind, OnNoOpinion, Target};
use plimsoll_contract::outcome::{Outcome, Unavailable};
use serde_json::{Map, Value as Json};

use super::intent::{self, Patch};
use super::normal_form::NormalForm;
use super::outcome::{self, Fault, Ruling, invalid};
use super::preferences::Preferences;
use super::target::{Reader, reader};
use super::validate::Rules;
use super::{Config, Decision, Last, Subject, class, evaluate, fleet, letting_go};
use crate::snapshot::Snapshot;

/// What an API server allows for all annotations of an object together.
const MAX_ANNOTATIONS: usize = 256 << 10;

/// Decides one object on one snapshot. The same object gives the same decision on CREATE, UPDATE and sweep.
pub fn decide(snapshot: &Snapshot, subject: Subject<'_>, config: &Config) -> Decision {
    let case = Case::of(snapshot, subject, config);
    if class::exempt(subject.object, &snapshot.state, config).is_some() {
        return case.untouched(Outcome::Exempt);
    }
    if !snapshot.ready() {
        let message = snapshot.not_ready.join("; ");
        return case.untouched(Outcome::Unavailable { reason: Unavailable::NotReady, message });
    }
    let form = NormalForm::of(subject.object, case.kind, &case.allowed);
    let armed = evaluate::armed(&snapshot.policies.program, config);
    match form {
        Ok(form) if armed => case.placed(&form),
        Ok(form) => case.disarmed(&form),
        Err(_) if !armed => case.untouched(Outcome::Unarmed),
        Err(error) => case.untouched(invalid(error.to_string())),
    }
}

/// One object on one snapshot.
struct Case<'a> {
    snapshot: &'a Snapshot,
    config: &'a Config,
    kind: Option<&'a Kind>,
    name: &'a str,
    target: Option<Target>,
    allowed: BTreeSet<String>,
    memory: Option<&'a Last>,
}

impl<'a> Case<'a> {
    fn of(snapshot: &'a Snapshot, subject: Subject<'a>, config: &'a Config) -> Self {
        let text = |field: &str| subject.object.get(field).and_then(Json::as_str).unwrap_or_default();
        let kind = subject.kind.or_else(|| snapshot.state.kind_of(text("apiVersion"), text("kind")));
        let name = kind.map_or_else(|| text("kind"), |kind| kind.kind.as_str());
        let target = kind.map_or_else(|| Target::of_kind(name), Kind::effective_target);
        let allowed = config.allowed_keys(target.as_ref());
        Self { snapshot, config, kind, name, target, allowed, memory: subject.last }
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
        let patch = intent::write(form, &desired.keys, policy);
        let size = intent::size_after(form, &patch);
        if size > MAX_ANNOTATIONS {
            let message =
                format!("the annotations would have {size} bytes, more than the {MAX_ANNOTATIONS} that an object may have");
            return self.unplaced(form, invalid(message));
        }
        Decision {
            annotations: desired.keys.into_iter().filter_map(|(key, value)| Some((key, value?))).collect(),
            patch,
            clusters: desired.clusters.into_iter().collect(),
            warnings: form.written.warnings.clone(),
            last: Last { policy: policy.clone(), intent: form.digest.clone(), placed: true },
            ..self.untouched(outcome)
        }
    }

    fn no_opinion(&self, form: &NormalForm) -> Decision {
        let policy = &self.snapshot.policies.digest;
        let on_no_opinion = self.kind.map_or(OnNoOpinion::default(), |kind| kind.on_no_opinion);
        let last = letting_go::last_placed(form, self.memory, policy);
        let lets_go = letting_go::lets_go(form, last.as_ref(), policy, on_no_opinion);
        let decision = self.unplaced(form, Outcome::NoOpinion);
        if lets_go {
            return Decision { patch: intent::release(form), ..decision };
        }
        let ours = form.written.ours.keys().filter_map(|key| Some((key.clone(), form.current.get(key)?.clone())));
        let annotations: BTreeMap<String, String> = ours.collect();
        Decision { kept: true, clusters: self.clusters_of(&annotations), annotations, ..decision }
    }

    fn clusters_of(&self, annotations: &BTreeMap<String, String>) -> Vec<String> {
        let spreads = annotations.iter().filter(|(key, _)| reader(key, self.target.as_ref()) == Reader::Preferences);
        let read = spreads.filter_map(|(_, value)| Preferences::parse(value).ok());
        let names: BTreeSet<String> = read.flat_map(|spread| spread.places().map(str::to_owned).collect::<Vec<_>>()).collect();
        names.into_iter().collect()
    }

    /// A decision that changes nothing, and that remembers the last one that did.
    fn unplaced(&self, form: &NormalForm, outcome: Outcome) -> Decision {
        let policy = &self.snapshot.policies.digest;
        let now = || Last { policy: policy.clone(), intent: form.digest.clone(), placed: false };
        let last = letting_go::last_placed(form, self.memory, policy).unwrap_or_else(now);
        Decision { warnings: form.written.warnings.clone(), last, ..self.untouched(outcome) }
    }

    fn untouched(&self, outcome: Outcome) -> Decision {
        let nothing = || Last { policy: String::new(), intent: String::new(), placed: false };
        Decision {
            document: outcome::shown(None, &outcome, Map::new()),
            outcome,
            annotations: BTreeMap::new(),
            patch: Patch::new(),
            kept: false,
            clusters: Vec::new(),
            warnings: Vec::new(),
            rejected: BTreeMap::new(),
            last: self.memory.cloned().unwrap_or_else(nothing),
            revision: self.snapshot.revision,
        }
    }

    /// A client of the data API writes what it is shown: the record belongs to it, or intent would be lost (T5).
    fn show(&self, decision: Decision, document: &Json) -> Decision {
        let set = decision.patch.iter().filter_map(|(key, value)| Some((key, value.as_ref()?)));
        let kept = decision.annotations.iter().filter(|_| !decision.kept);
        let annotations = kept.chain(set).map(|(key, value)| (key.clone(), value.clone().into())).collect();
        Decision { document: outcome::shown(Some(document), &decision.outcome, annotations), ..decision }
    }

    fn located(&self, fault: Fault) -> String {
        let Fault { rule, key, message } = fault;
        let path = &self.config.placement_path;
        let places = evaluate::places(&self.snapshot.policies.program, path, rule, key.as_deref());
        if places.is_empty() { message } else { format!("{message} (from {places})") }
    }
}
