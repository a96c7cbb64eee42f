//! Which clusters exist: the objects of the fleet kind.

use plimsoll_contract::source::ObjectName;

use crate::state::{Node, State};

/// Whether a cluster exists; `None` when no source declares a fleet kind, for then nobody knows.
pub fn exists(state: &State, name: &str) -> Option<bool> {
    let fleet = state.fleet()?;
    if !fleet.namespaced {
        return Some(state.object(fleet, &ObjectName { namespace: String::new(), name: name.into() }).is_some());
    }
    let Some(Node::Branch(namespaces)) = state.tree.get(&["kubernetes", fleet.state_path()]) else {
        return Some(false);
    };
    let in_namespace = |node: &Node| matches!(node, Node::Branch(objects) if objects.contains_key(name));
    Some(namespaces.values().any(in_namespace))
}
