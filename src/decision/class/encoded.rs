//! A document that policy returned, in the form in which it is shown: each member as JSON text.

use serde_json::Value as Json;
use sha2::{Digest as _, Sha256};

use super::parts::{Parts, Text};
use super::raw::{ALLOCATION, Raw};
use crate::decision::output::RULES;

/// The one member that is always shown in another form.
const ANNOTATIONS: &str = "annotations";

/// The members of a document, sorted by name; none of what is no object, which is never shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Encoded {
    members: Box<[Member]>,
    is_object: bool,
    is_annotated: bool,
}

#[derive(Clone, Debug, PartialEq)]
struct Member {
    name: Box<str>,
    value: Text,
}

impl Encoded {
    /// Writes a document, and adds to the hash what it says by the contract's rules: other rules of the package show what they came to as
    /// well, and an object is not decided again because of a step on the way.
    pub(super) fn of(document: &Json, parts: &Parts, hash: &mut Sha256) -> serde_json::Result<Self> {
        let Some(members) = document.as_object() else {
            add(hash, Raw::of(document)?.text());
            return Ok(Self { members: Box::default(), is_object: false, is_annotated: false });
        };
        let (mut kept, mut is_annotated) = (Vec::new(), false);
        for (name, value) in members {
            let value = Raw::of(value)?;
            if RULES.contains(&name.as_str()) {
                add(hash, name);
                add(hash, value.text());
            }
            if name == ANNOTATIONS {
                is_annotated = true;
            } else {
                kept.push(Member { name: name.as_str().into(), value: parts.share(value) });
            }
        }
        Ok(Self { members: kept.into(), is_object: true, is_annotated })
    }

    /// Whether it is an object.
    pub fn is_object(&self) -> bool {
        self.is_object
    }

    /// Whether it has `annotations`.
    pub fn is_annotated(&self) -> bool {
        self.is_annotated
    }

    /// Its members, but for `annotations`.
    pub fn members(&self) -> impl Iterator<Item = (&str, &Raw)> {
        self.members.iter().map(|member| (&*member.name, member.value.raw()))
    }

    /// One of [`Self::members`].
    pub fn member(&self, name: &str) -> Option<&Raw> {
        self.members().find(|(found, _)| *found == name).map(|(_, value)| value)
    }

    /// About how many bytes it takes beside itself, but for members that are shared.
    pub(super) fn size(&self) -> usize {
        let beside = size_of::<Member>() + ALLOCATION;
        self.members.iter().map(|member| member.name.len() + member.value.size() + beside).sum()
    }

    /// Returns the number of bytes of its JSON.
    pub(super) fn written(&self) -> usize {
        self.members().map(|(name, value)| name.len() + value.text().len()).sum()
    }
}

/// With its length, so that boundaries count.
pub(super) fn add(hash: &mut Sha256, text: &str) {
    hash.update(text.len().to_le_bytes());
    hash.update(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn encoded(document: &Json) -> (Encoded, Vec<u8>) {
        let mut hash = Sha256::new();
        (Encoded::of(document, &Parts::default(), &mut hash).unwrap(), hash.finalize().to_vec())
    }

    #[test]
    fn members_are_kept_as_text_and_annotations_are_not() {
        let (document, _) = encoded(&json!({"placement": {"b": 1, "a": 2}, "annotations": {"k": "v"}, "zz": [1.5]}));
        let members: Vec<_> = document.members().map(|(name, value)| (name, value.text())).collect();
        assert_eq!(members, [("placement", r#"{"a":2,"b":1}"#), ("zz", "[1.5]")]);
        assert!(document.is_object() && document.is_annotated());
        assert_eq!((document.member("zz").map(Raw::text), document.member("annotations")), (Some("[1.5]"), None));
        let (other, _) = encoded(&json!(["annotations"]));
        assert!(!other.is_object() && !other.is_annotated() && other.members().next().is_none());
    }

    #[test]
    fn documents_that_differ_in_what_the_contract_reads_have_another_hash() {
        let documents = [
            json!({}),
            json!([]),
            json!({"placement": {}}),
            json!({"placement": {"b": 1}}),
            json!({"placement": 1, "urgent": 1}),
            json!({"annotations": {}}),
            json!({"annotations": {"k": "v"}}),
            json!({"annotations": {"k": null}}),
            json!({"errors": ["no"]}),
            json!({"warnings": ["no"]}),
            json!({"rejected": {"us": "no"}}),
            json!({"urgent": 1}),
            json!({"urgent": 1.0}),
            json!({"urgent": "1"}),
        ];
        let hashes: std::collections::BTreeSet<_> = documents.iter().map(|document| encoded(document).1).collect();
        assert_eq!(hashes.len(), documents.len());
    }

    #[test]
    fn what_other_rules_come_to_makes_no_other_hash() {
        let [one, other] = [json!({"urgent": true, "eligible": ["a"]}), json!({"urgent": true, "eligible": ["b"], "zones": 2})];
        assert_eq!(encoded(&one).1, encoded(&other).1);
    }
}
