//! Makes the request as admission will see it.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Instant;

use plimsoll_apiserver::admission::{Attributes, InForce, Operation, Reinvocation};
use plimsoll_apiserver::audit::Trail;
use plimsoll_apiserver::authn::User;
use plimsoll_apiserver::resources::{Registry, Resource, Scope};
use serde_json::{Map, Value as Json, json};

/// The label with the name of a Namespace, which the API server sets on each.
const NAME_LABEL: &str = "kubernetes.io/metadata.name";

/// The parts of a request.
pub(in crate::cli) struct Asked {
    pub(in crate::cli) operation: Operation,
    pub(in crate::cli) registry: Arc<Registry>,
    pub(in crate::cli) resource: Arc<Resource>,
    pub(in crate::cli) object: Json,
    pub(in crate::cli) old: Option<Json>,
    pub(in crate::cli) user: User,
}

/// Returns the object with what the server adds before any hook: its namespace, and for a Namespace the label with its name.
pub(in crate::cli) fn completed(mut object: Json, resource: &Resource, namespace: &str) -> Json {
    let name = text(&object, "/metadata/name").to_owned();
    let Some(metadata) = object.get_mut("metadata").and_then(Json::as_object_mut) else { return object };
    if resource.scope == Scope::Namespaced {
        metadata.entry("namespace").or_insert_with(|| namespace.into());
    } else {
        metadata.remove("namespace");
    }
    if resource.group.is_empty() && resource.plural == "namespaces" && !name.is_empty() {
        let labels = metadata.entry("labels").or_insert_with(|| Json::Object(Map::new()));
        if let Some(labels) = labels.as_object_mut() {
            labels.insert(NAME_LABEL.to_owned(), name.into());
        }
    }
    object
}

/// Returns the request in the form that hooks are matched with. A delete has no new object.
pub(in crate::cli) fn attributes(asked: Asked) -> Attributes {
    let Asked { operation, registry, resource, object, old, user } = asked;
    Attributes {
        operation,
        registry,
        subresource: String::new(),
        namespace: text(&object, "/metadata/namespace").to_owned(),
        name: text(&object, "/metadata/name").to_owned(),
        object: if operation == Operation::Delete { None } else { Some(object) },
        old: old.map(Arc::new),
        options: operation.options_kind().map_or(Json::Null, |kind| json!({"kind": kind, "apiVersion": "meta.k8s.io/v1"})),
        user,
        dry_run: false,
        deadline: Instant::now(),
        warnings: RefCell::default(),
        trail: Trail::default(),
        configuration: InForce::default(),
        reveals: false,
        reinvocation: Reinvocation::default(),
        resource,
    }
}

/// Returns the path to which objects like this one are posted.
pub(in crate::cli) fn collection(resource: &Resource, object: &Json) -> String {
    let root = if resource.group.is_empty() { "/api" } else { "/apis" };
    let (version, plural) = (resource.api_version(), &resource.plural);
    match text(object, "/metadata/namespace") {
        "" => format!("{root}/{version}/{plural}"),
        namespace => format!("{root}/{version}/namespaces/{namespace}/{plural}"),
    }
}

/// Returns the path of the object.
pub(in crate::cli) fn path(resource: &Resource, object: &Json) -> String {
    format!("{}/{}", collection(resource, object), text(object, "/metadata/name"))
}

fn text<'a>(object: &'a Json, pointer: &str) -> &'a str {
    object.pointer(pointer).and_then(Json::as_str).unwrap_or_default()
}
