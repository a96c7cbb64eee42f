//! Objects that are never decided: of the system, of the fleet, on their way out, or somebody else's children.

use plimsoll_contract::annotations::{APPLIED, Applied};
use plimsoll_contract::exempt::{GROUPS, is_namespace_exempt};
use plimsoll_contract::kind::Kind;
use serde_json::Value as Json;

use super::member::{member, text};
use super::owner::{self, Owner, Presence};
use super::{Config, Subject, Way, Writer};
use crate::state::State;

/// Group and kind of what the control plane writes for itself, and of clusters when no source names a fleet kind.
const KINDS: [(&str, &str); 7] = [
    ("", "Event"),
    ("", "Namespace"),
    ("", "Node"),
    ("cluster.karmada.io", "Cluster"),
    ("coordination.k8s.io", "Lease"),
    ("events.k8s.io", "Event"),
    ("federation", "Cluster"),
];

/// Why an object is never decided.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Exempt {
    /// The policy namespace, a system namespace, or one that the configuration or the kind's source exempts.
    #[error("namespace `{0}` is exempt from placement")]
    Namespace(String),
    /// A kind of the system.
    #[error("kind `{0}` is never placed")]
    Kind(String),
    /// The clusters themselves.
    #[error("kind `{0}` is the fleet itself")]
    Fleet(String),
    /// Moving what is being deleted would only delay it.
    #[error("the object is being deleted")]
    Deleting,
    /// The owner is placed; its children follow it.
    #[error("the object belongs to {0}, which is placed itself")]
    Owned(String),
}

/// Says why the object is never decided, or nothing if it is to be decided.
pub fn exempt(subject: Subject<'_>, state: &State, config: &Config) -> Option<Exempt> {
    let object = subject.object;
    let kind = text(object, "/kind");
    let group = group_of(text(object, "/apiVersion"));
    if state.fleet().is_some_and(|fleet| fleet.kind == kind && fleet.gvr.group == group) {
        return Some(Exempt::Fleet(kind.into()));
    }
    if GROUPS.contains(&group) || KINDS.contains(&(group, kind)) {
        return Some(Exempt::Kind(kind.into()));
    }
    let namespace = text(object, "/metadata/namespace");
    let row = subject.kind.or_else(|| state.kind_of(text(object, "/apiVersion"), kind));
    if exempt_namespace(namespace, row, state, config) {
        return Some(Exempt::Namespace(namespace.into()));
    }
    if is_deleting(subject) {
        return Some(Exempt::Deleting);
    }
    match owner::owner(object, state)? {
        // What an object says of its owner is user-writable; who writes it is not.
        owner if subject.writer == Writer::Controller => Some(Exempt::Owned(owner.to_string())),
        owner if subject.writer == Writer::Unknown && follows(subject, &owner) => Some(Exempt::Owned(owner.to_string())),
        _ => None,
    }
}

/// Where nobody says who wrote it. A stored child whose owner no mirror would show may be a controller's, which would fight.
fn follows(subject: Subject<'_>, owner: &Owner) -> bool {
    let is_believed = match owner.presence {
        Presence::There => true,
        Presence::Unseen => matches!(subject.way, Way::Stored),
        Presence::Absent => false,
    };
    is_believed && !has_own_record(subject.object)
}

/// Only an API server says so: in a new object, or a new version of one, a deletionTimestamp is the user's own writing.
fn is_deleting(subject: Subject<'_>) -> bool {
    match subject.way {
        Way::Create => false,
        Way::Update(stored) => stored.is_deleting(),
        Way::Stored => member(subject.object, "/metadata/deletionTimestamp").is_some_and(|time| !time.is_null()),
    }
}

/// Whether objects of a kind are never decided in a namespace; `kind` is its row, if some source declared it.
pub fn exempt_namespace(namespace: &str, kind: Option<&Kind>, state: &State, config: &Config) -> bool {
    // What is in no namespace is in none that is called so.
    is_namespace_exempt(namespace)
        || (!namespace.is_empty() && config.exempt_namespaces.contains(namespace))
        || kind.is_some_and(|kind| state.exempts(kind, namespace))
}

/// Whether the object carries a record of its own kind: policy placed it, so it does not just follow an owner. The copy that the
/// deployment controller makes of a Deployment's annotations names the Deployment.
pub fn has_own_record(object: &Json) -> bool {
    let record = member(object, "/metadata/annotations").and_then(|annotations| annotations.get(APPLIED)?.as_str());
    let record = record.and_then(|text| Applied::parse(text).ok());
    record.is_some_and(|record| !record.kind.is_empty() && record.kind == text(object, "/kind"))
}

pub(super) fn group_of(api_version: &str) -> &str {
    api_version.split_once('/').map_or("", |(group, _)| group)
}

#[cfg(test)]
mod tests;
