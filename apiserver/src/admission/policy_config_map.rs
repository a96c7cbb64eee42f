//! A policy ConfigMap that does not compile is refused, with the compiler's own message; an engine that cannot be asked
//! keeps nobody from repairing a policy (T2).
//!
//! Every key of every ConfigMap in the policy namespace that ends in `.rego` is a module, tests beside policies and other
//! keys are not. The sidecar sends them all as one set, so the whole set is compiled, as it would be after the write.

mod modules;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::FutureExt;
use futures::future::LocalBoxFuture;
use plimsoll_contract::policy::{Diagnostic, PoliciesRejected, PutPolicies};
use reqwest::{StatusCode, Url};

use super::engine::{Engine, Fault, said};
use super::metrics::{Check, Metrics};
use super::{Attributes, Operation, POLICY_NAMESPACE, Validating, forbidden, text};
use crate::status::{Cause, Status};
use crate::storage::Store;

/// The stage's name in messages and metrics.
/// The stage, as switches and metrics call it.
pub const NAME: &str = "PolicyConfigMap";
/// Compiling is quick; nobody waits longer for a second opinion.
const LIMIT: Duration = Duration::from_secs(5);
/// Errors that are shown.
const MOST_ERRORS: usize = 10;

/// The stage.
#[derive(Debug)]
pub struct PolicyConfigMap {
    store: Store,
    engine: Arc<Engine>,
    url: Url,
    /// The set's name and a colon.
    set: String,
    metrics: Metrics,
}

/// What the engine says of a set.
enum Verdict {
    Compiles,
    Errors(Vec<Diagnostic>),
}

impl PolicyConfigMap {
    /// Asks `engine` to compile; `source` is the name under which the sidecar sends the set.
    pub fn new(store: Store, engine: Arc<Engine>, source: &str, metrics: Metrics) -> Self {
        let mut url = engine.url().clone();
        url.set_query(None);
        url.set_path(&format!("/plimsoll/v1/policies/{source}/check"));
        Self { store, engine, url, set: format!("{source}:"), metrics }
    }

    async fn check(&self, request: &Attributes) -> Result<Vec<String>, Status> {
        let Some((before, after)) = self.sets(request) else { return Ok(Vec::new()) };
        let errors = match self.compile(&after, request).await {
            Ok(Verdict::Compiles) => Vec::new(),
            Ok(Verdict::Errors(errors)) => errors,
            Err(fault) => return Ok(vec![self.unchecked(&fault)]),
        };
        let prefix = format!("{POLICY_NAMESPACE}/{}/", request.name);
        let is_own = |error: &Diagnostic| error.location.file.starts_with(&prefix);
        if errors.is_empty() || (!errors.iter().any(is_own) && self.was_broken(&before, &errors, request).await) {
            self.metrics.checked(Check::Accepted);
            return Ok(elsewhere(&errors));
        }
        self.metrics.checked(Check::Rejected);
        Err(refusal(request, &errors, &prefix))
    }

    /// The whole set before and after the write; `None` if the write does not change it.
    fn sets(&self, request: &Attributes) -> Option<(BTreeMap<String, String>, BTreeMap<String, String>)> {
        let is_written = matches!(request.operation, Operation::Create | Operation::Update);
        let is_map = request.resource.group.is_empty() && request.resource.plural == "configmaps";
        if !is_written || !is_map || request.namespace != POLICY_NAMESPACE || !request.subresource.is_empty() {
            return None;
        }
        let own = modules::of(&request.name, request.object.as_ref()?);
        let old = request.old.as_deref().map(|old| modules::of(&request.name, old)).unwrap_or_default();
        if own == old {
            return None;
        }
        let others = modules::stored(&self.store.snapshot(), &request.name);
        let with = |own: BTreeMap<_, _>| others.clone().into_iter().chain(own).collect();
        Some((with(old), with(own)))
    }

    /// Whether the others' errors were there before: then this write is not to blame.
    async fn was_broken(&self, before: &BTreeMap<String, String>, errors: &[Diagnostic], request: &Attributes) -> bool {
        match self.compile(before, request).await {
            Ok(Verdict::Errors(known)) => errors.iter().all(|error| known.contains(error)),
            Ok(Verdict::Compiles) | Err(_) => false,
        }
    }

    async fn compile(&self, modules: &BTreeMap<String, String>, request: &Attributes) -> Result<Verdict, Fault> {
        let set = PutPolicies { modules: modules.clone(), ..PutPolicies::default() };
        let body: Bytes = serde_json::to_vec(&set).map_err(Fault::Unreadable)?.into();
        let left = request.deadline.saturating_duration_since(std::time::Instant::now()) / 2;
        let answer = self.engine.post(&self.url, body, left.min(LIMIT)).await?;
        match answer.status {
            status if status.is_success() => Ok(Verdict::Compiles),
            StatusCode::BAD_REQUEST => match serde_json::from_slice(&answer.body) {
                Ok(PoliciesRejected { errors, .. }) if !errors.is_empty() => Ok(Verdict::Errors(self.plain(errors))),
                // Anything but a verdict of the compiler is a refusal of the request itself.
                _ => Err(Fault::Refused { status: StatusCode::BAD_REQUEST, message: said(&answer.body) }),
            },
            status => Err(Fault::Refused { status, message: said(&answer.body) }),
        }
    }

    /// The engine puts the set's name before a key that another set has, too.
    fn plain(&self, mut errors: Vec<Diagnostic>) -> Vec<Diagnostic> {
        for Diagnostic { location, .. } in &mut errors {
            if let Some(key) = location.file.strip_prefix(&self.set) {
                location.file = key.to_owned();
            }
        }
        errors
    }

    fn unchecked(&self, fault: &Fault) -> String {
        self.metrics.checked(Check::Unchecked);
        tracing::warn!(engine = %self.url, %fault, "a policy ConfigMap was not checked");
        format!("{NAME}: the policy was stored unchecked, the engine could not be asked to compile it: {fault}")
    }
}

impl Validating for PolicyConfigMap {
    fn name(&self) -> &'static str {
        NAME
    }

    fn validate<'a>(&'a self, request: &'a Attributes) -> LocalBoxFuture<'a, Result<Vec<String>, Status>> {
        self.check(request).boxed_local()
    }
}

/// Errors that were there before and are not this ConfigMap's.
fn elsewhere(errors: &[Diagnostic]) -> Vec<String> {
    let Some(first) = errors.first() else { return Vec::new() };
    vec![format!("{NAME}: the policies are not in force before another ConfigMap is repaired: {first}")]
}

/// `configmaps "p" is forbidden: …: file:line:col: code: message`, and a cause for each error that is a key's.
fn refusal(request: &Attributes, errors: &[Diagnostic], prefix: &str) -> Status {
    let shown: Vec<String> = errors.iter().take(MOST_ERRORS).map(ToString::to_string).collect();
    let more = errors.len().saturating_sub(MOST_ERRORS);
    let rest = if more == 0 { String::new() } else { format!("\n… and {more} more") };
    let status = forbidden(request, format!("{NAME}: the policies do not compile: {}{rest}", shown.join("\n")));
    let own = errors.iter().take(MOST_ERRORS).filter_map(|error| Some((error.location.file.strip_prefix(prefix)?, error)));
    own.fold(status, |status, (key, error)| {
        let message = format!("{}:{}: {}: {}", error.location.row, error.location.col, error.code, error.message);
        status.with_cause(Cause { reason: "FieldValueInvalid".into(), message, field: format!("data[{key}]") })
    })
}
