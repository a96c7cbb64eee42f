//! Cells of role bindings.

use serde_json::Value as Json;

use crate::table::object::{list, text};

pub(super) fn role(binding: &Json) -> String {
    format!("{}/{}", text(binding, "/roleRef/kind"), text(binding, "/roleRef/name"))
}

/// Names of the subjects of one kind; service accounts with their namespace.
pub(super) fn subjects(binding: &Json, kind: &str) -> String {
    let subjects = list(binding, "/subjects").iter().filter(|subject| text(subject, "/kind") == kind);
    let names = subjects.map(|subject| match kind {
        "ServiceAccount" => format!("{}/{}", text(subject, "/namespace"), text(subject, "/name")),
        _ => text(subject, "/name").to_owned(),
    });
    names.collect::<Vec<_>>().join(", ")
}
