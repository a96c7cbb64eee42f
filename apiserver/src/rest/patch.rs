//! Patch: the four kinds, each a function from the object as it is now to the object as it shall be. Source: `apiserver`
//! `pkg/endpoints/handlers/patch.go`.

use serde_json::Value as Json;
use time::OffsetDateTime;

use super::create::create_object;
use super::update::{Changed, update};
use super::{identity, settle};
use crate::patch::fields::{self, Manager, Operation};
use crate::patch::{self, PatchKind};
use crate::resources::decode::{Decoded, Format, decode};
use crate::resources::object;
use crate::rest::context::{Context, Object};
use crate::status::{FieldError, Status};

/// A patch as it came.
pub struct Patch<'a> {
    /// How to read the body.
    pub kind: PatchKind,
    /// The patch.
    pub body: &'a [u8],
    /// Apply: takes fields from other managers.
    pub force: bool,
}

/// What a patch did.
#[derive(Debug)]
pub enum Patched {
    /// By apply.
    Created(Object),
    /// Or left as it was.
    Changed(Object),
}

/// Patches the object of the context; apply creates it where it is missing.
pub async fn patch(context: &mut Context, patch: &Patch<'_>) -> Result<Patched, Status> {
    match patch.kind {
        PatchKind::Apply => apply(context, patch).await,
        kind => {
            let decoded = match kind {
                PatchKind::Json => None,
                _ => Some(decode(patch.body, Format::Json)?),
            };
            let make = |old: &Json| changed(context, patch, decoded.as_ref(), old);
            update(context, &make).await.map(Patched::Changed)
        }
    }
}

fn changed(context: &Context, patch: &Patch<'_>, decoded: Option<&Decoded>, old: &Json) -> Result<Changed, Status> {
    let make = || match (patch.kind, decoded) {
        (PatchKind::Strategic, Some(decoded)) => patch::strategic(&context.resource.schema, old, &decoded.object),
        (PatchKind::Merge, Some(decoded)) => patch::merge(old, &decoded.object),
        _ => patch::json(old, patch.body),
    };
    let mut object = make()?;
    identity::kind(context, &mut object)?;
    identity::of_existing(context, &mut object)?;
    let duplicates = decoded.map(|decoded| decoded.duplicates.as_slice()).unwrap_or_default();
    match context.resource.prepare_patched(&mut object, context.validation, duplicates) {
        Ok(mut warnings) => context.warnings.borrow_mut().append(&mut warnings),
        Err(error) => {
            let value = patch::refused(patch.kind, decoded.map(|decoded| &decoded.object), &make()?);
            return Err(Status::invalid_kind("", "", "", &[FieldError::invalid("patch", value, error.to_string())]));
        }
    }
    Ok(object.into())
}

async fn apply(context: &mut Context, patch: &Patch<'_>) -> Result<Patched, Status> {
    let decoded = decode(patch.body, Format::Yaml)?;
    let mut config = decoded.object;
    identity::kind(context, &mut config)?;
    // Checked on a copy: errors about the configuration name it as it was sent.
    identity::of_existing(context, &mut config.clone())?;
    if object::field(&config, "managedFields").is_some_and(|fields| !fields.is_null()) {
        return Err(Status::bad_request("metadata.managedFields must be nil"));
    }
    // Not settled before it is applied: its manager owns what it says, not what is defaulted.
    let config = fields::applicable(&context.resource, &context.subresource, &config);
    let make = |context: &Context, old: Option<&Json>| {
        let mut object = fields::apply(&context.resource.schema, old, &config, &manager(context), patch.force)?;
        identity::of_existing(context, &mut object)?;
        settle::fields(context, &mut object, &decoded.duplicates)?;
        Ok(object)
    };
    let missing = context.snapshot().get(&context.key(&context.name)).is_none();
    if missing && let Some(created) = create_applied(context, &config, &make).await? {
        return Ok(Patched::Created(created));
    }
    let make = |old: &Json| Ok(Changed { object: make(context, Some(old))?, owned: true });
    update(context, &make).await.map(Patched::Changed)
}

/// From the object as it is, if there is one.
type Make<'a> = dyn Fn(&Context, Option<&Json>) -> Result<Json, Status> + 'a;

/// `None` when the object appeared meanwhile.
async fn create_applied(context: &mut Context, config: &Json, make: &Make<'_>) -> Result<Option<Object>, Status> {
    if !context.subresource.is_empty() {
        return Err(Status::not_found(&context.resource, &context.name));
    }
    if !object::text(config, "uid").is_empty() {
        let why = format!(
            "uid mismatch: the provided object specified uid {}, and no existing object was found",
            object::text(config, "uid")
        );
        return Err(Status::conflict(&context.resource, &context.name, why));
    }
    let object = make(context, None)?;
    match create_object(context, object, true).await {
        Err(status) if status.code == 409 => Ok(None),
        result => result.map(Some),
    }
}

fn manager(context: &Context) -> Manager {
    Manager { operation: Operation::Apply, time: OffsetDateTime::now_utc(), ..settle::manager(context) }
}

/// Apply names its manager; the other kinds do not force.
pub fn check_options(kind: PatchKind, field_manager: &str, force: bool) -> Result<(), Status> {
    let refused = |errors: &[FieldError]| Status::invalid_kind("meta.k8s.io", "PatchOptions", "", errors);
    match kind {
        PatchKind::Apply if field_manager.is_empty() => {
            Err(refused(&[FieldError::required("fieldManager", "is required for apply patch")]))
        }
        PatchKind::Apply => Ok(()),
        _ if force => Err(refused(&[FieldError::forbidden("force", "may not be specified for non-apply patch")])),
        _ => Ok(()),
    }
}
