//! Whether somebody who knows more has placed an object: an engine does not undo what a better informed one wrote.
//!
//! A record says which version of the fleet its decision saw, and by which policies. Newer than what this engine has seen, it is
//! believed from a sidecar, or with a mac. What the stored object says is believed as well, unless it names a version that is
//! younger than the object itself: nobody can have seen that when it was written. So a record that somebody makes up gains nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use plimsoll_contract::annotations::{APPLIED, Applied, SeenFleet};
use plimsoll_contract::kind::Kind;
use plimsoll_contract::version::ResourceVersion;
use serde_json::Value as Json;

use super::Config;
use super::normal_form::NormalForm;
use crate::snapshot::{Knowledge, Snapshot};

/// In which way a record is newer than this engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ahead {
    /// This version of the fleet, which this engine has not seen yet.
    Fleet(ResourceVersion),
    /// The policies of the Lease's holder, which are not those in force here.
    Policy,
}

/// One engine's view.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// What it decides on.
    pub snapshot: &'a Snapshot,
    /// What it knows beside that.
    pub knowledge: &'a Knowledge,
}

impl View<'_> {
    /// Returns in which way a record is newer than this engine; `None` if it is not, or cannot be believed.
    pub fn ahead(&self, record: &Applied) -> Option<Ahead> {
        self.ahead_of_fleet(record).map(Ahead::Fleet).or_else(|| self.is_the_holders(record).then_some(Ahead::Policy))
    }

    /// [`Self::ahead`] of a stored object's record, given the object's own `resourceVersion`.
    pub fn ahead_of_stored(&self, record: &Applied, version: &str) -> Option<Ahead> {
        match self.ahead(record)? {
            Ahead::Fleet(changed) => {
                let is_possible = ResourceVersion::parse(version).is_some_and(|version| changed <= version);
                is_possible.then_some(Ahead::Fleet(changed))
            }
            Ahead::Policy => Some(Ahead::Policy),
        }
    }

    /// Whether no such version of the fleet existed at `since` (time since the engine started), as a list asked for then shows: the
    /// record is of another time, as after a restore.
    pub fn is_void(&self, changed: &ResourceVersion, since: Duration) -> bool {
        self.knowledge.fleet.listed.as_ref().is_some_and(|(listed, asked)| listed < changed && *asked > since)
    }

    /// Returns in which way this engine is newer than a record, as a sentence; `None` if it is not.
    pub fn behind(&self, record: &Applied) -> Option<String> {
        let here = self.snapshot.state.seen_fleet();
        let (seen, digest) = (record.fleet.as_ref(), &*self.snapshot.policies.digest);
        if let Some((seen, here)) = seen.zip(here).filter(|(seen, here)| is_one_fleet(seen, here) && seen.changed < here.changed)
        {
            return Some(format!("on version {} of the fleet, which is at {}", seen.changed, here.changed));
        }
        let by = if record.policy.is_empty() { "no policies" } else { record.policy.as_str() };
        (record.policy != digest).then(|| format!("by {by}, and the policies in force here are {digest}"))
    }

    fn ahead_of_fleet(&self, record: &Applied) -> Option<ResourceVersion> {
        let (claimed, proved) = (record.fleet.as_ref()?, self.knowledge.fleet.proved.as_ref()?);
        let here = self.snapshot.state.seen_fleet()?;
        (is_one_fleet(claimed, &here) && claimed.changed > *proved).then(|| claimed.changed.clone())
    }

    fn is_the_holders(&self, record: &Applied) -> bool {
        let digest = &*self.snapshot.policies.digest;
        let Some(leader) = &self.knowledge.leader else { return false };
        // The policies that the holder was last heard of are old news to its own engine, and so are those of a sidecar of this
        // engine that died: the Lease names it until another one takes it.
        let is_own = self.snapshot.state.sources.values().any(|source| source.is_of(&leader.holder));
        let leads = !leader.holder.is_empty() && !is_own;
        leads && record.policy != digest && !record.keys.is_empty() && leader.policy == record.policy
    }
}

/// Versions are compared within one fleet only.
fn is_one_fleet(one: &SeenFleet, other: &SeenFleet) -> bool {
    (&one.source, &one.cluster, &one.resource) == (&other.source, &other.cluster, &other.resource)
}

/// Whether a record's mac is one of the keys of `config`, of this record on this object; `None` if there are no keys.
pub fn is_signed(
    record: &Applied,
    object: &Json,
    kind: Option<&Kind>,
    allowed: &BTreeSet<String>,
    config: &Config,
) -> Option<bool> {
    let keys = config.keys()?;
    let form = NormalForm::of(object, kind, allowed, &BTreeMap::new());
    Some(form.is_ok_and(|form| keys.verify(record, &form)))
}

/// The record among an object's annotations, if it can be read.
pub fn record<'a>(annotation: impl Fn(&str) -> Option<&'a str>) -> Option<Applied> {
    annotation(APPLIED).and_then(|text| Applied::parse(text).ok())
}
