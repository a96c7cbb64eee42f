//! What decisions depend on, and whether it can still be seen: ages are computed when they are asked for, never kept.

use std::sync::Arc;
use std::time::Duration;

use plimsoll_contract::kind::Kind;
use plimsoll_contract::status::OnStale;

use super::{Policies, Snapshot, Store, StoreOptions};
use crate::rego::Definition;
use crate::state::{KindState, ROOT, SourceState, State};

/// The age up to which the state of a source is used, and what admission does beyond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Freshness {
    /// Time since the last proof after which a source is stale.
    pub stale_after: Duration,
    /// What admission does while a source that decisions depend on is stale.
    pub on_stale: OnStale,
}

impl Default for Freshness {
    /// `deny` after 60 s.
    fn default() -> Self {
        Self { stale_after: Duration::from_secs(60), on_stale: OnStale::Deny }
    }
}

/// The kinds that decisions on one snapshot depend on. Proofs are shared by all snapshots, so that this never ages by itself.
#[derive(Debug, Default)]
pub(super) struct Depends {
    /// Kinds that policies read and that were never loaded, one sentence each.
    pub(super) missing: Vec<String>,
    /// Loaded kinds whose age counts.
    watched: Vec<Watched>,
}

#[derive(Debug)]
struct Watched {
    source: String,
    kind: Arc<KindState>,
    declared: bool,
}

impl Depends {
    pub(super) fn of(options: &StoreOptions, policies: &Policies, state: &State) -> Self {
        let reader = Reader::of(options, policies);
        let mut depends = Self::default();
        for (name, source) in &state.sources {
            let required = options.require_sources.contains(name);
            depends.add(name, source, |kind| (required && kind.awaited()) || reader.reads(kind), &reader);
        }
        depends
    }

    fn add(&mut self, name: &str, source: &SourceState, matters: impl Fn(&KindState) -> bool, reader: &Reader<'_>) {
        for kind in source.kinds.iter().filter(|kind| kind.replicated()) {
            if kind.loaded && matters(kind) {
                self.watched.push(Watched { source: name.into(), kind: Arc::clone(kind), declared: true });
            } else if !kind.loaded && !source.is_stood_in_for(kind) && reader.reads(kind) {
                self.missing.push(format!("policies read {} of source `{name}`, which is not loaded yet", kind.kind.gvr));
            }
        }
        for kind in source.left.iter().filter(|kind| reader.reads(kind)) {
            self.watched.push(Watched { source: name.into(), kind: Arc::clone(kind), declared: false });
        }
    }
}

/// The parts of the state that decisions read: what policies name, and the clusters that placements name.
struct Reader<'a> {
    options: &'a StoreOptions,
    policies: &'a Policies,
    armed: bool,
}

impl<'a> Reader<'a> {
    fn of(options: &'a StoreOptions, policies: &'a Policies) -> Self {
        let armed = policies.program.defines(&options.placement_path) != Definition::Nothing;
        Self { options, policies, armed }
    }

    fn reads(&self, kind: &KindState) -> bool {
        let reads = self.policies.decision_reads(&self.options.placement_path);
        self.armed && (kind.kind.fleet || reads.touch(&[ROOT, kind.kind.state_path()]))
    }
}

impl Snapshot {
    /// Why no decision can be made though the engine is ready: kinds that policies read and that are not loaded, one sentence each.
    pub fn missing(&self) -> &[String] {
        &self.depends.missing
    }

    /// Returns the sources that decisions depend on and that were last proved current longer than `stale_after` before `now` (time since
    /// the engine started): one sentence for each, with its oldest kind.
    pub fn stale(&self, now: Duration, stale_after: Duration) -> Vec<String> {
        let mut oldest: Vec<(&Watched, Duration)> = Vec::new();
        for watched in &self.depends.watched {
            let age = watched.kind.silence(now);
            match oldest.iter_mut().find(|(other, _)| other.source == watched.source) {
                _ if age <= stale_after => {}
                Some(found) if found.1 < age => *found = (watched, age),
                Some(_) => {}
                None => oldest.push((watched, age)),
            }
        }
        oldest.into_iter().map(|(watched, age)| watched.sentence(age, stale_after)).collect()
    }
}

impl Snapshot {
    /// Whether what the document at a path says may depend on a kind: policies read it, or it is the fleet kind.
    pub fn reads_kind(&self, kind: &Kind, path: &[String]) -> bool {
        kind.fleet || self.policies.decision_reads(path).touch(&[ROOT, kind.state_path()])
    }
}

impl Snapshot {
    /// Whether a source is stale by name: it is silent, or a kind that decisions depend on is.
    pub fn is_stale(&self, name: &str, now: Duration, stale_after: Duration) -> bool {
        let mut watched = self.depends.watched.iter().filter(|watched| watched.source == name);
        self.state.sources.get(name).is_some_and(|source| source.is_silent(now, stale_after))
            || watched.any(|watched| watched.kind.silence(now) > stale_after)
    }
}

impl Watched {
    fn sentence(&self, age: Duration, stale_after: Duration) -> String {
        let Self { source, kind, declared } = self;
        let (gvr, age, limit) = (&kind.kind.gvr, age.as_secs_f64(), stale_after.as_secs_f64());
        let text = format!("{gvr} of source `{source}` was last proved current {age:.1} s ago, --stale-after is {limit} s");
        if *declared { text } else { format!("{text}: the source no longer declares it") }
    }
}

impl Store {
    /// Returns the limit of age, and what admission does beyond.
    pub fn freshness(&self) -> Freshness {
        self.options.freshness
    }

    /// Returns the sources that are stale now for decisions on a snapshot, one sentence each.
    pub fn stale(&self, snapshot: &Snapshot) -> Vec<String> {
        snapshot.stale(self.now(), self.options.freshness.stale_after)
    }
}
