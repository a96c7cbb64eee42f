//! Create: server-owned fields, admission, names drawn for `generateName`. Source: `apiserver`
//! `pkg/registry/rest/create.go`, `pkg/registry/generic/registry/store.go`, `pkg/storage/names`.

use serde_json::Value as Json;
use uuid::Uuid;

use super::{identity, settle};
use crate::admission::Operation;
use crate::patch::fields;
use crate::resources::FieldValidation;
use crate::resources::decode::Decoded;
use crate::resources::object;
use crate::rest::context::{Context, Object};
use crate::status::{FieldError, Reason, Status};
use crate::storage::{Change, Expect, Write, WriteError};

/// Names are drawn so often before we give up, as upstream.
const DRAWS: usize = 8;
/// Of a drawn name: the base is cut so that the whole stays below 64.
const BASE: usize = 58;
const SUFFIX: usize = 5;
/// No vowels, no digits that look like letters.
const ALPHABET: &[u8; 27] = b"bcdfghjklmnpqrstvwxz2456789";

/// What the server alone sets, after admission has changed the object.
const SERVER_OWNED: [&str; 7] =
    ["uid", "creationTimestamp", "generation", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink", "resourceVersion"];

/// Creates the object that a body describes.
pub async fn create(context: &mut Context, body: Decoded) -> Result<Object, Status> {
    let mut object = body.object;
    identity::kind(context, &mut object)?;
    settle::fields(context, &mut object, &body.duplicates)?;
    create_object(context, object, false).await
}

/// Creates an object that is known to be of the context's kind; `owned` says that the ownership of its fields is settled.
pub async fn create_object(context: &mut Context, mut object: Json, owned: bool) -> Result<Object, Status> {
    identity::namespace_of_new(context, &mut object)?;
    if !object::text(&object, "resourceVersion").is_empty() {
        return Err(Status::bad_request("resourceVersion should not be set on objects to be created"));
    }
    name_or_base(context, &object)?;
    settle::initializers(context, &mut object);
    if !owned {
        // What the strategy of the kind sets hereafter is nobody's.
        let mut sent = fields::applicable(&context.resource, "", &object);
        fields::updated(&context.resource.schema, None, &mut sent, &settle::manager(context));
        object::set(&mut object, "managedFields", object::field(&sent, "managedFields").cloned());
    }
    wipe(&mut object);
    settle::new_object(context, &mut object);
    let mut object = admit(context, object).await?;
    // Admission may have given a name, but no other namespace.
    identity::namespace_of_new(context, &mut object)?;
    let base = name_or_base(context, &object)?;
    fill(context, &mut object);
    if base.is_empty() {
        return store(context, &context.name, object).await;
    }
    store_drawn(context, &base, &object).await
}

/// Stores the object under the first drawn name that is free.
async fn store_drawn(context: &Context, base: &str, object: &Json) -> Result<Object, Status> {
    let mut name = String::new();
    for _ in 0..DRAWS {
        name = draw_name(base);
        let mut object = object.clone();
        object::set(&mut object, "name", Some(name.as_str().into()));
        match store(context, &name, object).await {
            Err(status) if status.reason == Reason::AlreadyExists => {}
            result => {
                context.trail.named(&name);
                return result;
            }
        }
    }
    Err(Status::generate_name_conflict(&context.resource, &name))
}

/// The name goes to the context; the base of a name to be drawn is returned.
fn name_or_base(context: &mut Context, object: &Json) -> Result<String, Status> {
    let (name, base) = (object::text(object, "name"), object::text(object, "generateName"));
    if name.is_empty() && base.is_empty() {
        let error = FieldError::required("metadata.name", "name or generateName is required");
        return Err(Status::invalid(&context.resource, "", &[error]));
    }
    if let Some(why) = unsafe_segment(name) {
        let error = FieldError::invalid("metadata.name", name, why);
        return Err(Status::invalid(&context.resource, name, &[error]));
    }
    context.name = name.to_owned();
    Ok(if name.is_empty() { base.to_owned() } else { String::new() })
}

/// A name is one segment of a path and of a key. Source: `apimachinery` `pkg/api/validation/path`.
fn unsafe_segment(name: &str) -> Option<String> {
    match name {
        "." | ".." => Some(format!("may not be '{name}'")),
        name => ['/', '%'].into_iter().find(|c| name.contains(*c)).map(|c| format!("may not contain '{c}'")),
    }
}

fn wipe(object: &mut Json) {
    for field in SERVER_OWNED {
        object::set(object, field, None);
    }
}

/// The fields that the server sets.
fn fill(context: &Context, object: &mut Json) {
    wipe(object);
    object::set(object, "uid", Some(Uuid::new_v4().to_string().into()));
    object::set(object, "creationTimestamp", Some(object::now().into()));
    object::set(object, "generation", context.resource.counts_generation.then(|| 1.into()));
    settle::new_object(context, object);
}

async fn admit(context: &Context, object: Json) -> Result<Json, Status> {
    let mut attributes = context.attributes(Operation::Create, Some(object), None);
    context.mutate(&mut attributes).await?;
    let mut object = attributes.object.take().unwrap_or_default();
    context.resource.prepare(&mut object, FieldValidation::Ignore)?;
    Ok(object)
}

async fn store(context: &Context, name: &str, mut object: Json) -> Result<Object, Status> {
    let invalid = |errors: Vec<_>| Status::invalid(&context.resource, name, &errors);
    context.resource.validate_new(&object).map_err(invalid)?;
    let mut attributes = context.attributes(Operation::Create, Some(object), None);
    context.validate(&mut attributes).await?;
    object = attributes.object.unwrap_or_default();
    let key = context.key(name);
    if let Some(taken) = context.snapshot().get(&key) {
        return Err(exists(context, name, &taken.value));
    }
    if context.dry_run {
        return Ok(Object::Built(object));
    }
    let write = Write { key, expect: Expect::Absent, change: Change::Put(context.to_storage(object)) };
    match context.server.write(write).await {
        Ok(record) => Ok(Object::Stored(record)),
        Err(WriteError::Conflict { current }) => Err(exists(context, name, current.as_ref().map_or(b"", |record| &record.value))),
        Err(error) => Err(context.write_failed(error)),
    }
}

fn exists(context: &Context, name: &str, taken: &[u8]) -> Status {
    let deleting = serde_json::from_slice(taken).is_ok_and(|taken: Json| object::is_deleting(&taken));
    let status = if deleting { Status::still_deleting } else { Status::already_exists };
    status(&context.resource, name)
}

fn draw_name(base: &str) -> String {
    let mut end = base.len().min(BASE);
    while !base.is_char_boundary(end) {
        end -= 1;
    }
    let (base, _) = base.split_at_checked(end).unwrap_or((base, ""));
    let random = Uuid::new_v4().into_bytes();
    let letter = |byte: &u8| ALPHABET.get(usize::from(*byte) % ALPHABET.len()).copied().map_or('b', char::from);
    format!("{base}{}", random.iter().take(SUFFIX).map(letter).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawn_names_fit() {
        for base in ["a-", "", &"x".repeat(100), &"é".repeat(60)] {
            let name = draw_name(base);
            let drawn: String = name.chars().rev().take(SUFFIX).collect();
            assert!(drawn.bytes().all(|byte| ALPHABET.contains(&byte)), "{name}");
            assert!(name.len() <= BASE + SUFFIX, "{name}");
            assert_ne!(draw_name(base), draw_name(base));
        }
    }

    #[test]
    fn names_are_safe_segments() {
        for (name, safe) in
            [("a", true), ("system:x", true), (".", false), ("..", false), ("a/b", false), ("a%2fb", false), ("a.b", true)]
        {
            assert_eq!(unsafe_segment(name).is_none(), safe, "{name}");
        }
    }
}
