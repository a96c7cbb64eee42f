//! Delete: preconditions, finalizers, propagation. Source: `apiserver` `pkg/registry/rest/delete.go`,
//! `pkg/registry/generic/registry/store.go` (`Delete`).

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::update::is_finished;
use crate::admission::Operation;
use crate::resources::crd;
use crate::resources::crd::names::CLEANUP;
use crate::resources::object;
use crate::rest::context::{Context, Object};
use crate::status::{Details, FieldError, Status};
use crate::storage::{Change, Expect, Record, Write, WriteError};

/// Holds an object back until its dependents no longer point to it.
pub const ORPHAN: &str = "orphan";
/// Holds an object back until its dependents are gone.
pub const FOREGROUND: &str = "foregroundDeletion";

/// Deletes that lose a race are made again so often.
const ATTEMPTS: usize = 6;

/// `DeleteOptions`, as far as it is known here.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Options {
    /// `All`, or nothing.
    pub dry_run: Option<Vec<String>>,
    /// Only the object that is meant.
    pub preconditions: Option<Preconditions>,
    /// Deprecated form of `propagation_policy`.
    pub orphan_dependents: Option<bool>,
    /// What happens to dependents.
    pub propagation_policy: Option<String>,
}

/// Only the object that is meant.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Preconditions {
    /// Its uid.
    pub uid: Option<String>,
    /// Its state.
    pub resource_version: Option<String>,
}

/// What became of the object.
#[derive(Debug)]
pub enum Deleted {
    /// It is gone.
    Gone(Details),
    /// It waits for its finalizers.
    Waiting(Object),
    /// It waits for its finalizers, and the caller does not see it.
    Hidden(Details),
}

impl Options {
    /// Whether nothing may be stored.
    pub fn is_dry_run(&self) -> bool {
        self.dry_run.as_ref().is_some_and(|values| !values.is_empty())
    }

    /// Fails when they contradict each other, or hold an unknown value.
    pub fn check(&self) -> Result<(), Status> {
        let mut errors = Vec::new();
        if self.orphan_dependents.is_some() && self.propagation_policy.is_some() {
            let why = "orphanDependents and deletionPropagation cannot be both set";
            errors.push(FieldError::invalid("propagationPolicy", self.propagation_policy.clone(), why));
        }
        let known = ["Foreground", "Background", "Orphan", "nil"];
        if let Some(policy) = self.propagation_policy.as_deref().filter(|policy| !known[..3].contains(policy)) {
            errors.push(FieldError::not_supported("propagationPolicy", policy, &known));
        }
        if let Some(values) = self.dry_run.as_ref().filter(|values| values.iter().any(|value| value != "All")) {
            errors.push(FieldError::not_supported("dryRun", json!(values), &["All"]));
        }
        let refused = || Status::invalid_kind("meta.k8s.io", "DeleteOptions", "", &errors);
        if errors.is_empty() { Ok(()) } else { Err(refused()) }
    }

    /// Finalizers as the propagation asks for them.
    fn finalizers(&self, object: &Json, crd: bool) -> Vec<String> {
        let mut names: Vec<String> = object::finalizers(object).into_iter().map(str::to_owned).collect();
        let wanted = match (self.orphan_dependents, self.propagation_policy.as_deref()) {
            (Some(true), _) | (_, Some("Orphan")) => Some(ORPHAN),
            (_, Some("Foreground")) => Some(FOREGROUND),
            (None, None) => names.iter().find_map(|name| [ORPHAN, FOREGROUND].into_iter().find(|known| name == known)),
            _ => None,
        };
        names.retain(|name| name != ORPHAN && name != FOREGROUND);
        names.extend(wanted.map(str::to_owned));
        if crd && !names.iter().any(|name| name == CLEANUP) {
            names.push(CLEANUP.to_owned());
        }
        names
    }
}

/// Deletes the object of the context.
pub async fn delete(context: &Context, options: &Options) -> Result<Deleted, Status> {
    for _ in 0..ATTEMPTS {
        let record = context.current()?;
        if let Some(deleted) = attempt(context, options, record).await? {
            return Ok(deleted);
        }
    }
    Err(Status::modified(&context.resource, &context.name))
}

async fn attempt(context: &Context, options: &Options, record: Arc<Record>) -> Result<Option<Deleted>, Status> {
    let old = Arc::new(context.read(&record)?);
    let hidden = record.uninitialized && !context.sees_uninitialized;
    preconditions(context, options, &old, hidden)?;
    let mut attributes = context.attributes(Operation::Delete, None, Some(Arc::clone(&old)));
    context.mutate(&mut attributes).await?;
    context.validate(&mut attributes).await?;
    let mut marked = old.as_ref().clone();
    mark(context, options, &mut marked);
    let finished = is_finished(context, &marked);
    let answer = |object| match (finished, hidden) {
        (true, _) => Deleted::Gone(details(context, &old)),
        (false, true) => Deleted::Hidden(details(context, &old)),
        (false, false) => Deleted::Waiting(object),
    };
    if !finished && marked == *old {
        return Ok(Some(answer(Object::Stored(record))));
    }
    if context.dry_run || options.is_dry_run() {
        return Ok(Some(answer(Object::Built(marked))));
    }
    let change = if finished { Change::Delete } else { Change::Put(context.to_storage(marked)) };
    let write = Write { key: record.key.clone(), expect: Expect::Revision(record.revision), change };
    match context.server.write(write).await {
        Ok(record) => Ok(Some(answer(Object::Stored(record)))),
        Err(WriteError::Conflict { .. }) => Ok(None),
        Err(error) => Err(context.write_failed(error)),
    }
}

fn preconditions(context: &Context, options: &Options, old: &Json, hidden: bool) -> Result<(), Status> {
    let Some(wanted) = &options.preconditions else { return Ok(()) };
    let checks = [("UID", "uid", &wanted.uid), ("ResourceVersion", "resourceVersion", &wanted.resource_version)];
    for (name, field, wanted) in checks {
        let found = object::text(old, field);
        if let Some(wanted) = wanted.as_deref().filter(|wanted| *wanted != found) {
            let why = match hidden {
                true => format!("Precondition failed: {name} in precondition: {wanted}"),
                false => format!("Precondition failed: {name} in precondition: {wanted}, {name} in object meta: {found}"),
            };
            return Err(Status::conflict(&context.resource, &context.name, why));
        }
    }
    Ok(())
}

/// Marks the object as being deleted, once.
fn mark(context: &Context, options: &Options, object: &mut Json) {
    let crd = &*context.resource.collection == crd::COLLECTION;
    let finalizers = options.finalizers(object, crd && !object::is_deleting(object));
    object::set(object, "finalizers", (!finalizers.is_empty()).then(|| json!(finalizers)));
    if object::is_deleting(object) {
        return;
    }
    object::set(object, "deletionTimestamp", Some(object::now().into()));
    object::set(object, "deletionGracePeriodSeconds", Some(0.into()));
    if context.resource.counts_generation {
        object::set(object, "generation", Some((object::generation(object) + 1).into()));
    }
    if crd {
        crd::names::terminate(object, &object::now());
    }
    if context.resource.subresources.finalize {
        object::set_top(object, "status", Some(json!({ "phase": "Terminating" })));
    }
}

fn details(context: &Context, old: &Json) -> Details {
    let (group, kind) = (context.resource.group.clone(), context.resource.plural.clone());
    Details { name: context.name.clone(), group, kind, uid: object::text(old, "uid").to_owned(), ..Details::default() }
}
