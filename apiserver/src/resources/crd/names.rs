//! The status of CustomResourceDefinitions: which names are theirs, and whether they are served. Source:
//! `apiextensions-apiserver/pkg/controller/{status,establish,finalizer}`.

use std::collections::HashSet;

use serde_json::{Value as Json, json};

use crate::resources::validate::peek::{below, field, list, text};

/// Objects of a definition are deleted before it goes.
pub const CLEANUP: &str = "customresourcecleanup.apiextensions.k8s.io";

/// Whether the status says `True` of a condition.
pub fn condition_holds(definition: &Json, kind: &str) -> bool {
    list(field(definition, "status"), "conditions").iter().any(|one| text(one, "type") == kind && text(one, "status") == "True")
}

/// The status of a definition that was just made: every list is there, for clients that cannot do without (the Python
/// client's typed models refuse null).
pub fn initialize(definition: &mut Json) {
    let stored: Vec<String> = super::storage_version(definition).map(str::to_owned).into_iter().collect();
    let status = json!({"conditions": [], "storedVersions": stored, "acceptedNames": {"plural": "", "kind": ""}});
    if let Some(fields) = definition.as_object_mut() {
        fields.insert("status".to_owned(), status);
    }
}

/// Adds the storage version to those that objects may be stored in.
pub fn store_version(definition: &mut Json) {
    let Some(version) = super::storage_version(definition).map(str::to_owned) else { return };
    let stored = definition.pointer_mut("/status/storedVersions").and_then(Json::as_array_mut);
    if let Some(stored) = stored.filter(|stored| !stored.contains(&version.as_str().into())) {
        stored.push(version.into());
    }
}

/// Decides which names a definition gets beside the other definitions, and establishes it once all are its own. Says
/// whether anything changed. `now` is an RFC 3339 time.
pub fn settle(definition: &mut Json, others: &[&Json], now: &str) -> bool {
    let before = definition.get("status").cloned();
    let (names, conflict) = accepted(definition, others);
    if let Some(status) = definition.get_mut("status").and_then(Json::as_object_mut) {
        status.insert("acceptedNames".to_owned(), names);
    }
    match conflict {
        None => {
            condition(definition, "NamesAccepted", ("True", "NoConflicts", "no conflicts found"), now);
            condition(definition, "Established", ("True", "InitialNamesAccepted", "the initial names have been accepted"), now);
        }
        Some((reason, message)) => {
            condition(definition, "NamesAccepted", ("False", reason, &message), now);
            if !condition_holds(definition, "Established") {
                condition(definition, "Established", ("False", "NotAccepted", "not all names are accepted"), now);
            }
        }
    }
    definition.get("status") != before.as_ref()
}

/// Marks a definition whose objects are being deleted.
pub fn terminate(definition: &mut Json, now: &str) {
    let text = "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon";
    condition(definition, "Terminating", ("True", "InstanceDeletionPending", text), now);
}

/// The names that are free or already its own, and the last conflict.
fn accepted(definition: &Json, others: &[&Json]) -> (Json, Option<(&'static str, String)>) {
    let (asked, own) = (below(definition, "spec.names"), below(definition, "status.acceptedNames"));
    let group = below(definition, "spec.group");
    let same: Vec<&Json> = others
        .iter()
        .filter(|other| below(other, "spec.group") == group)
        .map(|other| below(other, "status.acceptedNames"))
        .collect();
    let taken =
        |names: &[&str]| -> HashSet<&str> { same.iter().flat_map(|other| names.iter().map(|name| text(other, name))).collect() };
    let mut resources = taken(&["plural", "singular"]);
    resources.extend(same.iter().flat_map(|other| list(other, "shortNames")).filter_map(Json::as_str));
    let kinds = taken(&["kind", "listKind"]);
    let (mut names, mut conflict) = (own.clone(), None);
    for (name, used, reason) in [
        ("plural", &resources, "PluralConflict"),
        ("singular", &resources, "SingularConflict"),
        ("shortNames", &resources, "ShortNamesConflict"),
        ("kind", &kinds, "KindConflict"),
        ("listKind", &kinds, "ListKindConflict"),
    ] {
        let wanted = field(asked, name);
        let mut wanted_names =
            wanted.as_array().map_or_else(|| vec![wanted], |all| all.iter().collect()).into_iter().filter_map(Json::as_str);
        let mine = |name: &str| {
            text(own, "plural") == name
                || text(own, "singular") == name
                || text(own, "kind") == name
                || text(own, "listKind") == name
                || list(own, "shortNames").iter().any(|own| own == name)
        };
        match wanted_names.find(|name| used.contains(name) && !mine(name)) {
            Some(clash) => conflict = Some((reason, format!("\"{clash}\" is already in use"))),
            None => set(&mut names, name, wanted),
        }
    }
    set(&mut names, "categories", field(asked, "categories"));
    (names, conflict)
}

fn set(names: &mut Json, name: &str, value: &Json) {
    if let Some(names) = names.as_object_mut() {
        match value.is_null() {
            true => names.remove(name),
            false => names.insert(name.to_owned(), value.clone()),
        };
    }
}

/// Sets one condition; the time moves only with the status.
fn condition(definition: &mut Json, kind: &str, (status, reason, message): (&str, &str, &str), now: &str) {
    let Some(whole) = definition.get_mut("status").and_then(Json::as_object_mut) else { return };
    let conditions = whole.entry("conditions").or_insert_with(|| json!([]));
    if conditions.is_null() {
        *conditions = json!([]);
    }
    let Some(conditions) = conditions.as_array_mut() else { return };
    let fresh =
        |time: &Json| json!({"type": kind, "status": status, "reason": reason, "message": message, "lastTransitionTime": time});
    match conditions.iter_mut().find(|one| text(one, "type") == kind) {
        Some(one) => {
            let time = if text(one, "status") == status { field(one, "lastTransitionTime").clone() } else { now.into() };
            *one = fresh(&time);
        }
        None => conditions.push(fresh(&now.into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn definition(plural: &str, kind: &str, short: &[&str]) -> Json {
        let mut definition = json!({
            "metadata": {"name": format!("{plural}.example.com")},
            "spec": {
                "group": "example.com",
                "names": {"plural": plural, "singular": kind.to_lowercase(), "kind": kind, "listKind": format!("{kind}List"), "shortNames": short},
                "versions": [{"name": "v1", "served": true, "storage": true}]
            }
        });
        initialize(&mut definition);
        definition
    }

    #[test]
    fn the_first_to_ask_gets_a_name() {
        let mut first = definition("widgets", "Widget", &["w"]);
        assert!(settle(&mut first, &[], "2026-01-01T00:00:00Z"));
        assert!(condition_holds(&first, "Established") && condition_holds(&first, "NamesAccepted"));
        assert_eq!(first["status"]["storedVersions"], json!(["v1"]));

        let mut second = definition("gadgets", "Gadget", &["w"]);
        settle(&mut second, &[&first], "2026-01-01T00:00:00Z");
        assert!(!condition_holds(&second, "Established"));
        assert_eq!(second["status"]["conditions"][0]["reason"], "ShortNamesConflict");
        assert_eq!(second["status"]["conditions"][0]["message"], "\"w\" is already in use");
        assert_eq!(second["status"]["acceptedNames"]["plural"], "gadgets");
    }

    #[test]
    fn settling_twice_changes_nothing() {
        let mut definition = definition("widgets", "Widget", &[]);
        settle(&mut definition, &[], "2026-01-01T00:00:00Z");
        assert!(!settle(&mut definition, &[], "2027-01-01T00:00:00Z"));
    }
}
