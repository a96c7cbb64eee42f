//! Server-side apply. Sources: `merge/update.go` (`Updater.Apply`), `managedfields/internal/{structuredmerge,versioncheck,
//! skipnonapplied,lastappliedmanager}.go`.

use serde_json::{Map, Value as Json};

use super::check::check;
use super::collect::fields_of;
use super::compare::{Difference, compare};
use super::conflict::Conflicts;
use super::last_applied;
use super::managed::{Entry, Identity, Managed};
use super::merge::merged;
use super::prune::pruned;
use super::remove::drop_nulls;
use super::set::Set;
use super::shape::Type;
use super::track::{UNOWNED, track};
use super::{Manager, Operation, managed_fields, put_managed_fields, take_managed_fields};
use crate::patch::ordered::same;
use crate::patch::{PatchError, go_text};
use crate::resources::{Resource, Schema};

/// Owns the fields of an object that was written before fields were tracked.
const BEFORE_FIRST_APPLY: &str = "before-first-apply";

/// What of an object's metadata says which one is meant.
const IDENTITY: [&str; 5] = ["name", "namespace", "uid", "resourceVersion", "managedFields"];

/// `live` (`None`: it is created) with the configuration that `manager` applies, or the conflicts with other owners unless
/// it uses `force`. The configuration must come as it was sent: what is defaulted would be owned, and what was pruned would
/// be no fault. It must be [`applicable`]. Applying again gives back the very same object.
pub fn apply(schema: &Schema, live: Option<&Json>, config: &Json, manager: &Manager, force: bool) -> Result<Json, PatchError> {
    let of = Type::root(schema);
    if managed_fields(config).is_some_and(|fields| !fields.is_null()) {
        return Err(PatchError::Malformed("metadata.managedFields must be nil".into()));
    }
    let mut managed = Managed::decode(live.and_then(managed_fields))
        .map_err(|why| PatchError::Failed(format!("failed to decode managed fields: {why}")))?;
    managed.reconcile(of);
    check(config, of).map_err(|source| PatchError::Untyped { object: described(config), source })?;
    let mut base = live.cloned().unwrap_or_else(|| Json::Object(Map::new()));
    take_managed_fields(&mut base);
    if live.is_some() && managed.entries.is_empty() {
        let before = Manager { name: BEFORE_FIRST_APPLY.into(), operation: Operation::Update, ..manager.clone() };
        track(schema, &Json::Object(Map::new()), &base, &mut managed, &before);
    }
    let applied = Applied::of(&base, config, managed, manager, of);
    let applied = match applied.conflicts() {
        _ if force => applied,
        conflicts if conflicts.is_empty() => applied,
        conflicts => match last_applied::unexcused(conflicts, &base, manager, of) {
            conflicts if conflicts.is_empty() => applied,
            conflicts => return Err(PatchError::Conflicts(conflicts)),
        },
    };
    // The annotation follows what was applied; it alone is no change of the applier's.
    let mut object = applied.finish(&base, manager);
    last_applied::refresh(&mut object, config, manager);
    Ok(object)
}

/// `config` without what the request cannot change: as if the applier had not said it. Source: the reset fields of the
/// strategies in `pkg/registry`.
pub fn applicable(resource: &Resource, subresource: &str, config: &Json) -> Json {
    let mut config = config.clone();
    let Some(fields) = config.as_object_mut() else { return config };
    match subresource {
        "" if resource.subresources.status => {
            fields.remove("status");
        }
        "status" => {
            fields.remove("spec");
            if let Some(metadata) = fields.get_mut("metadata").and_then(Json::as_object_mut).filter(|_| resource.custom) {
                metadata.retain(|name, _| IDENTITY.contains(&name.as_str()));
            }
        }
        _ => {}
    }
    config
}

/// An applied configuration, before anybody objects.
struct Applied {
    object: Json,
    /// With the applier's entry as it will be.
    managed: Managed,
    identity: Identity,
    /// Of the live object, without the applier's own view.
    changed: Set,
    removed: Set,
}

impl Applied {
    fn of(base: &Json, config: &Json, mut managed: Managed, manager: &Manager, of: Type<'_>) -> Self {
        let identity = Identity::of(manager);
        let last = managed.entries.get(&identity).cloned();
        let time = last.as_ref().and_then(|entry| entry.time);
        let fields = fields_of(config, of);
        managed.entries.insert(identity.clone(), Entry { fields, api_version: manager.api_version.clone(), time });
        let last = last.map(|entry| entry.fields).unwrap_or_default();
        // Pruning may take too much where the configuration says something empty: it says so once more.
        let mut object = merged(&pruned(&merged(base, config, of), &last, &managed, of), config, of);
        drop_nulls(&mut object, of);
        let Difference { removed, modified, added } = compare(base, &object, of);
        Self { object, managed, identity, changed: modified.union(&added), removed }
    }

    fn conflicts(&self) -> Conflicts {
        let mut conflicts = Conflicts::default();
        for (identity, entry) in self.managed.entries.iter().filter(|(identity, _)| **identity != self.identity) {
            let disputed = entry.fields.intersection(&self.changed);
            if !disputed.is_empty() {
                conflicts.add(identity, &disputed);
            }
        }
        conflicts
    }

    /// The object with its entries. The applier's time stays where nothing but ownership changed.
    fn finish(mut self, base: &Json, manager: &Manager) -> Json {
        self.managed.take_from_others(Some(&self.identity), &self.changed.union(&self.removed));
        if let Some(entry) = self.managed.entries.get_mut(&self.identity) {
            entry.fields = entry.fields.difference(&UNOWNED);
            if !same(base, &self.object) {
                entry.time = Some(manager.time);
            }
        }
        self.managed.entries.retain(|_, entry| !entry.fields.is_empty());
        put_managed_fields(&mut self.object, &self.managed);
        self.object
    }
}

/// As upstream names an object in its errors: `namespace/name; group/version, Kind=Kind`.
fn described(config: &Json) -> String {
    let text = |value: Option<&Json>| match value {
        None | Some(Json::Null) => String::new(),
        Some(Json::String(text)) => text.clone(),
        Some(other) => go_text::plain(other),
    };
    let metadata = |name: &str| text(config.get("metadata").and_then(|metadata| metadata.get(name)));
    let version = text(config.get("apiVersion"));
    let version = if version.contains('/') { version } else { format!("/{version}") };
    format!("{}/{}; {version}, Kind={}", metadata("namespace"), metadata("name"), text(config.get("kind")))
}
