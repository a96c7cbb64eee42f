//! Update: the one way in which a stored object changes, for PUT, for every PATCH, for the subresources and for our own
//! controllers. Source: `apiserver` `pkg/registry/generic/registry/store.go` (`Update`), `pkg/registry/rest/update.go`.

use std::sync::Arc;

use serde_json::Value as Json;

use super::{identity, initialization, settle};
use crate::admission::{Attributes, Operation};
use crate::patch::fields;
use crate::resources::decode::Decoded;
use crate::resources::{FieldValidation, Resource, initializers, object};
use crate::rest::context::{Context, Object};
use crate::status::{FieldError, Status};
use crate::storage::{Change, Expect, Record, Write, WriteError};

/// Writes that lose a race are made again so often, unless the caller named a resourceVersion.
const ATTEMPTS: usize = 6;

/// What becomes of an object.
pub struct Changed {
    /// As the caller wants it, in the version of the request.
    pub object: Json,
    /// Ownership of fields is settled already.
    pub owned: bool,
}

impl From<Json> for Changed {
    fn from(object: Json) -> Self {
        Self { object, owned: false }
    }
}

/// Replaces the object by a body.
pub async fn replace(context: &Context, body: Decoded) -> Result<Object, Status> {
    let mut object = body.object;
    identity::kind(context, &mut object)?;
    identity::of_existing(context, &mut object)?;
    settle::fields(context, &mut object, &body.duplicates)?;
    let conditional = !object::text(&object, "resourceVersion").is_empty();
    if context.resource.custom && !conditional {
        let error = FieldError::invalid("metadata.resourceVersion", 0, "must be specified for an update");
        // Upstream names the resource here where a kind belongs.
        let Resource { group, plural, .. } = &*context.resource;
        return Err(Status::invalid_kind(group, plural, &context.name, &[error]));
    }
    update(context, &|_| Ok(object.clone().into())).await
}

/// Changes the object as `make` says, which is asked again when another write was faster.
pub async fn update(context: &Context, make: &dyn Fn(&Json) -> Result<Changed, Status>) -> Result<Object, Status> {
    for _ in 0..ATTEMPTS {
        let record = context.current()?;
        // Before the caller's change is looked at: what becomes of it would tell what the object holds.
        initialization::may_write(context, &record)?;
        let old = Arc::new(context.read(&record)?);
        let changed = make(&old)?;
        if let Some(object) = attempt(context, record, old, changed).await? {
            return Ok(object);
        }
    }
    Err(Status::modified(&context.resource, &context.name))
}

/// One attempt; `None` when another write was faster.
async fn attempt(context: &Context, record: Arc<Record>, old: Arc<Json>, changed: Changed) -> Result<Option<Object>, Status> {
    let mut new = changed.object;
    identity::of_existing(context, &mut new)?;
    preconditions(context, &old, &new)?;
    let mut new = settle::update(context, &old, new)?;
    if !changed.owned {
        fields::updated(&context.resource.schema, Some(&old), &mut new, &settle::manager(context));
    }
    let mut attributes = context.attributes(Operation::Update, Some(new), Some(Arc::clone(&old)));
    context.mutate(&mut attributes).await?;
    settle_again(context, &old, &mut attributes)?;
    let Some(new) = &mut attributes.object else { return Err(Status::internal("admission lost the object")) };
    let is_unchanged = settle::is_unchanged(&old, new);
    let invalid = |errors: Vec<_>| Status::invalid(&context.resource, &context.name, &errors);
    context.resource.validate(new, Some(&old)).map_err(invalid)?;
    context.warnings.borrow_mut().extend(context.resource.warning_of_name(&context.name));
    attributes.reveals =
        context.server.initialization.settings.revalidate && record.uninitialized && initializers::of(new).is_none();
    context.validate(&mut attributes).await?;
    // As upstream, whose store finds out at the end: what judges an update judges also one that changes nothing.
    if is_unchanged && !context.is_outdated(&record) {
        return Ok(Some(Object::Stored(record)));
    }
    write(context, &record, attributes.object.unwrap_or_default()).await
}

/// Admission may have added what is unknown, or changed the specification.
fn settle_again(context: &Context, old: &Json, attributes: &mut Attributes) -> Result<(), Status> {
    let new = attributes.object.take().unwrap_or_default();
    let mut new = settle::update(context, old, new)?;
    identity::of_existing(context, &mut new)?;
    object::set(&mut new, "resourceVersion", object::field(old, "resourceVersion").cloned());
    context.resource.prepare(&mut new, FieldValidation::Ignore)?;
    attributes.object = Some(new);
    Ok(())
}

fn preconditions(context: &Context, old: &Json, new: &Json) -> Result<(), Status> {
    let conflict = |why: String| Err(Status::conflict(&context.resource, &context.name, why));
    let (uid, current) = (object::text(new, "uid"), object::text(old, "uid"));
    if !uid.is_empty() && uid != current {
        return conflict(format!("Precondition failed: UID in precondition: {uid}, UID in object meta: {current}"));
    }
    let version = object::text(new, "resourceVersion");
    if !version.is_empty() && version != object::text(old, "resourceVersion") {
        return Err(Status::modified(&context.resource, &context.name));
    }
    Ok(())
}

/// Stores the object; one that was waiting for its last finalizer goes.
async fn write(context: &Context, record: &Record, object: Json) -> Result<Option<Object>, Status> {
    let gone = is_finished(context, &object);
    if context.dry_run {
        return Ok(Some(Object::Built(object)));
    }
    let refused = initializers::result(&object).is_some();
    let (change, last) = match gone {
        // No finalizer holds back what was never there for anybody.
        _ if refused => (Change::PutAndDelete(context.to_storage(object)), Json::Null),
        true => (Change::Delete, object),
        false => (Change::Put(context.to_storage(object)), Json::Null),
    };
    let write = Write { key: record.key.clone(), expect: Expect::Revision(record.revision), change };
    match context.server.write(write).await {
        Ok(_) if gone && !refused => Ok(Some(Object::Built(last))),
        Ok(record) => Ok(Some(Object::Stored(record))),
        Err(WriteError::Conflict { .. }) => Ok(None),
        Err(error) => Err(context.write_failed(error)),
    }
}

/// Whether nothing holds back the deletion of an object any more.
pub fn is_finished(context: &Context, object: &Json) -> bool {
    let held = object.get("spec").and_then(|spec| spec.get("finalizers")).and_then(Json::as_array);
    let held = context.resource.subresources.finalize && held.is_some_and(|list| !list.is_empty());
    object::is_deleting(object) && object::finalizers(object).is_empty() && !held
}
