//! A decision's reasons in a few words, for what kubectl shows of a denial.

use std::time::Duration;

use plimsoll_contract::outcome::Outcome;
use plimsoll_contract::why::{Alternative, ClusterWhy, Condition, Reached, Said};
use serde_json::Value as Json;

use super::{Explainer, below, explain};
use crate::decision::decide::input::policy_input;
use crate::decision::{Config, Decision, Subject};
use crate::snapshot::Snapshot;

/// Errors, or clusters, that are told of.
const MOST: usize = 3;

/// Returns whether a decision leaves something to be asked: it denies, or names no cluster and does not say why not.
pub fn is_short_of_words(decision: &Decision) -> bool {
    match decision.outcome {
        Outcome::Denied { .. } => true,
        Outcome::Nowhere => decision.rejected().is_empty() && decision.clusters().is_empty(),
        _ => false,
    }
}

/// Returns a sentence for each of the first errors that deny an object, with the rule that says it, or for each of the first clusters of the
/// fleet, with the first condition that keeps the object out. Nothing, where that is not found out in `time`.
pub fn short(snapshot: &Snapshot, subject: Subject<'_>, (config, decision): (&Config, &Decision), time: Duration) -> Vec<String> {
    let Some(input) = policy_input(snapshot, subject, config) else { return Vec::new() };
    let path = &config.placement_path;
    let told = explain(snapshot, input, time, |explainer, _| match &decision.outcome {
        Outcome::Denied { errors } => {
            errors.iter().take(MOST).filter_map(|message| denied(&explainer.error(path, message))).collect()
        }
        Outcome::Nowhere => kept_out(explainer, snapshot, path),
        _ => Vec::new(),
    });
    told.unwrap_or_default()
}

fn kept_out(explainer: &mut Explainer<'_>, snapshot: &Snapshot, path: &[String]) -> Vec<String> {
    let Some(fleet) = snapshot.state.fleet() else { return Vec::new() };
    let (documents, annotations) = (explainer.documents(path), below(path, "annotations"));
    let nobody = (&[][..], &Default::default());
    let names = snapshot.state.objects(fleet).map(|(name, _)| name.name).take(MOST);
    names.filter_map(|name| out(&explainer.cluster(&name, nobody, (&documents, &annotations)))).collect()
}

/// `"message": said by lib/rules.rego:17:1, "its title"`.
fn denied(said: &Said) -> Option<String> {
    let (message, Alternative { location, title, .. }) = (said.message.as_ref()?, said.alternatives.first()?);
    let title = title.as_ref().map(|title| format!(", {}", Json::from(title.as_str()))).unwrap_or_default();
    Some(format!("{}: said by {location}{title}", Json::from(message.as_str())))
}

/// `cluster us: fails at lib/rules.rego:19:2: is_near(name)`.
fn out(cluster: &ClusterWhy) -> Option<String> {
    let failed = |condition: &&Condition| condition.result == Reached::Fails;
    let Condition { text, location, .. } =
        cluster.alternatives.iter().flat_map(|alternative| &alternative.conditions).find(failed)?;
    Some(format!("cluster {}: fails at {location}: {text}", cluster.name))
}
