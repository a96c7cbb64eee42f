//! What an object says that it is must be what the path says. Source: `apiserver` `pkg/endpoints/handlers/{create,update}.go`
//! and `pkg/registry/rest`.

use serde_json::Value as Json;

use crate::resources::Scope;
use crate::resources::object;
use crate::rest::context::Context;
use crate::status::Status;

/// Fills in `apiVersion` and `kind` where they are missing; others are refused.
pub fn kind(context: &Context, object: &mut Json) -> Result<(), Status> {
    let expected = [("apiVersion", context.resource.api_version()), ("kind", context.resource.kind.clone())];
    let Some(fields) = object.as_object_mut() else {
        return Err(Status::bad_request("the object provided is unrecognized (must be of type object)"));
    };
    let found = expected.each_ref().map(|(field, _)| fields.get(*field).and_then(Json::as_str).unwrap_or_default().to_owned());
    let [(_, version), (_, kind)] = &expected;
    let [found_version, found_kind] = &found;
    if !found_kind.is_empty() && found_kind != kind || !found_version.is_empty() && found_version != version {
        return Err(mismatch(&found, version, kind));
    }
    for (field, value) in expected {
        fields.insert(field.to_owned(), value.into());
    }
    Ok(())
}

fn mismatch([found_version, found_kind]: &[String; 2], version: &str, kind: &str) -> Status {
    if found_kind != kind && found_version == version {
        return Status::bad_request(format!("the kind in the data ({found_kind}) does not match the expected kind ({kind})"));
    }
    let message = format!("the API version in the data ({found_version}) does not match the expected API version ({version})");
    Status::bad_request(message)
}

/// Puts the namespace of the path into a new object; another one is refused.
pub fn namespace_of_new(context: &Context, object: &mut Json) -> Result<(), Status> {
    if context.resource.scope == Scope::Cluster {
        object::set(object, "namespace", None);
        return Ok(());
    }
    if context.namespace.is_empty() {
        return Err(Status::bad_request("an empty namespace may not be set during creation"));
    }
    let found = object::text(object, "namespace");
    if !found.is_empty() && found != context.namespace {
        return Err(Status::bad_request("the namespace of the provided object does not match the namespace sent on the request"));
    }
    object::set(object, "namespace", Some(context.namespace.as_str().into()));
    Ok(())
}

/// Fills in the name and namespace of the path; others are refused.
pub fn of_existing(context: &Context, object: &mut Json) -> Result<(), Status> {
    let (name, namespace) = (object::text(object, "name"), object::text(object, "namespace"));
    if !name.is_empty() && name != context.name {
        let path = &context.name;
        return Err(Status::bad_request(format!("the name of the object ({name}) does not match the name on the URL ({path})")));
    }
    let namespaced = context.resource.scope == Scope::Namespaced;
    if namespaced && !namespace.is_empty() && namespace != context.namespace {
        let path = &context.namespace;
        let message = format!("the namespace of the object ({namespace}) does not match the namespace on the request ({path})");
        return Err(Status::bad_request(message));
    }
    object::set(object, "name", Some(context.name.as_str().into()));
    object::set(object, "namespace", namespaced.then(|| context.namespace.as_str().into()));
    Ok(())
}
