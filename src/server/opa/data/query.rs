//! One evaluation for the data API: plain OPA, or the decision pipeline at the placement path.

use std::sync::Arc;
use std::time::{Duration, Instant};

use plimsoll_contract::kind::Kind;
use plimsoll_contract::source::SourceAge;
use serde_json::Value as Json;

use super::answer::{self, Answer, Api};
use super::explain::{Explain, Explained};
use super::labels::Labels;
use crate::decision::decide::input::policy_input;
use crate::decision::member::text;
use crate::decision::mirrored::{self, Identity};
use crate::decision::{Previous, Subject, Way, Writer, decide_seeing};
use crate::rego::trace::{Steps, Trace};
use crate::rego::{Definition, Document, EvalError, Limits, Value, integer};
use crate::server::limits::{document, explain};
use crate::server::pool::Lane;
use crate::server::respond::{ApiError, loaded};
use crate::server::{Engine, Protocol};
use crate::snapshot::{QueryError, Snapshot};
use crate::state::Leaf;

/// A request for a document.
#[derive(Clone, Debug)]
pub struct Query {
    /// Below `data`.
    pub path: Vec<String>,
    /// JSON text of the input, once it was read.
    pub input: Option<bytes::Bytes>,
    /// How the input came and how its errors read.
    pub api: Api,
    /// This request may be a decision: POST, and not `?raw`.
    pub decides: bool,
    /// `?explain`.
    pub explain: Explain,
    /// What METADATA labels rules with is wanted: in the answer, or in the log.
    pub labels: bool,
}

/// The result of a request for a document.
#[derive(Debug)]
pub struct Found {
    /// What is answered, or nothing when it is undefined.
    pub document: Option<Answer>,
    /// Some rule is defined at, above or below the path.
    pub defined: bool,
    /// What it was made on.
    pub snapshot: Arc<Snapshot>,
    /// The ages that were known then.
    pub ages: Vec<SourceAge>,
    /// For `?metrics`.
    pub parsing: Duration,
    /// For `?metrics`.
    pub evaluation: Duration,
    /// How it was found, if that was asked for.
    pub explained: Option<Explained>,
    /// What METADATA labels the rules with that were found to hold, if that is wanted.
    pub labels: Labels,
    /// In the log and in the answer.
    pub decision_id: Option<String>,
}

/// Evaluates on the current snapshot; runs on the pool.
pub fn evaluate(engine: &Engine, query: &Query, strict: bool) -> Result<Found, ApiError> {
    let snapshot = engine.store.load();
    let ages = snapshot.ages(engine.store.now());
    let started = Instant::now();
    let object = placed_object(engine, query)?;
    let input = match (&object, &query.input) {
        (None, Some(text)) => Some(input_value(text, query.api)?),
        _ => None,
    };
    let parsed = Instant::now();
    let limits = Limits { strict_builtin_errors: strict, ..engine.config.limits.clone() };
    let labelled = is_labelled(&snapshot, query);
    let (document, labels) = match &object {
        Some(object) => {
            let document = decided(engine, &snapshot, object, query.api)?;
            let evaluate = |limits: &Limits| labelled_decision(engine, &snapshot, object, limits);
            let labels = if labelled { Labels::of_decision(&limits, started, evaluate) } else { Labels::default() };
            (document, labels)
        }
        None => {
            loaded(&snapshot)?;
            let found = snapshot.evaluate(&canonical(&query.path), input.as_ref(), &limits, labelled)?;
            (found.document.map(Answer::Document), found.labels.into())
        }
    };
    // As in OPA, what is undefined is shown without.
    let labels = if document.is_some() { labels } else { Labels::default() };
    let defined = snapshot.policies.program.defines(&query.path) != Definition::Nothing;
    let evaluation = parsed.elapsed();
    engine.metrics.evaluation.observe(evaluation.as_secs_f64());
    let explained = match query.explain.explains(document.is_some()) {
        true => query.explain.explained(&limits, started, |limits, steps| match &object {
            Some(object) => decided_stepwise(engine, &snapshot, object, limits, steps),
            None => snapshot.explain_document(&canonical(&query.path), input.as_ref(), limits, steps),
        }),
        false => None,
    };
    let parsing = parsed - started;
    Ok(Found { document, defined, snapshot, ages, parsing, evaluation, explained, labels, decision_id: None })
}

/// Whether rules with labels may be evaluated, and somebody wants to know.
pub(super) fn is_labelled(snapshot: &Snapshot, query: &Query) -> bool {
    query.labels && snapshot.policies.program.is_labelled(&query.path)
}

/// Returns the pool of workers for a request: decisions have their own; explanations of decisions can wait.
pub fn lane(engine: &Engine, query: &Query) -> Lane {
    let decides = query.decides && query.path == engine.config.placement_path && !query.explain.is_wanted();
    if decides { Lane::Decide } else { Lane::Data }
}

/// The path as OPA reads it: a segment that is a number stands for that number, however it is written.
fn canonical(path: &[String]) -> Vec<String> {
    path.iter().map(|segment| integer(segment).map_or_else(|| segment.clone(), |number| number.to_string())).collect()
}

