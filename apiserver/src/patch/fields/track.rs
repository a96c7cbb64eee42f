//! Writes other than apply: what changed becomes the writer's, what is gone is nobody's. Sources: `merge/update.go`
//! (`Updater.Update`), `managedfields/internal/{fieldmanager,managedfieldsupdater,skipnonapplied,stripmeta}.go`.

use std::sync::LazyLock;

use serde_json::{Map, Value as Json};

use super::cap::cap;
use super::compare::{Difference, compare};
use super::managed::{Entry, Identity, Managed};
use super::set::Set;
use super::shape::Type;
use super::{Manager, managed_fields, put_managed_fields, take_managed_fields};
use crate::resources::Schema;

/// What identifies the object, and what the server alone writes, is owned by nobody.
pub(crate) static UNOWNED: LazyLock<Set> = LazyLock::new(|| {
    let metadata = [
        "name",
        "namespace",
        "creationTimestamp",
        "selfLink",
        "uid",
        "clusterName",
        "generation",
        "managedFields",
        "resourceVersion",
    ];
    let top: [&[&str]; 3] = [&["apiVersion"], &["kind"], &["metadata"]];
    let below: Vec<[&str; 2]> = metadata.iter().map(|field| ["metadata", *field]).collect();
    Set::of_fields(top.into_iter().chain(below.iter().map(<[&str; 2]>::as_slice)))
});

/// Brings the `managedFields` of `new` up to date with what it changes of `old` (`None`: it is being created). The caller has
/// put back what the write may not change, such as `status` through the main resource.
pub fn updated(schema: &Schema, old: Option<&Json>, new: &mut Json, manager: &Manager) {
    let sent = take_managed_fields(new);
    let mut managed = current(sent.as_ref(), old, manager);
    // Nobody's fields have been tracked so far: only a first apply begins that, or the creation.
    if managed.entries.is_empty() && old.is_some() {
        return;
    }
    managed.reconcile(Type::root(schema));
    let empty = Json::Object(Map::new());
    track(schema, old.unwrap_or(&empty), new, &mut managed, manager);
    cap(&mut managed);
    put_managed_fields(new, &managed);
}

/// The entries to start from: those of the client, who may correct or reset (`[]`, `[{}]`) them, but not through a
/// subresource; the object's own where the client sent none, or such that cannot be read.
fn current(sent: Option<&Json>, old: Option<&Json>, manager: &Manager) -> Managed {
    let live = || Managed::decode(old.and_then(managed_fields)).unwrap_or_default();
    if !manager.subresource.is_empty() {
        return live();
    }
    let is_reset = match sent.and_then(Json::as_array).map(Vec::as_slice) {
        Some([]) => true,
        Some([only]) => only.as_object().is_some_and(Map::is_empty),
        _ => false,
    };
    match Managed::decode(sent) {
        _ if is_reset => Managed::default(),
        Ok(managed) if !managed.entries.is_empty() => managed,
        _ => live(),
    }
}

/// Gives what differs to the manager, with what it had.
pub(crate) fn track(schema: &Schema, old: &Json, new: &Json, managed: &mut Managed, manager: &Manager) {
    let Difference { removed, modified, added } = compare(old, new, Type::root(schema));
    let changed = modified.union(&added);
    managed.take_from_others(None, &changed.union(&removed));
    let gained = changed.difference(&UNOWNED);
    if gained.is_empty() {
        return;
    }
    let identity = Identity::of(manager);
    let had = managed.entries.remove(&identity).map(|entry| entry.fields).unwrap_or_default();
    let entry = Entry { fields: gained.union(&had), api_version: manager.api_version.clone(), time: Some(manager.time) };
    managed.entries.insert(identity, entry);
}
