//! `/plimsoll/v1/status`.

use std::collections::BTreeMap;
use std::time::Duration;

use plimsoll_contract::status::{KindStatus, LeaderStatus, PolicySetStatus, SourceStatus, Status};

use super::{Freshness, Policies, PolicySet, Snapshot, Store};
use crate::rego::Definition;
use crate::state::{KindState, SourceState};

impl Store {
    /// Returns the engine's status at `now`: what is loaded, how old it is, and what is missing. The store does not know what has been
    /// decided.
    pub fn status(&self, now: Duration, placement_path: &[String]) -> Status {
        let snapshot = self.load();
        let sets = snapshot.policies.sets.iter();
        let declared = snapshot.state.sources.iter();
        let Freshness { stale_after, on_stale } = self.options.freshness;
        let stale = |name: &str| snapshot.is_stale(name, now, stale_after);
        let required = |name: &str| self.options.require_sources.iter().any(|required| required == name);
        let mut sources: BTreeMap<_, _> =
            declared.map(|(name, source)| (name.clone(), of_source((source, stale(name)), required(name), now))).collect();
        for name in &self.options.require_sources {
            let missing = || SourceStatus { required: true, ..SourceStatus::default() };
            sources.entry(name.clone()).or_insert_with(missing);
        }
        for (name, source) in &mut sources {
            let leader = self.leaders.of(name, now);
            source.leader = leader.map(|leader| LeaderStatus { holder: leader.holder.clone(), policy: leader.policy.clone() });
        }
        let held_back = snapshot.state.sources.keys().filter_map(|name| self.held_back.note(name));
        let armed = snapshot.policies.program.defines(placement_path) != Definition::Nothing;
        Status {
            epoch: snapshot.epoch.to_string(),
            revision: snapshot.revision,
            version: env!("CARGO_PKG_VERSION").into(),
            ready: snapshot.ready(),
            not_ready: snapshot.not_ready.clone(),
            armed,
            reads: armed
                .then(|| snapshot.basis(placement_path).entry.reads(&snapshot.policies.program, &snapshot.state.fleet_path())),
            placement_path: placement_path.join("/"),
            digest: snapshot.policies.digest.to_string(),
            policies: sets.map(|(name, set)| (name.clone(), of_set(&snapshot.policies, name, set))).collect(),
            sources,
            stale_after_seconds: stale_after.as_secs_f64(),
            on_stale,
            stale: snapshot.stale(now, stale_after),
            decided: None,
            still: self.leaders.still(now),
            notes: notes(&snapshot, &required).into_iter().chain(held_back).collect(),
        }
    }
}

fn of_source((source, stale): (&SourceState, bool), required: bool, now: Duration) -> SourceStatus {
    let left = source.left.iter().filter(|left| source.position(&left.kind.gvr).is_none());
    let left = left.map(|k| KindStatus { required: false, ..of_kind(k, now) });
    let kinds = source.kinds.iter().map(|k| of_kind(k, now)).chain(left).collect();
    SourceStatus { required, declared: true, stale, instance: source.instance.to_string(), kinds, leader: None }
}

fn of_set(policies: &Policies, name: &str, set: &PolicySet) -> PolicySetStatus {
    let versions = policies.program.versions();
    let modules = set.modules.iter().map(|module| {
        let version = versions.get(&policies.compiled_key(name, &module.key)).cloned();
        (module.key.clone(), version.unwrap_or_default())
    });
    PolicySetStatus {
        modules: modules.collect(),
        digest: set.digest.clone(),
        errors: set.errors.clone(),
        unreadable: set.unreadable.clone(),
    }
}

fn of_kind(k: &KindState, now: Duration) -> KindStatus {
    KindStatus {
        gvr: k.kind.gvr.clone(),
        required: k.kind.required,
        loaded: k.loaded,
        objects: k.objects,
        age_seconds: k.age(now).map(|age| age.as_secs_f64()),
    }
}

fn notes(snapshot: &Snapshot, required: &dyn Fn(&str) -> bool) -> Vec<String> {
    let missing = snapshot.missing().iter();
    let mut notes: Vec<String> = missing.map(|missing| format!("{missing}: no decision is made before it is")).collect();
    let state = &snapshot.state;
    if state.fleet().is_none() {
        notes.push("no fleet kind is declared (`fleet: true`): cluster names in placements are not checked".into());
    }
    for (name, source) in &state.sources {
        for kind in source.kinds.iter().filter(|k| !(k.loaded || k.awaited() && required(name))) {
            let what = if kind.kind.required { format!("source `{name}`") } else { "it".into() };
            notes.push(format!("{} is not loaded; {what} is not required", kind.kind.gvr));
        }
        for left in &source.left {
            let gvr = &left.kind.gvr;
            notes.push(format!("{gvr} of source `{name}` stays as it was, for policies read it: it is not loaded any more"));
        }
    }
    for kind in state.kinds().map(|k| &k.kind).filter(|kind| kind.place && kind.effective_target().is_none()) {
        notes.push(format!("{} is placed but has no `target`: policies can only give it `annotations`", kind.gvr));
    }
    for (name, set) in &snapshot.policies.sets {
        if set.restored {
            notes.push(format!("policy set `{name}`: the last good one from disk is in force, as at the Lease's holder"));
        }
        if let Some(why) = set.unreadable.as_ref().filter(|_| set.accepted) {
            notes.push(format!("policy set `{name}`: the last good one is in force, for it cannot be read now: {why}"));
        }
        if set.accepted && !set.errors.is_empty() {
            notes.push(format!("policy set `{name}`: the last one offered is not in force, an older one is"));
        }
        if state.sources.get(name).is_some_and(|source| !source.policies) {
            notes.push(format!("policy set `{name}` is in force, but source `{name}` no longer sends policies"));
        }
    }
    notes
}
