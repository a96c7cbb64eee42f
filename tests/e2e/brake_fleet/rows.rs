//! What is done to a fleet, and what becomes of it.

use super::super::policies;

/// Clusters, and the zones of the same numbers: from one, up to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Zones(pub(super) usize, pub(super) usize);

/// More than may move.
const FEW: Zones = Zones(1, 4);
/// All but the reserve.
const REST: Zones = Zones(1, usize::MAX);
const ALL: Zones = Zones(0, usize::MAX);

/// Files of the policy directory.
pub(super) type Files = &'static [(&'static str, &'static str)];

/// One thing that is done.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// The policy directory becomes this.
    Policies(Files),
    /// These clusters lose their zone at once.
    Unlabel(Zones),
    /// The same one by one: what may move has moved, or stands still, before the next.
    UnlabelEach(Zones),
    /// These clusters are deleted.
    Delete(Zones),
    /// These clusters are said not to answer.
    Unready(Zones),
    /// Nothing gets from the API server to a sidecar, or back.
    Cut,
    /// It does again.
    Mend,
    /// Somebody lets go beforehand what these clusters will move when they lose their zone.
    Beforehand(Zones),
    /// Now somebody dies.
    Death,
    /// The engine has read the policies, and refused them.
    Refused,
    /// The brake has stopped what was done so far.
    Stopped(Aim),
}

/// Who dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Death {
    Nobody,
    /// SIGKILL of the sidecar that leads; another takes its place.
    Leader,
    /// SIGKILL of the engine; it is started again.
    Engine,
    /// Everything is stopped in order and started again, one after the other, as in an upgrade.
    Rollout,
}

pub(super) const DEATHS: [Death; 4] = [Death::Leader, Death::Engine, Death::Rollout, Death::Nobody];

/// Where objects are to stand.
#[derive(Clone, Copy, Debug)]
pub(super) enum Aim {
    /// On the cluster of their zone.
    Home,
    /// On the reserve, if they are of these zones.
    Reserve(Zones),
    Everywhere,
    Nowhere,
    /// Without a placement.
    Unplaced,
}

/// What a creation gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Creation {
    Home,
    Unplaced,
    Refused,
}

/// What becomes of the fleet.
#[derive(Clone, Copy, Debug)]
pub(super) enum Then {
    /// It stops, and goes there when it is released.
    Stops(Aim),
    /// It goes there; nothing stops.
    Goes(Aim),
    /// Nothing is written and nothing stops; this is what a creation gets.
    Stands(Creation),
}

/// A scenario.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) name: &'static str,
    pub(super) change: &'static [Step],
    pub(super) then: Then,
}

impl Row {
    /// The policies that it leaves in force look at zones.
    pub(super) fn is_by_zone(&self) -> bool {
        let policies = |step: &Step| if let Step::Policies(files) = step { Some(*files == BASE) } else { None };
        self.change.iter().rev().find_map(policies).unwrap_or(true)
    }
}

/// What is not concerned: Deployments of another namespace.
const CALM: (&str, &str) = ("calm.rego", policies::CALM);
/// The policies in force before and after each row.
pub(super) const BASE: Files = &[CALM, ("zones.rego", policies::ZONES)];
const DELETED: Files = &[CALM];
const NOTHING_SAID: Files = &[CALM, ("zones.rego", "package kubernetes.placement\n")];
const NOWHERE: Files = &[CALM, ("zones.rego", policies::TO_NO_CLUSTER)];
const EVERYWHERE: Files = &[CALM, ("zones.rego", policies::TO_ALL_CLUSTERS)];
const CONTRADICTED: Files = &[CALM, ("zones.rego", policies::ZONES), ("other.rego", policies::TO_ALL_CLUSTERS)];
const NO_BYTES: Files = &[CALM, ("zones.rego", "")];
const BROKEN: Files = &[CALM, ("zones.rego", "package kubernetes.placement\n\nplacement := {")];

use Step::{Beforehand, Cut, Death as Dies, Delete, Mend, Policies, Refused, Stopped, Unlabel, UnlabelEach, Unready};
use Then::{Goes, Stands, Stops};

const fn row(name: &'static str, change: &'static [Step], then: Then) -> Row {
    Row { name, change, then }
}

pub(super) const ROWS: &[Row] = &[
    row("a policy is deleted", &[Policies(DELETED), Dies], Stops(Aim::Unplaced)),
    row(
        "a policy is deleted and created again",
        &[Policies(DELETED), Stopped(Aim::Unplaced), Dies, Policies(BASE)],
        Stops(Aim::Home),
    ),
    row("a policy says nothing any more", &[Policies(NOTHING_SAID), Dies], Stops(Aim::Unplaced)),
    row("a policy finds no cluster any more", &[Policies(NOWHERE), Dies], Stops(Aim::Nowhere)),
    row("a policy allows every cluster", &[Policies(EVERYWHERE), Dies], Stops(Aim::Everywhere)),
    row("policies contradict each other", &[Policies(CONTRADICTED), Dies], Stands(Creation::Refused)),
    row("all policies are deleted", &[Policies(&[]), Dies], Stands(Creation::Unplaced)),
    row("a policy is emptied to no bytes", &[Policies(NO_BYTES), Refused], Stands(Creation::Home)),
    row("a policy breaks", &[Policies(BROKEN), Refused], Stands(Creation::Home)),
    row("nothing is changed", &[Dies], Stands(Creation::Home)),
    row("one cluster loses its zone", &[Unlabel(Zones(1, 2)), Dies], Goes(Aim::Reserve(Zones(1, 2)))),
    row("clusters lose their zones one by one", &[UnlabelEach(FEW), Dies, UnlabelEach(REST)], Stops(Aim::Reserve(REST))),
    row("clusters lose their zones together", &[Unlabel(ALL), Dies], Stops(Aim::Reserve(REST))),
    row(
        "clusters lose their zones, which was released before",
        &[Beforehand(FEW), UnlabelEach(Zones(1, 3)), Dies, UnlabelEach(Zones(3, 4))],
        Goes(Aim::Reserve(FEW)),
    ),
    row("a few clusters are deleted", &[Delete(FEW), Dies], Stops(Aim::Reserve(FEW))),
    row("all clusters are deleted", &[Delete(ALL), Dies], Stops(Aim::Nowhere)),
    row("clusters do not answer", &[Unready(REST), Dies], Stops(Aim::Reserve(REST))),
    row("no cluster answers", &[Unready(ALL), Dies], Stops(Aim::Nowhere)),
    row("the fleet changes out of sight", &[Cut, Unlabel(REST), Mend, Dies], Stops(Aim::Reserve(REST))),
    row("the fleet is listed as empty", &[Cut, Delete(ALL), Mend, Dies], Stops(Aim::Nowhere)),
];
