//! Decisions that no policy has to be evaluated for: what is kept of them is answered where the request came in.

use std::time::Instant;

use plimsoll_contract::outcome::Outcome;
use serde_json::Value as Json;

use super::answer;
use super::job::SMALL;
use super::query::{Found, Query, before, is_labelled, is_placed, of_successor, placed_object, protocol};
use crate::decision::skim::{skim, suffices};
use crate::decision::{Subject, Way, decide_seen};
use crate::server::Engine;
use crate::snapshot::Snapshot;

/// Returns what [`super::query::evaluate`] would find for a decision, if no policy has to be evaluated, at most `most` bytes of a kept
/// answer are shown, and nothing is wrong with the request: that takes so little time that it needs no worker. `None` in all other cases.
pub(super) fn seen(engine: &Engine, query: &Query, most: usize) -> Option<Found> {
    let snapshot = engine.store.load();
    let ages = snapshot.ages(engine.store.now());
    let started = Instant::now();
    if is_labelled(&snapshot, query) {
        return None;
    }
    let (object, stored) = match skimmed(engine, &snapshot, query) {
        Some(object) => (object, None),
        None => {
            let object = placed_object(engine, query).ok().flatten()?;
            let stored = before(&snapshot, &object);
            (object, stored)
        }
    };
    if stored.is_some_and(|leaf| leaf.json.len() > SMALL) {
        return None;
    }
    let parsed = Instant::now();
    let sight = engine.sight(&snapshot);
    let decide = |subject: Subject<'_>| decide_seen(&snapshot, subject, &engine.config, &sight, most);
    let decision = of_successor((engine, &snapshot), &object, stored, decide)?;
    // What is unavailable is answered with an error: elsewhere.
    if matches!(decision.outcome, Outcome::Unavailable { .. }) {
        return None;
    }
    engine.record(protocol(query.api), &decision, &sight);
    let document = answer::answer(decision).ok()?;
    let evaluation = parsed.elapsed();
    engine.metrics.evaluation.observe(evaluation.as_secs_f64());
    let parsing = parsed - started;
    let (explained, labels, decision_id) = Default::default();
    Some(Found { document, defined: true, snapshot, ages, parsing, evaluation, explained, labels, decision_id })
}

/// Returns what decides about [`placed_object`], which is not read any further; `None` where it has to be.
fn skimmed(engine: &Engine, snapshot: &Snapshot, query: &Query) -> Option<Json> {
    let may_be_placed = query.decides && query.path == engine.config.placement_path;
    if !may_be_placed || !suffices(Way::Create, &engine.config) {
        return None;
    }
    let object = skim(query.input.as_ref()?, snapshot.known_basis(&query.path)?).filter(is_placed)?;
    // What is stored already may have a placement that stays.
    before(snapshot, &object).is_none().then_some(object)
}

#[cfg(test)]
mod tests;
