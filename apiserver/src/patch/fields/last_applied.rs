//! From client-side to server-side apply, with kubectl alone: its annotation of what it applied last excuses conflicts with
//! its own earlier writes, and is kept up to date. Sources: `managedfields/internal/{lastappliedmanager,lastappliedupdater,
//! lastapplied}.go`.

use serde_json::Value as Json;

use super::collect::fields_of;
use super::compare::compare;
use super::conflict::Conflicts;
use super::set::Set;
use super::shape::Type;
use super::{Manager, Operation};

const KUBECTL: &str = "kubectl";
const ANNOTATION: &str = "kubectl.kubernetes.io/last-applied-configuration";
/// Kubernetes' limit of all annotations of an object.
const MAX_ANNOTATIONS: usize = 256 * 1024;

/// The conflicts that are not with what the annotation says kubectl applied itself, and that is still so.
pub(crate) fn unexcused(conflicts: Conflicts, live: &Json, manager: &Manager, of: Type<'_>) -> Conflicts {
    if manager.name != KUBECTL || manager.operation != Operation::Apply {
        return conflicts;
    }
    match own_fields(live, manager, of) {
        Some(fields) => conflicts.except(&fields),
        None => conflicts,
    }
}

fn own_fields(live: &Json, manager: &Manager, of: Type<'_>) -> Option<Set> {
    let last: Json = serde_json::from_str(annotation(live)?).ok()?;
    if last.get("apiVersion").and_then(Json::as_str) != Some(&manager.api_version) {
        return None;
    }
    super::check::check(&last, of).ok()?;
    let changed = compare(&last, live, of);
    let fields = fields_of(&last, of);
    Some(fields.difference(&changed.modified).difference(&changed.added).difference(&changed.removed))
}

/// Writes the annotation anew where there is one; too large, it is dropped.
pub(crate) fn refresh(object: &mut Json, config: &Json, manager: &Manager) {
    if manager.name != KUBECTL || annotation(object).is_none() {
        return;
    }
    let mut config = config.clone();
    if let Some(annotations) = annotations(&mut config) {
        annotations.remove(ANNOTATION);
    }
    if let Some(annotations) = annotations(object) {
        annotations.insert(ANNOTATION.to_owned(), format!("{config}\n").into());
        let length = |(name, value): (&String, &Json)| name.len() + value.as_str().map_or(0, str::len);
        if annotations.iter().map(length).sum::<usize>() > MAX_ANNOTATIONS {
            annotations.remove(ANNOTATION);
        }
    }
}

fn annotation(object: &Json) -> Option<&str> {
    let text = object.get("metadata")?.get("annotations")?.get(ANNOTATION)?.as_str()?;
    Some(text).filter(|text| !text.is_empty())
}

fn annotations(object: &mut Json) -> Option<&mut serde_json::Map<String, Json>> {
    object.get_mut("metadata")?.get_mut("annotations")?.as_object_mut()
}
