//! The question: who does what to which object, in the version that the webhook wants.

use serde_json::{Map, Value as Json, json};

use crate::admission::{Attributes, Operation};
use crate::authn::User;
use crate::expression::Variables;
use crate::resources::connect::Connect;
use crate::resources::resource::Scale;
use crate::resources::{Resource, convert, scale};

/// What is asked about a request, in the version of `resource`.
pub(super) fn question(uid: &str, resource: &Resource, request: &Attributes) -> Json {
    let own = request.resource.as_ref();
    let shown = |object: Option<&Json>| object.map_or(Json::Null, |object| shown(resource, request, object.clone()));
    let mut asked = json!({
        "uid": uid,
        "kind": kind(resource, request), "resource": plural(resource),
        "requestKind": kind(own, request), "requestResource": plural(own),
        "operation": request.operation.name(), "userInfo": user(&request.user), "dryRun": request.dry_run,
        "object": shown(request.object.as_ref()), "oldObject": shown(request.old.as_deref()), "options": request.options,
    });
    let optional = [
        ("subResource", request.subresource.as_str()),
        ("requestSubResource", request.subresource.as_str()),
        ("name", request.name.as_str()),
        ("namespace", request.told_namespace()),
    ];
    if let Some(asked) = asked.as_object_mut() {
        for (field, value) in optional.into_iter().filter(|(_, value)| !value.is_empty()) {
            asked.insert(field.to_owned(), value.into());
        }
    }
    asked
}

/// What match conditions may speak of, in the version of `resource`: the objects, and the rest of the question.
pub fn variables(resource: &Resource, request: &Attributes) -> Variables {
    let mut asked = question("", resource, request);
    let mut take = |field: &str| asked.as_object_mut().and_then(|asked| asked.remove(field)).unwrap_or_default();
    let (object, old) = (take("object"), take("oldObject"));
    take("uid");
    Variables::from([("namespaceObject", Json::Null), ("object", object), ("oldObject", old), ("request", asked)])
}

/// An object of the request as a webhook sees it that wants the version of `resource`; of a scale, the scale.
pub(in crate::admission::webhook) fn shown(resource: &Resource, request: &Attributes, object: Json) -> Json {
    let object = convert(object, &request.resource, resource);
    match scale_of(resource, request) {
        Some(paths) => scale::view(&object, paths),
        None => object,
    }
}

/// Where the replicas are, if the request is for `/scale`.
pub(in crate::admission::webhook) fn scale_of<'a>(resource: &'a Resource, request: &Attributes) -> Option<&'a Scale> {
    resource.subresources.scale.as_ref().filter(|_| request.subresource == "scale")
}

fn kind(resource: &Resource, request: &Attributes) -> Json {
    if scale_of(resource, request).is_some() {
        return json!({"group": "autoscaling", "version": "v1", "kind": "Scale"});
    }
    let options = if request.operation == Operation::Connect { Connect::named(&request.subresource) } else { None };
    let kind = options.map_or(resource.kind.as_str(), |options| options.kind());
    json!({"group": resource.group, "version": resource.version, "kind": kind})
}

fn plural(resource: &Resource) -> Json {
    json!({"group": resource.group, "version": resource.version, "resource": resource.plural})
}

fn user(user: &User) -> Json {
    let mut info = Map::new();
    for (field, value) in [("username", &user.name), ("uid", &user.uid)].into_iter().filter(|(_, value)| !value.is_empty()) {
        info.insert(field.to_owned(), value.as_str().into());
    }
    if !user.groups.is_empty() {
        info.insert("groups".to_owned(), json!(user.groups));
    }
    if !user.extra.is_empty() {
        info.insert("extra".to_owned(), json!(user.extra));
    }
    Json::Object(info)
}
