//! An object without its name and its status, written as it stands: without a copy of it.

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value as Json};

use super::NormalForm;

/// What the API server may not know of a new object yet.
const NAMES: [&str; 2] = ["name", "generateName"];

/// A normal form as its digest and its signature see it. The status is no intent, since a heartbeat must not look like a developer's
/// change; nor is the name, which an object that is being created may not have yet.
#[derive(Clone, Copy, Debug)]
pub struct Nameless<'a>(pub(super) &'a NormalForm);

/// Members of an object but for some.
struct Without<'a>(&'a Map<String, Json>, &'static [&'static str]);

impl Nameless<'_> {
    /// Returns it as canonical JSON.
    pub fn text(&self) -> String {
        // A tree of JSON always serialises.
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl Serialize for Nameless<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Json::Object(members) = &self.0.object else { return self.0.object.serialize(serializer) };
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in members.iter().filter(|(name, _)| *name != "status") {
            match value {
                Json::Object(metadata) if name == "metadata" => map.serialize_entry(name, &Without(metadata, &NAMES))?,
                value => map.serialize_entry(name, value)?,
            }
        }
        map.end()
    }
}

impl Serialize for Without<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(members, left_out) = self;
        serializer.collect_map(members.iter().filter(|(name, _)| !left_out.contains(&name.as_str())))
    }
}

#[cfg(test)]
mod tests {
    use plimsoll_contract::annotations::canonical;
    use serde_json::json;

    use crate::decision::testing::form;

    #[test]
    fn it_is_the_object_in_canonical_form_but_for_name_and_status() {
        let metadata = json!({"name": "a", "generateName": "b", "namespace": "n", "labels": {"name": "c", "z": "\u{1f6a2}\n"}});
        let object =
            json!({"kind": "ReplicaSet", "apiVersion": "apps/v1", "spec": {"status": [1.5, null]}, "metadata": metadata});
        let expected = json!({"kind": "ReplicaSet", "apiVersion": "apps/v1", "spec": {"status": [1.5, null]},
            "metadata": {"namespace": "n", "labels": {"name": "c", "z": "\u{1f6a2}\n"}}});
        assert_eq!(form(&object).nameless().text(), canonical(&expected));
    }
}
