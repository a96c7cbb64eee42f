//! What must come of a request: told from what the API server would have stored without us, not from our policies' text.

use serde_json::{Value as Json, json};

use super::ways::{Change, Way, object};
use super::{HOLD, JOB_PLACEMENT, PREFERENCES, ROLLOUTS, TEAM};
use crate::e2e::support::fixtures::{APPLIED, DEPLOYMENT_PREFERENCES, SELECTOR};

/// Who writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Writer {
    /// Every right but `hold`.
    Tenant,
    /// And `hold`.
    Operator,
    /// Of the controller manager.
    DeploymentController,
    /// Of somebody else's controller.
    Rollouts,
    /// Ours, by its token.
    Sidecar,
}

pub(super) const WRITERS: [Writer; 5] =
    [Writer::Tenant, Writer::Operator, Writer::DeploymentController, Writer::Rollouts, Writer::Sidecar];

impl Writer {
    pub(super) fn user(self) -> &'static str {
        match self {
            Self::Tenant => "tenant",
            Self::Operator => "operator",
            Self::DeploymentController => "system:serviceaccount:kube-system:deployment-controller",
            Self::Rollouts => ROLLOUTS,
            Self::Sidecar => "system:serviceaccount:kube-federation-scheduling-policy:plimsoll",
        }
    }

    fn may_hold(self) -> bool {
        matches!(self, Self::Operator | Self::DeploymentController | Self::Rollouts)
    }
}

/// What a policy would have to answer for, once the API server has dropped what it drops by itself.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Effect {
    pub(super) annotations: Json,
    pub(super) labels: Json,
    pub(super) owners: Json,
    spec: bool,
}

/// Upstream: a status update of a Deployment keeps its labels, that of a custom kind all metadata; a Scale has none.
pub(super) fn effect(resource: &str, way: Way, stored: &Json, change: Change) -> Effect {
    let [mut annotations, mut labels, mut owners] =
        ["annotations", "labels", "ownerReferences"].map(|field| stored["metadata"][field].clone());
    if way == Way::Create {
        let held = stored["metadata"]["annotations"].get(HOLD).is_some();
        let new = object(resource, "new", held);
        [annotations, labels] = ["annotations", "labels"].map(|field| new["metadata"][field].clone());
    }
    let patch = change.patch(resource);
    let passes = |field: &str| match (way.below(), resource) {
        ("", _) => true,
        ("status", "replicasets") => true,
        ("status", "deployments") => field != "labels",
        _ => false,
    };
    // An applied configuration takes away only what its manager owns: these objects are somebody else's.
    let keeps = matches!(way, Way::Apply | Way::StatusApply) && change == Change::Released;
    for (field, value) in [("annotations", &mut annotations), ("labels", &mut labels), ("ownerReferences", &mut owners)] {
        if passes(field)
            && !keeps
            && let Some(patch) = patch["metadata"].get(field)
        {
            json_patch::merge(value, patch);
        }
    }
    Effect { annotations, labels, owners, spec: way.below().is_empty() && change == Change::Spec }
}

/// The policies that may refuse; empty: it is accepted.
pub(super) fn refused_by(writer: Writer, way: Way, stored: &Json, effect: &Effect) -> Vec<&'static str> {
    let metadata = &stored["metadata"];
    let none = json!({});
    let before = if way == Way::Create { &none } else { &metadata["annotations"] };
    let differs = |key: &str| before.get(key) != effect.annotations.get(key);
    let relations = metadata["labels"] != effect.labels || metadata["ownerReferences"] != effect.owners;
    let managed = [PREFERENCES, DEPLOYMENT_PREFERENCES, SELECTOR, JOB_PLACEMENT, TEAM, APPLIED];
    let mut policies = Vec::new();
    if way.below().is_empty() && differs(HOLD) && !writer.may_hold() {
        policies.push("plimsoll-hold");
    }
    if !way.below().is_empty() && (relations || managed.iter().chain(&[HOLD]).any(|key| differs(key))) {
        policies.push("plimsoll-subresources");
    }
    if writer == Writer::Sidecar {
        let update = matches!(way, Way::Put | Way::Patch | Way::Apply);
        let mut keys = before.as_object().into_iter().chain(effect.annotations.as_object()).flat_map(|map| map.keys());
        let foreign = keys.any(|key| differs(key) && !managed.contains(&key.as_str()));
        if !update || relations || foreign || effect.spec {
            policies.push("plimsoll-sidecar");
        }
    }
    policies
}
