//! What is impossible in the table of kinds.

use std::collections::BTreeMap;

use plimsoll_contract::exempt::is_namespace_name;
use plimsoll_contract::kind::{Gvr, Kind, Mode};
use plimsoll_contract::{pointer, target};

/// Returns the first row that is impossible: its key in `sync.yaml`, and what to do; `None` if all can be used.
pub(super) fn fault(kinds: &[Kind]) -> Option<(String, String)> {
    if kinds.is_empty() {
        return Some(("kinds".into(), "nothing is watched: name at least one kind".into()));
    }
    let (mut paths, mut fleet) = (BTreeMap::new(), None);
    kinds.iter().enumerate().find_map(|(row, kind)| {
        let fault = beside_others(kind, &mut paths, &mut fleet).or_else(|| effect(kind)).or_else(|| values(kind));
        fault.map(|(field, message)| (format!("kinds[{row}].{field}"), message))
    })
}

/// Returns the field and the message of a row that replicates to the path of an earlier one, or is a second fleet.
fn beside_others<'k>(
    kind: &'k Kind,
    paths: &mut BTreeMap<&'k str, &'k Kind>,
    fleet: &mut Option<&'k Kind>,
) -> Option<(&'static str, String)> {
    if let Some(other) = paths.insert(kind.state_path(), kind) {
        return Some(("gvr", same_path(&kind.gvr, &other.gvr, kind.state_path())));
    }
    let other = if kind.fleet { fleet.replace(kind) } else { None };
    other.map(|other| ("fleet", format!("{} is the fleet already; there is at most one", other.gvr)))
}

/// Returns the field and the message of a row with a field that has no effect beside its others.
fn effect(kind: &Kind) -> Option<(&'static str, String)> {
    if !kind.replicate && !kind.place {
        return Some(("replicate", format!("{} is neither replicated nor placed; leave the row out", kind.gvr)));
    }
    if kind.mode == Mode::Auto && !kind.place {
        return Some(("mode", "`auto` has no effect without `place: true`".into()));
    }
    let is_of_none = !kind.namespaced && !kind.namespaces.is_empty();
    is_of_none.then(|| ("namespaces", "has no effect with `namespaced: false`: leave one of them out".into()))
}

/// Returns the field and the message of a row with a value that cannot be used, such as a pointer that is none.
fn values(kind: &Kind) -> Option<(&'static str, String)> {
    if let Some(message) = kind.target.as_ref().and_then(target::fault) {
        return Some(("target", message));
    }
    if let Some(name) = kind.namespaces.iter().find(|name| !is_namespace_name(name)) {
        return Some(("namespaces", format!("`{name}` is not the name of a namespace")));
    }
    if let Some(pointer) = kind.prune.iter().find(|pointer| pointer::names(pointer).is_none()) {
        let message = format!("`{pointer}` is no JSON pointer such as `/status/conditions`, in which `~` is written `~0`");
        return Some(("prune", message));
    }
    let is_element = !kind.state_path().is_empty() && !kind.state_path().contains(['/', '.']);
    (!is_element).then(|| ("path", "must be one element below `data.kubernetes`".into()))
}

fn same_path(one: &Gvr, other: &Gvr, path: &str) -> String {
    if one == other {
        return format!("{one} is configured twice");
    }
    format!("{one} and {other} both replicate to `data.kubernetes.{path}`; give one of them another `path`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_cannot_be_meant_are_refused_with_their_row() {
        let table = [
            ("target: plimsoll.io/applied, place: true", "target", "kept for Plimsoll itself"),
            ("target: plimsoll.io/mine, place: true", "target", "kept for Plimsoll itself"),
            ("namespaces: [shop, A_]", "namespaces", "`A_` is not the name"),
            ("namespaces: ['']", "namespaces", "`` is not the name"),
            ("namespaces: [shop], namespaced: false", "namespaces", "no effect"),
            ("prune: [status]", "prune", "`status` is no JSON pointer"),
            ("prune: [/a, /spec/x~2]", "prune", "`/spec/x~2` is no JSON pointer"),
        ];
        for (text, field, part) in table {
            let kinds: Vec<Kind> = yaml_serde::from_str(&format!("[{{gvr: v1/a}}, {{gvr: v1/b, {text}}}]")).unwrap();
            let (key, message) = fault(&kinds).unwrap();
            assert_eq!(key, format!("kinds[1].{field}"), "{text}");
            assert!(message.contains(part), "{text}: {message}");
        }
        for text in ["target: example.com/plimsoll.io, place: true", "namespaces: [shop]", "namespaced: false", "prune: [/a/*/b]"]
        {
            let kinds: Vec<Kind> = yaml_serde::from_str(&format!("[{{gvr: v1/b, {text}}}]")).unwrap();
            assert_eq!(fault(&kinds), None, "{text}");
        }
    }
}
