//! Reviews for which policy needs not be evaluated: answered where they came in, whatever the workers are at.

use std::sync::Arc;
use std::time::Instant;

use serde_json::Value as Json;
use serde_json::value::RawValue;

use super::Case;
use crate::budget::Weight;
use crate::server::Engine;
use crate::server::pool::Lane;
use crate::server::review::judge::Review;
use crate::server::review::wire::{Request, Version, answer};
use crate::snapshot::Snapshot;

/// Longer reviews take too long to be read beside the connections.
const SMALL: usize = 32 << 10;

impl Case {
    /// Judges what policy needs not be evaluated for, where the request came in, if it is not logged. Whatever is wrong with it is found
    /// again, said and counted by [`Self::run`].
    pub(super) fn seen(&self, engine: &Engine) -> Option<(Json, Arc<Snapshot>)> {
        let body = &self.body.text;
        let is_brief = body.len() <= SMALL && self.request_info.id.is_none();
        let is_early = Instant::now() < self.deadline(engine.config.limits.time).begin;
        if !is_brief || !is_early {
            return None;
        }
        let read = engine.budget.document(Lane::Decide.class(), Weight::of(body).read()).ok()?;
        let (version, request) = (self.parse)(body).ok()?;
        let cost = cost(&request).max(read.bytes());
        // Given back first: it is one document.
        drop(read);
        let _charge = engine.budget.document(Lane::Decide.class(), cost).ok()?;
        let review = self.review(engine, (version, request), false, true);
        let verdict = review.verdict(self.judge).ok()?;
        Some((answer(version, &review.request.uid, &verdict), review.snapshot))
    }

    /// A review of the newest snapshot.
    pub(super) fn review<'e>(
        &self,
        engine: &'e Engine,
        (version, request): (Version, Request),
        is_patient: bool,
        is_brief: bool,
    ) -> Review<'e> {
        let (knowledge, snapshot) = engine.store.informed();
        let budget = self.budget(engine.config.limits.time);
        Review { engine, snapshot, knowledge, version, request, budget, received: self.on_clock, is_patient, is_brief }
    }
}

/// Returns the bytes that the objects take: the new one is decided, the stored one is only read.
pub(super) fn cost(request: &Request) -> u64 {
    let weight = |text: &Option<Box<RawValue>>| text.as_ref().map(|text| Weight::of(text.get().as_bytes())).unwrap_or_default();
    weight(&request.object).decided().saturating_add(weight(&request.old_object).read())
}
