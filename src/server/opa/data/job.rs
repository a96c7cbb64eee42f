//! One request of the data API, from its body to the bytes of its answer.

use std::sync::Arc;
use std::time::Instant;

use actix_web::web::Data;
use plimsoll_contract::source::SourceAge;

use super::body;
use super::query::{Found, Query, evaluate};
use super::read::{AnswerOptions, Sent};
use super::seen::seen;
use crate::rego::Document;
use crate::server::Engine;
use crate::server::encoding::gzip;
use crate::server::logged::{DecisionInfo, reason, timer};
use crate::server::pool::Lane;
use crate::server::respond::ApiError;
use crate::snapshot::Snapshot;

/// Larger documents take too long to be read beside the connections.
pub(super) const SMALL: usize = 32 << 10;

/// One request, all of it.
pub(super) struct Job<E> {
    pub(super) engine: Data<Engine>,
    pub(super) lane: Lane,
    pub(super) sent: Option<Sent>,
    pub(super) query: Query,
    pub(super) options: AnswerOptions,
    pub(super) encode: E,
    pub(super) started: Instant,
}

/// An answer as it is sent, and the snapshot that it was made on.
pub(super) struct Answered {
    pub(super) encoded: Result<Packed, ApiError>,
    pub(super) snapshot: Arc<Snapshot>,
    pub(super) ages: Vec<SourceAge>,
}

impl<E: FnOnce(&Query, &Found) -> Result<Vec<u8>, ApiError>> Job<E> {
    /// A decision that policy needs not be evaluated for, and that is not logged: masking may take long. Whatever is wrong with the
    /// request is found again, said and counted by [`Self::run`].
    pub(super) fn seen(&mut self) -> Option<Found> {
        let is_brief = |sent: &&Sent| !sent.yaml && sent.body.text.len() <= SMALL && self.options.request_info.id.is_none();
        let sent = self.sent.as_ref().filter(is_brief).filter(|_| self.lane == Lane::Decide)?;
        let _charge = self.engine.budget.document(self.lane.class(), sent.cost()).ok()?;
        self.query.input = sent.input(self.query.api).ok()?;
        seen(&self.engine, &self.query, self.options.most())
    }

    /// Evaluates what is asked, whatever it takes. Runs on the pool.
    pub(super) fn run(mut self) -> Result<Answered, ApiError> {
        let _charge = self.sent.as_ref().map(|sent| self.engine.charge(self.lane, sent.cost())).transpose()?;
        let _explained = self.query.explain.charge(&self.engine, self.lane)?;
        if let Some(sent) = &self.sent {
            self.query.input = sent.input(self.query.api)?;
        }
        match evaluate(&self.engine, &self.query, self.options.strict) {
            Ok(found) => self.answer(found),
            Err(error) => {
                let info = DecisionInfo { metrics: timer(self.started), ..self.info() };
                self.options.request_info.log_error(&self.engine, info, &error)?;
                Err(error)
            }
        }
    }

    fn info(&self) -> DecisionInfo {
        DecisionInfo { path: self.query.path.clone(), input: self.query.input.clone(), ..DecisionInfo::default() }
    }

    /// Encodes and logs.
    pub(super) fn answer(self, mut found: Found) -> Result<Answered, ApiError> {
        let info = self.options.request_info.id.is_some().then(|| self.info());
        found.decision_id.clone_from(&self.options.request_info.id);
        let encoded = (self.encode)(&self.query, &found).and_then(|text| pack(&self.engine, text, self.options.gzip));
        if let Some(info) = info {
            let metrics = body::timers(&found, self.started).as_object().cloned().unwrap_or_default();
            let error = encoded.as_ref().err().map(reason);
            let rule_labels = found.labels.all.iter().map(Document::to_nearest_json).collect();
            let result = found.document.take().map(|document| document.to_nearest_json());
            self.options.request_info.log(
                &self.engine,
                DecisionInfo { result, error, metrics, rule_labels, ..info },
                &found.snapshot,
            )?;
        }
        Ok(Answered { encoded, snapshot: found.snapshot, ages: found.ages })
    }
}

/// Bytes of an answer.
pub(super) struct Packed {
    pub(super) text: Vec<u8>,
    pub(super) gzip: bool,
}

/// Compresses what is worth it.
fn pack(engine: &Engine, text: Vec<u8>, accepted: bool) -> Result<Packed, ApiError> {
    if !accepted || text.len() < engine.settings.gzip_min_length {
        return Ok(Packed { text, gzip: false });
    }
    let packed = gzip(&text, engine.settings.gzip_level);
    let packed = packed.map_err(|error| ApiError::internal(format!("the answer could not be compressed: {error}")))?;
    Ok(Packed { text: packed, gzip: true })
}
