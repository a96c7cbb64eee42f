//! What is noted of one request on its way.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use serde::Serialize;

use crate::authn::User;

/// Most bytes of one annotation's key and value: what hooks write comes from elsewhere.
const LONGEST: usize = 10 << 10;
/// Most annotations of webhooks for one request.
const MOST: usize = 256;

/// The notes of one request; a clone writes to the same ones. By default nothing is kept: where there is no log, and of what the server
/// does by itself, nobody reads them.
#[derive(Clone, Debug, Default)]
pub struct Trail(Option<Arc<Mutex<Subject>>>);

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
    /// What the server noted.
    pub annotations: BTreeMap<String, String>,
    /// What webhooks want noted; the server's own keys are not theirs.
    pub quoted: BTreeMap<String, String>,
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
    /// Returns a trail that keeps what is noted.
    pub fn kept() -> Self {
        Self(Some(Arc::default()))
    }

    /// Notes something of the request; `with` is not called where nothing is kept.
    pub fn note(&self, with: impl FnOnce(&mut Subject)) {
        if let Some(subject) = &self.0 {
            with(&mut subject.lock());
        }
    }

    /// Notes one annotation. The first of a key counts, as upstream.
    pub fn annotate(&self, key: impl Into<String>, value: impl Into<String>) {
        self.note(|subject| {
            subject.annotations.entry(key.into()).or_insert_with(|| value.into());
        });
    }

    /// Notes what a webhook wants noted, with its name before each key. What is too long, or too much, is left out, which is said once.
    pub fn quote(&self, webhook: &str, annotations: BTreeMap<String, String>) {
        let Some(subject) = &self.0 else { return };
        let quoted = &mut subject.lock().quoted;
        let before = quoted.len();
        let mut left_out = 0;
        for (key, value) in annotations {
            let key = format!("{webhook}/{key}");
            if quoted.len() >= MOST || key.len() + value.len() > LONGEST {
                left_out += 1;
            } else {
                quoted.entry(key).or_insert(value);
            }
        }
        if left_out > 0 {
            tracing::warn!(
                webhook,
                left_out,
                noted = quoted.len() - before,
                "audit annotations are left out: too long, or too many"
            );
        }
    }

    /// Notes the name of the object once it is known, as with `generateName`.
    pub fn named(&self, name: &str) {
        self.note(|subject| {
            if let Some(object) = subject.object.as_mut().filter(|object| object.name.is_empty()) {
                name.clone_into(&mut object.name);
            }
        });
    }

    /// Returns what has been noted; nothing where nothing is kept.
    pub fn subject(&self) -> Subject {
        self.0.as_ref().map(|subject| subject.lock().clone()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_a_key_counts_and_no_webhook_writes_without_end_or_in_our_name() {
        let trail = Trail::kept();
        let other = trail.clone();
        trail.annotate("failed-open/x", "one");
        other.annotate("failed-open/x", "two");
        let many = (0..2 * MOST).map(|number| (number.to_string(), String::new()));
        other.quote("hook", many.chain([("long".to_owned(), "x".repeat(LONGEST))]).collect());
        other.quote("failed-open", [("x".to_owned(), "mine".to_owned())].into());
        let Subject { annotations, quoted, .. } = trail.subject();
        assert_eq!((annotations["failed-open/x"].as_str(), annotations.len(), quoted.len()), ("one", 1, MOST));
        assert!(!quoted.contains_key("hook/long") && !quoted.contains_key("failed-open/x"));
    }

    #[test]
    fn a_name_that_is_drawn_is_noted_once() {
        let trail = Trail::kept();
        trail.named("forgotten");
        trail.note(|subject| subject.object = Some(ObjectRef::default()));
        trail.named("web-x7k2p");
        trail.named("other");
        assert_eq!(trail.subject().object.unwrap().name, "web-x7k2p");
    }
}
