//! What the server alone decides about an object: its specification or its status, its generation, its history, whether
//! anything changed at all. Source: `apiserver` `pkg/registry/rest/update.go` and the strategies of `pkg/registry`.

use serde_json::{Value as Json, json};
use time::OffsetDateTime;

use crate::patch::fields::{Manager, Operation};
use crate::resources::object;
use crate::rest::context::Context;
use crate::status::{FieldError, Status};

/// The namespaces' own collection.
pub const NAMESPACES: &str = "core/namespaces";

/// `metadata` that updates cannot change.
const KEPT: [&str; 6] = ["uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation", "selfLink"];

/// Unknown fields go; they and duplicate ones are reported as the caller asked.
pub fn fields(context: &Context, object: &mut Json, duplicates: &[String]) -> Result<(), Status> {
    let mut warnings = context.resource.prepare_decoded(object, context.validation, duplicates)?;
    context.warnings.borrow_mut().append(&mut warnings);
    Ok(())
}

/// A new object, as its kind has it before anybody else looks at it.
pub fn new_object(context: &Context, object: &mut Json) {
    context.resource.before_create(object);
    if &*context.resource.collection == NAMESPACES {
        object::set_top(object, "status", Some(json!({ "phase": "Active" })));
        label_namespace(object);
    }
}

/// Namespace selectors by name rest on this label; it cannot be taken away.
fn label_namespace(namespace: &mut Json) {
    let name = object::text(namespace, "name").to_owned();
    let Some(metadata) = object::metadata(namespace).filter(|_| !name.is_empty()) else { return };
    let labels = metadata.entry("labels").or_insert_with(|| json!({}));
    if !labels.is_object() {
        *labels = json!({});
    }
    if let Some(labels) = labels.as_object_mut() {
        labels.insert("kubernetes.io/metadata.name".into(), name.into());
    }
}

/// A server without initializers knows no such field.
pub fn initializers(context: &Context, object: &mut Json) {
    if !context.server.initialization.settings.enabled {
        object::set(object, "initializers", None);
    }
}

/// An update of `old`, reduced to what the subresource may change, with what nobody may change.
pub fn update(context: &Context, old: &Json, mut new: Json) -> Result<Json, Status> {
    match context.subresource.as_str() {
        "status" => context.resource.before_status_update(&mut new, old),
        "finalize" => context.resource.before_finalize(&mut new, old),
        _ => context.resource.before_update(&mut new, old),
    }
    for field in KEPT {
        object::set(&mut new, field, object::field(old, field).cloned());
    }
    match context.subresource.as_str() {
        "" => initializers(context, &mut new),
        // Parts of an object are written by those who may not initialize it.
        _ => object::set(&mut new, "initializers", object::field(old, "initializers").cloned()),
    }
    if &*context.resource.collection == NAMESPACES {
        label_namespace(&mut new);
    }
    no_new_finalizers(context, old, &new)?;
    if context.resource.counts_generation && specification_changed(context, old, &new) {
        object::set(&mut new, "generation", Some((object::generation(old) + 1).into()));
    }
    Ok(new)
}

fn no_new_finalizers(context: &Context, old: &Json, new: &Json) -> Result<(), Status> {
    if !object::is_deleting(old) {
        return Ok(());
    }
    let before = object::finalizers(old);
    let added: Vec<_> = object::finalizers(new).into_iter().filter(|name| !before.contains(name)).collect();
    if added.is_empty() {
        return Ok(());
    }
    let added: Vec<String> = added.iter().map(|name| format!("{name:?}")).collect();
    let added = added.join(", ");
    let why = format!("no new finalizers can be added if the object is being deleted, found new finalizers []string{{{added}}}");
    Err(Status::invalid(&context.resource, &context.name, &[FieldError::forbidden("metadata.finalizers", why)]))
}

/// Built in: `spec`, of Deployments the annotations too, of hook configurations the hooks. Custom: everything but metadata and status.
fn specification_changed(context: &Context, old: &Json, new: &Json) -> bool {
    if !context.resource.custom {
        let annotated = &*context.resource.collection == "apps/deployments" && context.subresource.is_empty();
        let annotations_changed = || object::field(old, "annotations") != object::field(new, "annotations");
        let changed = |field: &str| old.get(field) != new.get(field);
        return changed("spec") || changed("webhooks") || annotated && annotations_changed();
    }
    let ignored = |field: &str| field == "metadata" || field == "status" && context.resource.subresources.status;
    let rest = |object: &Json| -> Option<Vec<(String, Json)>> {
        let fields = object.as_object()?.iter().filter(|(field, _)| !ignored(field));
        Some(fields.map(|(field, value)| (field.clone(), value.clone())).collect())
    };
    rest(old) != rest(new)
}

/// Whether `new` says what `old` says. Times in `managedFields` do not count: then `new` gets the old ones.
pub fn is_unchanged(old: &Json, new: &mut Json) -> bool {
    if differs_outside_metadata(old, new) {
        return false;
    }
    let same_history = timeless(old) == timeless(new);
    let mut aligned = new.clone();
    object::set(&mut aligned, "resourceVersion", object::field(old, "resourceVersion").cloned());
    if same_history {
        object::set(&mut aligned, "managedFields", object::field(old, "managedFields").cloned());
    }
    let unchanged = aligned == *old;
    if unchanged {
        *new = aligned;
    }
    unchanged
}

fn differs_outside_metadata(old: &Json, new: &Json) -> bool {
    let (Some(old), Some(new)) = (old.as_object(), new.as_object()) else { return true };
    old.len() != new.len() || old.iter().any(|(field, value)| field != "metadata" && new.get(field) != Some(value))
}

fn timeless(object: &Json) -> Vec<Json> {
    let entries = object::field(object, "managedFields").and_then(Json::as_array);
    let mut entries = entries.cloned().unwrap_or_default();
    for entry in &mut entries {
        if let Some(entry) = entry.as_object_mut() {
            entry.remove("time");
        }
    }
    entries
}

/// Who is noted as the owner of changed fields.
pub fn manager(context: &Context) -> Manager {
    Manager {
        name: context.manager.clone(),
        operation: Operation::Update,
        api_version: context.resource.api_version(),
        subresource: context.subresource.clone(),
        time: OffsetDateTime::now_utc(),
    }
}
