//! Whose child an object says that it is, and whether that owner is there.

use std::fmt;

use plimsoll_contract::kind::Target;
use serde_json::Value as Json;

use super::exempt::{group_of, text};
use super::mirrored::{self, Identity};
use crate::state::State;

/// The controlling owner of an object, of a placed kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    kind: String,
    name: String,
    /// An object of that kind, name and uid is mirrored, in the child's namespace or outside of namespaces.
    pub is_there: bool,
}

/// Returns the owner that an object claims: its controlling reference to a placed group and kind, in any version.
pub fn owner(object: &Json, state: &State) -> Option<Owner> {
    let owners = object.pointer("/metadata/ownerReferences")?.as_array()?;
    let reference = owners.iter().find(|owner| owner.get("controller") == Some(&Json::Bool(true)))?;
    let (kind, group) = (text(reference, "/kind"), group_of(text(reference, "/apiVersion")));
    let mut rows = state.kinds().map(|row| &row.kind).peekable();
    let name = text(reference, "/name");
    let identity = Identity { namespace: text(object, "/metadata/namespace"), name, uid: text(reference, "/uid") };
    let is_there = if rows.peek().is_none() {
        // Without any declared kind, the kinds that federation v1 placed are taken to be placed.
        Target::of_kind(kind).filter(|_| matches!(group, "apps" | "extensions"))?;
        mirrored::pushed(state, kind, identity).is_some()
    } else {
        let row = rows.find(|row| row.place && row.kind == kind && row.gvr.group == group)?;
        mirrored::replicated(state, row, identity).is_some()
    };
    Some(Owner { kind: kind.into(), name: name.into(), is_there })
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} `{}`", self.kind, self.name)
    }
}
