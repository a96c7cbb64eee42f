//! An object serialised except for its revision, so that the one writer only stamps.

use bytes::Bytes;
use serde_json::{Map, Value as Json};

/// Largest object that is stored, as bytes: etcd's default request limit (`--max-request-bytes`).
pub const OBJECT_LIMIT: usize = 3 << 19;

const REVISION: &str = "resourceVersion";
/// Digits of the largest revision, with its quotes.
const STAMP: usize = 22;

/// JSON with a gap where the revision goes.
#[derive(Debug)]
pub(crate) struct Draft {
    text: Vec<u8>,
    gap: usize,
}

/// Why an object cannot be stored.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum DraftError {
    #[error("the object is not a JSON object with an object `metadata`")]
    Shape,
    #[error("the object has {size} bytes; at most {OBJECT_LIMIT} are stored")]
    TooLarge { size: usize },
}

impl Draft {
    /// Serialises on the caller's task. Whatever `metadata.resourceVersion` says is replaced.
    pub(crate) fn of(object: &mut Json) -> Result<Self, DraftError> {
        let root = object.as_object_mut().ok_or(DraftError::Shape)?;
        let metadata = root.get_mut("metadata").and_then(Json::as_object_mut).ok_or(DraftError::Shape)?;
        metadata.insert(REVISION.to_owned(), Json::Null);
        let mut draft = Self { text: Vec::with_capacity(1024), gap: 0 };
        draft.members(root, |draft, key, value| match value {
            Json::Object(metadata) if key == "metadata" => draft.members(metadata, Self::metadata_member),
            other => draft.value(other),
        })?;
        match draft.text.len() + STAMP {
            size if size > OBJECT_LIMIT => Err(DraftError::TooLarge { size }),
            _ => Ok(draft),
        }
    }

    /// The object at `revision`, in exactly as much memory as it needs.
    pub(crate) fn stamp(&self, revision: u64) -> Bytes {
        let digits = revision.to_string();
        let (head, tail) = self.text.split_at(self.gap);
        let mut text = Vec::with_capacity(self.text.len() + digits.len() + 2);
        for part in [head, b"\"", digits.as_bytes(), b"\"", tail] {
            text.extend_from_slice(part);
        }
        Bytes::from(text)
    }

    /// Bytes that it will have, at most.
    pub(crate) fn size(&self) -> usize {
        self.text.len() + STAMP
    }

    fn metadata_member(&mut self, key: &str, value: &Json) -> Result<(), DraftError> {
        if key == REVISION {
            self.gap = self.text.len();
            return Ok(());
        }
        self.value(value)
    }

    fn members(
        &mut self,
        members: &Map<String, Json>,
        mut value: impl FnMut(&mut Self, &str, &Json) -> Result<(), DraftError>,
    ) -> Result<(), DraftError> {
        let mut before = b'{';
        for (key, member) in members {
            self.text.push(before);
            before = b',';
            self.value(key)?;
            self.text.push(b':');
            value(self, key, member)?;
        }
        if members.is_empty() {
            self.text.push(b'{');
        }
        self.text.push(b'}');
        Ok(())
    }

    fn value(&mut self, value: &(impl serde::Serialize + ?Sized)) -> Result<(), DraftError> {
        // Writing JSON values to memory cannot fail: their keys are strings and there is no I/O.
        serde_json::to_writer(&mut self.text, value).map_err(|_| DraftError::Shape)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn stamps_the_revision_wherever_it_stood() {
        let cases = [
            json!({"metadata": {}}),
            json!({"metadata": {"resourceVersion": "7"}}),
            json!({"metadata": {"resourceVersion": 7, "zone": "\"{", "name": "a"}, "kind": "X", "spec": {"metadata": {"resourceVersion": "1"}}}),
            json!({"a": [1.5, null, "\u{0}"], "metadata": {"annotations": {"resourceVersion": "kept"}}, "z": {}}),
        ];
        for case in cases {
            let mut expected = case.clone();
            expected["metadata"]["resourceVersion"] = json!(u64::MAX.to_string());
            let mut object = case;
            let draft = Draft::of(&mut object).unwrap();
            let bytes = draft.stamp(u64::MAX);
            assert!(bytes.len() <= draft.size());
            assert_eq!(serde_json::from_slice::<Json>(&bytes).unwrap(), expected);
            assert_eq!(bytes, serde_json::to_vec(&expected).unwrap(), "the same text that serde_json writes");
        }
    }

    #[test]
    fn refuses_what_is_no_object_or_too_large() {
        for mut case in [json!(null), json!([]), json!({}), json!({"metadata": "x"})] {
            assert_eq!(Draft::of(&mut case).err(), Some(DraftError::Shape), "{case}");
        }
        let mut large = json!({"metadata": {}, "data": "x".repeat(OBJECT_LIMIT)});
        assert!(matches!(Draft::of(&mut large), Err(DraftError::TooLarge { size }) if size > OBJECT_LIMIT));
    }
}
