//! What is noted of one request on its way.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use serde::Serialize;

use crate::authn::User;

/// Most bytes of one annotation's key and value: what hooks write comes from elsewhere.
const LONGEST: usize = 10 << 10;
/// Most annotations of one request.
const MOST: usize = 256;

/// The notes of one request; a clone writes to the same ones. One that no request has is forgotten.
#[derive(Clone, Debug, Default)]
pub struct Trail(Arc<Mutex<Subject>>);

/// What a request was.
#[derive(Clone, Debug, Default)]
pub struct Subject {
    /// As the credentials say; `None` where they were not good.
    pub user: Option<User>,
    /// As whom they acted, if it was somebody else.
    pub impersonated: Option<User>,
    /// Kubernetes' verb, or the method in lower case.
    pub verb: String,
    /// The path where it is about no resource.
    pub path: Option<String>,
    /// What it is about, where it is about a resource.
    pub object: Option<ObjectRef>,
    /// What others noted.
    pub annotations: BTreeMap<String, String>,
}

/// A resource, or one object of it; what is empty is not shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "upstream's own names")]
pub struct ObjectRef {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub resource: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub api_group: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub api_version: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub subresource: String,
}

impl Trail {
    /// Notes something of the request.
    pub fn note(&self, with: impl FnOnce(&mut Subject)) {
        with(&mut self.0.lock());
    }

    /// Notes one annotation. The first of a key counts, as upstream; what is too long, or one too many, is left out and said in the log of
    /// the server.
    pub fn annotate(&self, key: impl Into<String>, value: impl Into<String>) {
        let (key, value) = (key.into(), value.into());
        let annotations = &mut self.0.lock().annotations;
        if annotations.contains_key(&key) {
            return;
        }
        if annotations.len() >= MOST || key.len() + value.len() > LONGEST {
            let start: String = key.chars().take(80).collect();
            tracing::warn!(key = start, "an audit annotation is left out: it is too long, or one too many");
            return;
        }
        annotations.insert(key, value);
    }

    /// Notes the name of the object once it is known, as with `generateName`.
    pub fn named(&self, name: &str) {
        if let Some(object) = &mut self.0.lock().object
            && object.name.is_empty()
        {
            name.clone_into(&mut object.name);
        }
    }

    /// Returns what has been noted.
    pub fn subject(&self) -> Subject {
        self.0.lock().clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_a_key_counts_and_nobody_writes_without_end() {
        let trail = Trail::default();
        let other = trail.clone();
        trail.annotate("hook/verdict", "one");
        other.annotate("hook/verdict", "two");
        other.annotate("long", "x".repeat(LONGEST));
        (0..2 * MOST).for_each(|number| other.annotate(format!("many/{number}"), ""));
        let annotations = trail.subject().annotations;
        assert_eq!((annotations["hook/verdict"].as_str(), annotations.len()), ("one", MOST));
        assert!(!annotations.contains_key("long"));
    }

    #[test]
    fn a_name_that_is_drawn_is_noted_once() {
        let trail = Trail::default();
        trail.named("forgotten");
        trail.note(|subject| subject.object = Some(ObjectRef::default()));
        trail.named("web-x7k2p");
        trail.named("other");
        assert_eq!(trail.subject().object.unwrap().name, "web-x7k2p");
    }
}
