//! What was stored, when, and by which policies and fleets it may have been decided.

use std::collections::BTreeMap;
use std::time::Instant;

use parking_lot::Mutex;

use super::policy::{Fleet, Policy, Value};

/// All that the judge goes by.
#[derive(Debug, Default)]
pub(super) struct History(Mutex<Past>);

/// Each list grows at its end.
#[derive(Debug, Default)]
pub(super) struct Past {
    pub(super) fleets: Vec<State>,
    /// By uid.
    pub(super) objects: BTreeMap<String, Vec<Stored>>,
    /// Each pod's policies, with when they came.
    pub(super) policies: [Vec<(Instant, Policy)>; 2],
    pub(super) said: Vec<Said>,
}

/// The fleet from one version on.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) seen: Instant,
    pub(super) version: u64,
    pub(super) fleet: Fleet,
}

/// One stored version of an object.
#[derive(Clone, Debug)]
pub(super) struct Stored {
    pub(super) seen: Instant,
    pub(super) version: u64,
    pub(super) name: String,
    pub(super) asks: bool,
    pub(super) value: Value,
    pub(super) record: Option<Record>,
    /// Of the field that was written last.
    pub(super) manager: String,
    pub(super) gone: bool,
}

/// What `plimsoll.io/applied` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) text: String,
    /// `fleet.changed`.
    pub(super) changed: Option<u64>,
}

/// An Event "placed on …", or "… is not there".
#[derive(Clone, Debug)]
pub(super) struct Said {
    pub(super) seen: Instant,
    pub(super) version: u64,
    pub(super) uid: String,
    pub(super) by: String,
    pub(super) count: u64,
    /// Empty: what policy says is said to be undone again and again.
    pub(super) clusters: Vec<String>,
}

impl History {
    /// With the past as it is now; nothing is added meanwhile.
    pub(super) fn look<T>(&self, with: impl FnOnce(&Past) -> T) -> T {
        with(&self.0.lock())
    }

    pub(super) fn add(&self, with: impl FnOnce(&mut Past)) {
        with(&mut self.0.lock());
    }
}

impl Past {
    /// Which of the fleets is that of a version.
    pub(super) fn fleet_at(&self, version: u64) -> usize {
        self.fleets.partition_point(|state| state.version <= version).saturating_sub(1)
    }

    /// What is in force on each pod.
    pub(super) fn policies_now(&self) -> impl Iterator<Item = Policy> {
        self.policies.iter().filter_map(|edits| edits.last()).map(|(_, policy)| *policy)
    }

    /// All that was in force on some pod between two moments.
    pub(super) fn policies_between(&self, from: Instant, to: Instant) -> Vec<Policy> {
        let mut found = Vec::new();
        for edits in &self.policies {
            let until = |number: usize| edits.get(number + 1).map_or(to, |(next, _)| *next);
            let was = edits.iter().enumerate().filter(|(number, (came, _))| *came <= to && until(*number) >= from);
            found.extend(was.map(|(_, (_, policy))| *policy));
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The fleets of which each was the latest at some time since then.
    pub(super) fn fleets_since(&self, from: Instant) -> &[State] {
        let first = self.fleets.partition_point(|state| state.seen <= from).saturating_sub(1);
        &self.fleets[first..]
    }

    /// The last versions of an object, newest first, for people.
    pub(super) fn story(versions: &[Stored], until: Instant) -> String {
        let line = |stored: &Stored| {
            let (ago, record) = (until.saturating_duration_since(stored.seen).as_secs_f64(), &stored.record);
            let fleet = record.as_ref().and_then(|record| record.changed);
            let (version, asks, value, manager) = (stored.version, stored.asks, &stored.value, &stored.manager);
            format!("\n    {ago:.1} s before: version {version}, asks {asks}, {value:?} on fleet {fleet:?}, by {manager}")
        };
        versions.iter().rev().take(6).map(line).collect()
    }

    /// What objects there are now, with the versions of each.
    pub(super) fn alive(&self) -> impl Iterator<Item = (&String, &Stored)> {
        self.objects.iter().filter_map(|(uid, versions)| Some((uid, versions.last()?))).filter(|(_, last)| !last.gone)
    }
}
