//! An object whose next initializer we are.

use plimsoll_contract::source::ObjectName;
use serde_json::{Map, Value as Json};

use crate::replicate::object::Object;

/// What there is to do.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// Which object.
    pub name: ObjectName,
    /// A precondition of the write.
    pub uid: String,
    /// A precondition of the write.
    pub resource_version: String,
    /// Whose turn it is afterwards; mostly nobody's.
    pub rest: Vec<Json>,
    /// What the engine is asked: the object as if it were initialized, so that its class is that of its equals.
    pub asked: Json,
}

impl Turn {
    /// `None` where it is somebody else's turn, nobody's, or too late: the object is refused.
    pub fn of(object: &Object, initializer: &str) -> Option<Self> {
        let mut asked: Json = serde_json::from_slice(&object.json).ok()?;
        let initializers = asked.get_mut("metadata")?.as_object_mut()?.remove("initializers")?;
        let pending = initializers.get("pending")?.as_array()?;
        let (first, rest) = pending.split_first()?;
        let is_refused = initializers.get("result").is_some_and(|result| !result.is_null());
        if is_refused || first.get("name").and_then(Json::as_str) != Some(initializer) {
            return None;
        }
        let (uid, resource_version) = (object.uid.clone(), object.resource_version.clone());
        Some(Self { name: object.name.clone(), uid, resource_version, rest: rest.to_vec(), asked })
    }

    /// `metadata` of a patch that holds for this version alone.
    pub(super) fn preconditions(&self) -> Map<String, Json> {
        let conditions = [("uid", &self.uid), ("resourceVersion", &self.resource_version)];
        conditions.into_iter().map(|(name, value)| (name.to_owned(), value.as_str().into())).collect()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use serde_json::json;

    use super::*;

    pub(in crate::initialize) fn object(initializers: Json) -> Object {
        let json = json!({"kind": "ReplicaSet", "metadata": {"name": "web", "namespace": "shop", "initializers": initializers}});
        Object {
            name: ObjectName { namespace: "shop".into(), name: "web".into() },
            uid: "u1".into(),
            resource_version: "7".into(),
            json: json.to_string().into(),
        }
    }

    #[test]
    fn only_the_first_name_is_ours() {
        let pending = |names: &[&str]| names.iter().map(|name| json!({"name": name})).collect::<Vec<_>>();
        let table = [
            (json!({"pending": pending(&["we.x.y"])}), Some(0)),
            (json!({"pending": pending(&["we.x.y", "b.x.y"])}), Some(1)),
            (json!({"pending": pending(&["b.x.y", "we.x.y"])}), None),
            (json!({"pending": pending(&["we.x.y"]), "result": {"status": "Failure"}}), None),
            (json!({"pending": []}), None),
            (json!({}), None),
            (Json::Null, None),
        ];
        for (initializers, expected) in table {
            let turn = Turn::of(&object(initializers.clone()), "we.x.y");
            assert_eq!(turn.as_ref().map(|turn| turn.rest.len()), expected, "{initializers}");
            assert!(
                turn.is_none_or(
                    |turn| turn.asked == json!({"kind": "ReplicaSet", "metadata": {"name": "web", "namespace": "shop"}})
                )
            );
        }
    }
}
