//! Whose child an object says that it is, and whether that owner is there.

use std::fmt;

use plimsoll_contract::kind::{Kind, Target};
use serde_json::Value as Json;

use super::exempt::group_of;
use super::member::{member, text};
use super::mirrored::{self, Identity};
use crate::state::{KindState, State};

/// The controlling owner of an object, of a placed kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    kind: String,
    name: String,
    /// Whether there is such an object.
    pub presence: Presence,
}

/// Whether the mirror has an owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// An object of that kind, name and uid is mirrored, in the child's namespace or outside of namespaces.
    There,
    /// It would be mirrored if there were one.
    Absent,
    /// Nobody can tell: the kind is not loaded yet, or its row leaves out that namespace or objects by label or field.
    Unseen,
}

/// Returns the owner that an object claims: its controlling reference to a placed group and kind, in any version.
pub fn owner(object: &Json, state: &State) -> Option<Owner> {
    let owners = member(object, "/metadata/ownerReferences")?.as_array()?;
    let reference = owners.iter().find(|owner| owner.get("controller") == Some(&Json::Bool(true)))?;
    let (kind, group) = (text(reference, "/kind"), group_of(text(reference, "/apiVersion")));
    let mut rows = state.kinds().peekable();
    let name = text(reference, "/name");
    let identity = Identity { namespace: text(object, "/metadata/namespace"), name, uid: text(reference, "/uid") };
    let (found, is_shown) = if rows.peek().is_none() {
        // Without any declared kind, the kinds that federation v1 placed are taken to be placed.
        Target::of_kind(kind).filter(|_| matches!(group, "apps" | "extensions"))?;
        (mirrored::pushed(state, kind, identity), true)
    } else {
        let row = rows.find(|row| row.kind.place && row.kind.kind == kind && row.kind.gvr.group == group)?;
        (mirrored::replicated(state, &row.kind, identity), is_shown(row, identity.namespace))
    };
    let presence = match found {
        Some(_) => Presence::There,
        None if is_shown => Presence::Absent,
        None => Presence::Unseen,
    };
    Some(Owner { kind: kind.into(), name: name.into(), presence })
}

/// Whether every object of the kind in a namespace is mirrored.
fn is_shown(row: &KindState, namespace: &str) -> bool {
    let Kind { namespaced, namespaces, label_selector, field_selector, .. } = &row.kind;
    let covers = !namespaced || namespaces.is_empty() || namespaces.iter().any(|covered| covered == namespace);
    row.loaded && covers && label_selector.is_none() && field_selector.is_none()
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} `{}`", self.kind, self.name)
    }
}