/// The input, if this is a request for a decision: POST exactly at the placement path with a Kubernetes object.
pub(super) fn placed_object(engine: &Engine, query: &Query) -> Result<Option<Json>, ApiError> {
    if !query.decides || query.path != engine.config.placement_path {
        return Ok(None);
    }
    let Some(text) = &query.input else { return Ok(None) };
    let object: Json = document(text, malformed(query.api))?;
    Ok(Some(object).filter(is_placed))
}

/// Whether an input is an object to decide on.
pub(super) fn is_placed(object: &Json) -> bool {
    ["apiVersion", "kind", "metadata"].iter().all(|field| object.get(field).is_some())
}

fn decided(engine: &Engine, snapshot: &Snapshot, object: &Json, api: Api) -> Result<Option<Answer>, ApiError> {
    let (kind, namespace, name) = (text(object, "/kind"), text(object, "/metadata/namespace"), text(object, "/metadata/name"));
    let _span = tracing::info_span!("decide", kind, namespace, name, revision = snapshot.revision).entered();
    let sight = engine.sight(snapshot);
    let decision = of_object(engine, snapshot, object, |subject| decide_seeing(snapshot, subject, &engine.config, &sight));
    engine.record(protocol(api), &decision, &sight);
    answer::answer(decision)
}

pub(super) fn protocol(api: Api) -> Protocol {
    match api {
        Api::V0 => Protocol::V0,
        Api::V1 => Protocol::V1,
    }
}

/// Returns the steps of evaluating a decision, with the object as policy sees it.
fn decided_stepwise(
    engine: &Engine,
    snapshot: &Snapshot,
    object: &Json,
    limits: &Limits,
    steps: Steps,
) -> Result<Trace, QueryError> {
    let seen = of_object(engine, snapshot, object, |subject| policy_input(snapshot, subject, &engine.config));
    let Some(input) = seen.map(Value::from) else { return Ok(Trace::default()) };
    snapshot.explain_document(&engine.config.placement_path, Some(&input), limits, steps)
}

/// Returns the METADATA labels of the rules that hold in a decision, with the object as policy sees it.
fn labelled_decision(engine: &Engine, snapshot: &Snapshot, object: &Json, limits: &Limits) -> Result<Vec<Document>, EvalError> {
    let seen = of_object(engine, snapshot, object, |subject| policy_input(snapshot, subject, &engine.config));
    let Some(input) = seen.map(Value::from) else { return Ok(Vec::new()) };
    Ok(snapshot.evaluate(&engine.config.placement_path, Some(&input), limits, true)?.labels)
}

/// Does something with an object and what is known of its past.
pub(in crate::server) fn of_object<T>(
    engine: &Engine,
    snapshot: &Snapshot,
    object: &Json,
    work: impl FnOnce(Subject<'_>) -> T,
) -> T {
    of_successor((engine, snapshot), object, before(snapshot, object), work)
}

/// [`of_object`], of one that shall replace this stored object, if any: one that is new has no past.
pub(super) fn of_successor<T>(
    (engine, snapshot): (&Engine, &Snapshot),
    object: &Json,
    stored: Option<&Arc<Leaf>>,
    work: impl FnOnce(Subject<'_>) -> T,
) -> T {
    let previous = stored.and_then(|leaf| Previous::read(&leaf.json).ok());
    let last = previous.as_ref().and_then(|_| engine.table.last(text(object, "/metadata/uid")));
    let way = previous.as_ref().map_or(Way::Create, Way::Update);
    work(Subject { object, kind: kind(snapshot, object), way, writer: Writer::Unknown, last: last.as_ref() })
}

fn kind<'s>(snapshot: &'s Snapshot, object: &Json) -> Option<&'s Kind> {
    snapshot.state.kind_of(text(object, "/apiVersion"), text(object, "/kind"))
}

/// The stored object that the input shall replace, as far as the mirror knows it. OPA's API has no word for what was there
/// before, nor for who writes.
pub(super) fn before<'s>(snapshot: &'s Snapshot, object: &Json) -> Option<&'s Arc<Leaf>> {
    let [namespace, name, uid] = ["/metadata/namespace", "/metadata/name", "/metadata/uid"].map(|path| text(object, path));
    let identity = Identity { namespace, name, uid };
    match kind(snapshot, object) {
        Some(row) => mirrored::replicated(&snapshot.state, row, identity),
        None => mirrored::pushed(&snapshot.state, text(object, "/kind"), identity),
    }
}

fn input_value(text: &[u8], api: Api) -> Result<Value, ApiError> {
    Value::from_json(text).map_err(|error| ApiError::invalid(format!("{}: {}", malformed(api), explain(&error))))
}

/// Returns the beginning of OPA's message about a malformed body.
pub fn malformed(api: Api) -> &'static str {
    match api {
        Api::V0 => "unexpected parse error for input: body contains malformed input document",
        Api::V1 => "body contains malformed input document",
    }
}
