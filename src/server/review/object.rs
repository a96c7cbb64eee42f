//! The objects of a request, read as far as they are needed.

use serde_json::Value as Json;
use serde_json::value::RawValue;

use super::judge::Review;
use super::verdict::Denial;
use super::wire::Request;
use crate::decision::skim::{skim, suffices};
use crate::decision::{Previous, Way};
use crate::server::limits::explain;

impl Review<'_> {
    /// The new object; where that is to be brief, no more of it than decides about a class that was seen before.
    pub(super) fn object(&self, previous: Option<&Previous<'_>>) -> Result<Json, Denial> {
        let (config, request) = (&self.engine.config, &self.request);
        let is_enough = self.is_brief && suffices(previous.map_or(Way::Create, Way::Update), config);
        let basis = self.snapshot.known_basis(&config.placement_path).filter(|_| is_enough);
        match basis.zip(request.object.as_ref()).and_then(|(basis, text)| skim(text.get().as_bytes(), basis)) {
            Some(object) => complete(request, object),
            None => complete(request, read(request.object.as_deref(), "object")?.unwrap_or(Json::Null)),
        }
    }
}

/// The stored object of an UPDATE, as far as it is needed.
pub(super) fn previous(request: &Request) -> Result<Option<Previous<'_>>, Denial> {
    let old = request.old_object.as_deref().filter(|_| request.operation == "UPDATE");
    let read = old.map(|old| Previous::read(old.get().as_bytes())).transpose();
    read.map_err(|error| Denial::forbidden(format!("`oldObject` of the request cannot be read: {}", explain(&error))))
}

/// The new object, complete: what the request knows and the object leaves out is filled in. Its namespace is the request's:
/// API servers before 1.21 ask before they compare it, or take it off an object that lives in none.
fn complete(request: &Request, mut object: Json) -> Result<Json, Denial> {
    let shaped = object.get("metadata").is_some_and(Json::is_object);
    let Some(fields) = object.as_object_mut().filter(|_| shaped) else {
        let message = format!("a {} of {} carries no object with metadata", request.operation, request.resource.resource);
        return Err(Denial { code: 400, reason: "BadRequest", message });
    };
    fields.entry("apiVersion").or_insert_with(|| request.kind.api_version().into());
    fields.entry("kind").or_insert_with(|| request.kind.kind.clone().into());
    if let Some(metadata) = fields.get_mut("metadata").and_then(Json::as_object_mut) {
        match request.namespace.as_str() {
            "" => drop(metadata.remove("namespace")),
            namespace => drop(metadata.insert("namespace".into(), namespace.into())),
        }
    }
    Ok(object)
}

/// Reads an object of the request. Fails where it cannot be read: it is denied, not skipped.
fn read(text: Option<&RawValue>, field: &str) -> Result<Option<Json>, Denial> {
    let Some(text) = text else { return Ok(None) };
    let parsed = serde_json::from_str(text.get());
    parsed.map_err(|error| Denial::forbidden(format!("`{field}` of the request cannot be read: {}", explain(&error))))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(request: &Request) -> Result<Json, Denial> {
        complete(request, read(request.object.as_deref(), "object")?.unwrap_or(Json::Null))
    }

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
        request.object = raw(&json!({"apiVersion": "v1", "kind": "K", "metadata": {"namespace": "kube-system"}}));
        assert_eq!(object(&request).unwrap()["metadata"]["namespace"], "ns");
        request.namespace.clear();
        assert_eq!(object(&request).unwrap()["metadata"], json!({}), "it lives in no namespace");
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
