//! What stays where it is, whatever policy says now: on a change of a stored object while the brake is on, where placement is paused, and
//! under a hold.

use std::collections::BTreeMap;

use plimsoll_contract::annotations::{APPLIED, HOLD};
use plimsoll_contract::kind::OnNoOpinion;
use plimsoll_contract::outcome::Outcome;
use plimsoll_contract::still::Scopes;
use serde_json::Value as Json;

use super::ahead::annotations;
use super::frozen;
use super::judge::Review;
use crate::decision::class;
use crate::decision::retention::{self, Evidence};
use crate::decision::{Decision, Hold, NormalForm, Previous, Subject, Unproven};

/// Why a placement stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stays {
    Held,
    Paused,
    Braked,
}

impl Review<'_> {
    /// The decision, or one that leaves what is managed as the stored object has it. What policy refuses stays refused.
    pub(super) fn steady(&self, subject: Subject<'_>, previous: Option<&Previous<'_>>, decision: Decision) -> Decision {
        // Without policies nothing is taken back by itself; what is held or paused does not lose its placement to its owner either.
        let (is_placement, is_unarmed) = match decision.outcome {
            Outcome::Place | Outcome::Nowhere | Outcome::NoOpinion => (true, false),
            ref outcome => (false, *outcome == Outcome::Unarmed),
        };
        let Some(previous) = previous.filter(|_| is_placement || is_unarmed) else { return decision };
        let stays = match () {
            () if self.is_held(subject.object) => Stays::Held,
            () if self.is_paused(subject) => Stays::Paused,
            () if is_placement && self.is_braked(subject, previous) => Stays::Braked,
            () => return decision,
        };
        let mut keys = self.managed();
        keys.remove(HOLD);
        let (stored, new) = (previous.annotations(), annotations(subject.object));
        let patch = frozen::changes(&stored, &new, &keys);
        keys.remove(APPLIED);
        let wanted = |key: &String| decision.patch.get(key).cloned().unwrap_or_else(|| new.get(key).cloned());
        let is_moved = keys.iter().any(|key| wanted(key) != stored.get(key).cloned());
        let mut kept = Decision { patch, ..decision };
        if is_moved {
            kept.warnings.insert(0, stays.warning(&kept));
            // It does not go there.
            (kept.outcome, kept.kept) = (Outcome::Place, true);
        }
        kept
    }

    /// Until somebody takes the hold off.
    fn is_held(&self, object: &Json) -> bool {
        let held = object.pointer("/metadata/annotations").and_then(|annotations| annotations.get(HOLD)?.as_str());
        held == Some("true") && self.engine.config.hold != Hold::Ignored
    }

    /// Until somebody resumes its kind, its namespace, or the fleet.
    fn is_paused(&self, subject: Subject<'_>) -> bool {
        self.covers(&self.knowledge.still.paused, subject)
    }

    fn covers(&self, scopes: &Scopes, subject: Subject<'_>) -> bool {
        let namespace = &self.request.namespace;
        subject.kind.map_or(scopes.fleet || scopes.namespaces.contains(namespace), |kind| scopes.cover(&kind.gvr, namespace))
    }

    /// While the brake is on, what nobody asked to be placed otherwise; what sidecars write has passed the brake.
    fn is_braked(&self, subject: Subject<'_>, previous: &Previous<'_>) -> bool {
        let is_on = self.covers(&self.knowledge.still.braked, subject);
        is_on && !self.is_by_engine(subject.object, previous) && self.asks_the_same(subject, previous)
    }

    /// Whether an engine decided what is written: a sidecar says so, or a mac on a record that is new.
    fn is_by_engine(&self, object: &Json, previous: &Previous<'_>) -> bool {
        let (before, now) = (previous.annotations(), annotations(object));
        let is_new = || now.contains_key(APPLIED) && now.get(APPLIED) != before.get(APPLIED);
        self.engine.config.sidecars.contains(&self.request.user_info.username) || (is_new() && self.has_mac(object))
    }

    fn asks_the_same(&self, subject: Subject<'_>, previous: &Previous<'_>) -> bool {
        let (config, allowed) = (&self.engine.config, self.allowed());
        let known = retention::seen_with(subject.last);
        let Some(stored) = previous.form(subject.kind, &allowed, &known) else { return false };
        // What was ours there is ours here, whatever became of the record on the way.
        let mut ours: BTreeMap<_, _> = stored.written.ours.clone();
        ours.extend(known);
        let Ok(now) = NormalForm::of(subject.object, subject.kind, &allowed, &ours) else { return false };
        let (keys, policy) = (config.keys(), &*self.snapshot.policies.digest);
        let on_no_opinion = OnNoOpinion::default();
        let evidence = Evidence { memory: subject.last, keys: keys.as_deref(), policy, on_no_opinion, is_new: false };
        let is_kept = config.unproven == Unproven::Keep || evidence.is_proven(&stored);
        // A new image is no other wish where no policy looks at images.
        let basis = self.snapshot.basis(&config.placement_path);
        is_kept && (now.digest() == stored.digest() || class::asks_the_same(&basis, (&now, &stored), &allowed))
    }
}

impl Stays {
    fn warning(self, decision: &Decision) -> String {
        match self {
            Self::Braked => "the brake is on: the placement stays as it is until it is released".to_owned(),
            Self::Held => format!(
                "annotation `{HOLD}`: the placement stays as it is until the hold is released; {}",
                Self::opinion(decision)
            ),
            Self::Paused => format!("placement is paused here: it stays as it is until that ends; {}", Self::opinion(decision)),
        }
    }

    fn opinion(decision: &Decision) -> String {
        match decision.outcome {
            Outcome::Nowhere => "policy allows no cluster".to_owned(),
            Outcome::Place if decision.clusters().is_empty() => "policy would place it otherwise".to_owned(),
            Outcome::Place => format!("policy would place it on {}", decision.clusters().join(", ")),
            Outcome::Unarmed => "no policy says where it is to be placed".to_owned(),
            _ => "policy would take its placement back".to_owned(),
        }
    }
}
