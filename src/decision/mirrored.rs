//! Finds the stored form of an object by its identity. A name alone is anybody's: the uid must agree.

use std::sync::Arc;

use plimsoll_contract::kind::{Kind, Target};
use plimsoll_contract::source::ObjectName;

use super::member::text;
use crate::state::{Leaf, ROOT, State};

/// Names one object for ever.
#[derive(Clone, Copy, Debug)]
pub struct Identity<'a> {
    /// Empty for cluster-scoped objects.
    pub namespace: &'a str,
    /// `metadata.name`.
    pub name: &'a str,
    /// `metadata.uid`; an object without is stored nowhere.
    pub uid: &'a str,
}

/// Returns the object as a source replicated it into its kind's row.
pub fn replicated<'a>(state: &'a State, row: &Kind, identity: Identity<'_>) -> Option<&'a Arc<Leaf>> {
    let Identity { namespace, name, uid } = identity;
    if uid.is_empty() {
        return None;
    }
    let namespace = if row.namespaced { namespace.into() } else { String::new() };
    let found = state.object(row, &ObjectName { namespace, name: name.into() })?;
    (*found.uid == *uid).then_some(found)
}

/// Returns the object as a client of the data API put it there, such as kube-mgmt: of the kinds that federation v1 placed.
pub fn pushed<'a>(state: &'a State, kind: &str, identity: Identity<'_>) -> Option<&'a Arc<Leaf>> {
    let Identity { namespace, name, uid } = identity;
    Target::of_kind(kind).filter(|_| !uid.is_empty())?;
    let plural = format!("{}s", kind.to_lowercase());
    let found = state.tree.get(&[ROOT, &plural, namespace, name])?.leaf()?;
    let object = found.decode().ok()?;
    (text(&object, "/metadata/uid") == uid).then_some(found)
}
