//! From a request to a verdict; runs on the pool.

use std::sync::Arc;
use std::time::{Duration, Instant};

use plimsoll_contract::kind::{Gvr, Kind};
use serde_json::Value as Json;
use serde_json::value::RawValue;

use super::scope;
use super::verdict::{Denial, NotReady, Verdict};
use super::wire::{Request, Version};
use crate::decision::{Config, Decision, Subject, decide};
use crate::server::limits::explain;
use crate::server::{Engine, Protocol};
use crate::snapshot::Snapshot;

/// One review on one snapshot.
#[derive(Debug)]
pub struct Review<'a> {
    /// What decides.
    pub engine: &'a Engine,
    /// What it is decided on.
    pub snapshot: Arc<Snapshot>,
    /// Asked and answered in.
    pub version: Version,
    /// What is asked.
    pub request: Request,
    /// Time that the decision may take.
    pub budget: Duration,
}

/// What a decision means at one of the endpoints.
pub type Judge = fn(&Json, &Decision) -> Result<Verdict, NotReady>;

impl Review<'_> {
    /// Untouched if it is out of scope, else what `judge` makes of the decision.
    pub fn verdict(&self, judge: Judge) -> Result<Verdict, NotReady> {
        let request = &self.request;
        if scope::other_operation(request) {
            return Ok(Verdict::untouched());
        }
        if let (Some(old), Some(new)) = (&request.old_object, &request.object)
            && request.operation == "UPDATE"
            && scope::untouchable_update(old, new)
        {
            return Ok(Verdict::untouched());
        }
        match object(request) {
            Ok(object) => judge(&object, &self.decide(&object)),
            Err(denied) => Ok(Verdict::denied(denied)),
        }
    }

    fn decide(&self, object: &Json) -> Decision {
        let (engine, Request { uid, kind, namespace, name, .. }) = (self.engine, &self.request);
        let (kind, revision) = (&kind.kind, self.snapshot.revision);
        let _span = tracing::info_span!("review", uid, kind, namespace, name, revision).entered();
        let started = Instant::now();
        let uid = object.pointer("/metadata/uid").and_then(Json::as_str).unwrap_or_default();
        let last = engine.table.last(uid);
        let subject = Subject { object, kind: self.kind(object), last: last.as_ref() };
        let decision = if self.budget < engine.config.limits.time {
            let mut config = Config::clone(&engine.config);
            config.limits.time = self.budget;
            decide(&self.snapshot, subject, &config)
        } else {
            decide(&self.snapshot, subject, &engine.config)
        };
        engine.metrics.evaluation.observe(started.elapsed().as_secs_f64());
        engine.record(Protocol::of_review(self.version), &decision);
        decision
    }

    /// The row of the table: by the object's own type, else by the resource that was asked for.
    fn kind(&self, object: &Json) -> Option<&Kind> {
        let text = |field: &str| object.get(field).and_then(Json::as_str).unwrap_or_default();
        let by_object = self.snapshot.state.kind_of(text("apiVersion"), text("kind"));
        by_object.or_else(|| {
            let resource = &self.request.resource;
            let (group, version, resource) = (resource.group.clone(), resource.version.clone(), resource.resource.clone());
            self.snapshot.state.kind(&Gvr { group, version, resource })
        })
    }
}

/// The new object, complete: what the request knows and the object leaves out is filled in.
fn object(request: &Request) -> Result<Json, Denial> {
    let mut object = read(request.object.as_deref(), "object")?.unwrap_or(Json::Null);
    let shaped = object.get("metadata").is_some_and(Json::is_object);
    let Some(fields) = object.as_object_mut().filter(|_| shaped) else {
        let message = format!("a {} of {} carries no object with metadata", request.operation, request.resource.resource);
        return Err(Denial { code: 400, reason: "BadRequest", message });
    };
    fields.entry("apiVersion").or_insert_with(|| request.kind.api_version().into());
    fields.entry("kind").or_insert_with(|| request.kind.kind.clone().into());
    if let Some(metadata) = fields.get_mut("metadata").and_then(Json::as_object_mut)
        && !request.namespace.is_empty()
    {
        metadata.entry("namespace").or_insert_with(|| request.namespace.clone().into());
    }
    Ok(object)
}

/// What cannot be read cannot be decided: it is denied, not skipped.
fn read(text: Option<&RawValue>, field: &str) -> Result<Option<Json>, Denial> {
    let Some(text) = text else { return Ok(None) };
    let parsed = serde_json::from_str(text.get());
    parsed.map_err(|error| Denial::forbidden(format!("`{field}` of the request cannot be read: {}", explain(&error))))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn raw(value: &Json) -> Option<Box<RawValue>> {
        Some(RawValue::from_string(value.to_string()).unwrap())
    }

    #[test]
    fn what_the_object_leaves_out_is_filled_from_the_request() {
        let mut request =
            Request { namespace: "ns".into(), object: raw(&json!({"metadata": {"name": "n"}})), ..Request::default() };
        request.kind.group = "apps".into();
        request.kind.version = "v1".into();
        request.kind.kind = "ReplicaSet".into();
        let filled = object(&request).unwrap();
        let expected = json!({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "n", "namespace": "ns"}});
        assert_eq!(filled, expected);
        request.object = raw(&json!({"apiVersion": "v1", "kind": "K", "metadata": {"namespace": "own"}}));
        assert_eq!(object(&request).unwrap()["metadata"]["namespace"], "own");
    }

    #[test]
    fn what_cannot_be_read_is_denied() {
        let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
        let request = Request { object: Some(RawValue::from_string(deep).unwrap()), ..Request::default() };
        let denied = object(&request).unwrap_err();
        assert!(denied.code == 403 && denied.message.contains("nested too deeply"), "{denied:?}");
        assert_eq!(object(&Request::default()).unwrap_err().code, 400);
    }
}
