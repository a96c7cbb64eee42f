//! The data of a set, put into the state in the same step as its modules: all of it, or nothing.

use plimsoll_contract::policy::{Diagnostic, Location};
use serde_json::{Value as Json, json};

use super::roots::segments;
use super::{Bundle, Document, Policies, PolicySet};
use crate::state::{Incoming, Node, Op, State, Tree, WriteError};

/// The state after the sets of `before` have become those of `after`.
pub(super) fn settle(before: &Policies, after: &Policies, state: &State) -> Result<State, Vec<Diagnostic>> {
    let mut tree = state.tree.clone();
    let empty = PolicySet::default();
    for name in before.sets.keys().chain(after.sets.keys().filter(|name| !before.sets.contains_key(*name))) {
        let old = before.sets.get(name).unwrap_or(&empty);
        let new = after.sets.get(name).unwrap_or(&empty);
        if old.documents == new.documents && old.bundle == new.bundle {
            continue;
        }
        let written = match (&old.bundle, &new.bundle) {
            (None, None) => plain(&mut tree, old, new),
            (before, now) => bundle(&mut tree, before.as_deref(), now.as_deref(), &new.documents),
        };
        written.map_err(|(origin, error)| vec![refused(&origin, &error)])?;
    }
    Ok(State { tree, ..state.clone() })
}

type Fault = (String, WriteError);

/// Removes documents that are gone, and writes those that are new or different; what the data API wrote elsewhere stays.
fn plain(tree: &mut Tree, old: &PolicySet, new: &PolicySet) -> Result<(), Fault> {
    for document in old.documents.iter().filter(|document| !new.documents.iter().any(|new| new.path == document.path)) {
        remove(tree, &document.path);
    }
    for document in new.documents.iter().filter(|document| !old.documents.contains(document)) {
        put(tree, document)?;
    }
    Ok(())
}

/// A bundle's roots hold what the bundle says and nothing else.
fn bundle(tree: &mut Tree, old: Option<&Bundle>, new: Option<&Bundle>, documents: &[Document]) -> Result<(), Fault> {
    for root in old.into_iter().chain(new).flat_map(|bundle| &bundle.roots) {
        let path = segments(root);
        if path.is_empty() {
            *tree = Tree::default();
        } else if tree.get(&path).is_some() {
            write(tree, Op::Remove, &path, Json::Null, root)?;
        }
    }
    for document in documents {
        put(tree, document)?;
    }
    if let Some(old) = old.filter(|old| new.is_none_or(|new| new.name != old.name)) {
        remove(tree, &known(old));
    }
    let Some(new) = new else { return Ok(()) };
    let value = json!({ "manifest": new.manifest, "etag": new.etag });
    write(tree, Op::Put, &known(new), value, &new.name)
}

/// Where policies find what is known of a bundle, as in OPA.
fn known(bundle: &Bundle) -> [String; 3] {
    ["system".into(), "bundles".into(), bundle.name.clone()]
}

fn put(tree: &mut Tree, document: &Document) -> Result<(), Fault> {
    write(tree, Op::Put, &document.path, &document.value, &document.origin)
}

fn write(tree: &mut Tree, op: Op, path: &[String], value: impl Into<Incoming>, origin: &str) -> Result<(), Fault> {
    tree.write(op, path, value).map(drop).map_err(|error| (origin.to_owned(), error))
}

/// Removes a document and the objects above it that held nothing else.
fn remove(tree: &mut Tree, path: &[String]) {
    let mut path = path;
    // What the data API removed before is gone already.
    while !path.is_empty() && tree.write(Op::Remove, path, Json::Null).is_ok() {
        path = path.get(..path.len() - 1).unwrap_or_default();
        let empty = tree.get(path).and_then(Node::branch).is_some_and(|members| members.is_empty());
        if !empty {
            return;
        }
    }
}

fn refused(origin: &str, error: &WriteError) -> Diagnostic {
    let location = Location { file: origin.into(), row: 1, col: 1 };
    Diagnostic { code: "storage_write_conflict_error".into(), message: error.to_string(), location, ..Diagnostic::default() }
}
