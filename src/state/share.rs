//! New documents in memory shared with those that they replace: a write costs what changed, and so does looking for that.

use std::sync::Arc;

use super::leaf::Leaf;
use super::tree::{Members, Node};

impl Node {
    /// `self` in memory shared with `old` as far as both are equal.
    pub(crate) fn shared_with(self, old: Option<&Self>) -> Self {
        match (self, old) {
            (Self::Leaf(new), Some(Self::Leaf(old))) => Self::Leaf(leaf(new, old)),
            (Self::Branch(new), Some(Self::Branch(old))) => Self::Branch(members(new, old)),
            (new, _) => new,
        }
    }
}

fn leaf(new: Arc<Leaf>, old: &Arc<Leaf>) -> Arc<Leaf> {
    match Arc::ptr_eq(&new, old) || new.json != old.json {
        true => new,
        false => Leaf::clone(&new).shared_with(Some(old)),
    }
}

/// The members of `new`, in memory shared with `old`.
pub(super) fn members(new: Members, old: &Members) -> Members {
    match (new.is_empty(), old.is_empty()) {
        // Two empty ones need not be the same memory.
        (true, true) => return old.clone(),
        (true, false) | (false, true) => return new,
        (false, false) if new.ptr_eq(old) => return new,
        (false, false) => {}
    }
    let mut shared = old.clone();
    for name in old.keys().filter(|name| !new.contains_key(*name)) {
        shared.remove(name);
    }
    for (name, node) in new {
        set(&mut shared, name, node);
    }
    shared
}

/// Sets a member; says whether anything changed.
pub(super) fn set(members: &mut Members, name: impl AsRef<str> + Into<Arc<str>>, node: Node) -> bool {
    let Some((key, old)) = members.get_key_value(name.as_ref()) else {
        members.insert(name.into(), node);
        return true;
    };
    let new = node.shared_with(Some(old));
    if old.same(&new) {
        return false;
    }
    // An equal key keeps its memory.
    let key = key.clone();
    members.insert(key, new);
    true
}
