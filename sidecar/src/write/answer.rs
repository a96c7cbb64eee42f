//! What the object in an answer says: whether it is as asked, whose the rest is, and whether a decision still holds for it.

use std::collections::BTreeMap;

use plimsoll_contract::annotations::APPLIED;
use plimsoll_contract::placement::seen;
use serde::Deserialize;
use serde_json::Value as Json;

use super::COMPONENT;
use crate::cluster::Fault;
use crate::plan::answer::{Answer, Reverted};
use crate::plan::row::Patch;

/// An object, read no further than its metadata.
#[derive(Debug, Deserialize)]
struct Object<M> {
    metadata: M,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Metadata {
    resource_version: String,
    annotations: BTreeMap<String, String>,
    managed_fields: Vec<Managed>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Managed {
    #[serde(default)]
    manager: String,
    #[serde(default)]
    fields_v1: Json,
}

/// The answer to `patch`: compares every key that was asked for. Beside other keys any record will do: the webhook of another
/// engine, which knows this engine's record neither by a mac nor by the user, writes its own of the same placement.
pub(super) fn judge(patch: &Patch, body: &[u8]) -> Result<Answer, Fault> {
    let Metadata { resource_version: version, annotations, managed_fields } = read(body)?;
    let is_alone = patch.annotations.len() == 1;
    let is_undone = |(key, value): &(&String, &Option<String>)| {
        let now = annotations.get(*key);
        let is_record = *key == APPLIED && !is_alone && value.is_some();
        if is_record { now.is_none() } else { now != value.as_ref() }
    };
    let keys: Vec<String> = patch.annotations.iter().filter(is_undone).map(|(key, _)| key.clone()).collect();
    if keys.is_empty() {
        return Ok(Answer::Patched { version });
    }
    let owns = |managed: &&Managed| managed.manager != COMPONENT && keys.iter().any(|key| owns(&managed.fields_v1, key));
    let mut managers: Vec<String> = managed_fields.iter().filter(owns).map(|managed| managed.manager.clone()).collect();
    managers.sort();
    managers.dedup();
    Ok(Answer::Reverted(Reverted { keys, managers }))
}

/// The version of the object in `body`, if what was decided on `patch`'s object holds for it, too.
pub(super) fn still_good(patch: &Patch, body: &[u8]) -> Result<(String, bool), Fault> {
    let metadata: Json = read(body)?;
    let text = |name: &str| metadata.get(name).and_then(Json::as_str).unwrap_or_default();
    let is_good = text("uid") == patch.subject.uid && patch.seen.is_some() && seen(&metadata) == patch.seen;
    Ok((text("resourceVersion").to_owned(), is_good))
}

fn read<'a, M: Deserialize<'a>>(body: &'a [u8]) -> Result<M, Fault> {
    let object: Object<M> = serde_json::from_slice(body).map_err(|error| Fault::Unreadable(error.to_string()))?;
    Ok(object.metadata)
}

/// `{"f:metadata":{"f:annotations":{"f:KEY":{}}}}`.
fn owns(fields: &Json, key: &str) -> bool {
    let annotations = fields.get("f:metadata").and_then(|metadata| metadata.get("f:annotations"));
    annotations.is_some_and(|annotations| annotations.get(format!("f:{key}")).is_some())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use plimsoll_contract::kind::Mode;
    use plimsoll_contract::outcome::Outcome;
    use serde_json::json;

    use super::*;
    use crate::plan::row::{plan, tests::row};

    fn patch() -> Patch {
        let mut row = row(Outcome::Place, Mode::Auto, true);
        Arc::make_mut(&mut row.patch).insert("example/old".into(), None);
        plan(&row).patch.unwrap()
    }

    fn judged(metadata: Json) -> Answer {
        judge(&patch(), json!({ "metadata": metadata }).to_string().as_bytes()).unwrap()
    }

    fn reverted(keys: &[&str], managers: &[&str]) -> Answer {
        let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        Answer::Reverted(Reverted { keys: owned(keys), managers: owned(managers) })
    }

    #[test]
    fn an_object_is_as_asked_when_every_key_is() {
        let asked = json!({"resourceVersion": "8", "annotations": {"example/key": "v", "other": "x"}});
        assert_eq!(judged(asked), Answer::Patched { version: "8".into() });
        let cases = [
            (json!({"example/key": "w"}), vec!["example/key"]),
            (json!({"example/key": "v", "example/old": "x"}), vec!["example/old"]),
            (json!({"example/old": ""}), vec!["example/key", "example/old"]),
        ];
        for (annotations, keys) in cases {
            assert_eq!(judged(json!({ "annotations": annotations })), reverted(&keys, &[]), "{annotations}");
        }
        assert_eq!(judged(json!({})), reverted(&["example/key"], &[]));
    }

    #[test]
    fn another_engines_record_of_the_same_placement_is_not_undone() {
        let mut patch = patch();
        let answer = |patch: &Patch, annotations: Json| {
            let body = json!({"metadata": {"resourceVersion": "8", "annotations": annotations}});
            judge(patch, body.to_string().as_bytes()).unwrap()
        };
        Arc::make_mut(&mut patch.annotations).insert(APPLIED.into(), Some("ours".into()));
        assert_eq!(answer(&patch, json!({"example/key": "v", APPLIED: "theirs"})), Answer::Patched { version: "8".into() });
        assert_eq!(answer(&patch, json!({"example/key": "v"})), reverted(&[APPLIED], &[]), "nobody's record");
        assert_eq!(answer(&patch, json!({"example/key": "w", APPLIED: "theirs"})), reverted(&["example/key"], &[]));
        Arc::make_mut(&mut patch.annotations).insert(APPLIED.into(), None);
        assert_eq!(answer(&patch, json!({"example/key": "v", APPLIED: "theirs"})), reverted(&[APPLIED], &[]), "it was to go");
        patch.annotations = Arc::new([(APPLIED.to_owned(), Some("ours".to_owned()))].into());
        assert_eq!(answer(&patch, json!({APPLIED: "theirs"})), reverted(&[APPLIED], &[]), "all that was asked for");
    }

    #[test]
    fn another_manager_is_named_only_if_a_key_that_was_undone_is_his() {
        let owner = |manager: &str, key: &str| {
            let annotations = json!({"f:annotations": {format!("f:{key}"): {}}});
            json!({"manager": manager, "fieldsType": "FieldsV1", "fieldsV1": {"f:metadata": annotations}})
        };
        let managers =
            [owner("argo", "example/key"), owner("plimsoll", "example/key"), owner("hpa", "other"), json!({"manager": "x"})];
        let metadata = json!({"annotations": {"example/key": "w"}, "managedFields": managers});
        assert_eq!(judged(metadata), reverted(&["example/key"], &["argo"]));
        let ours = json!({"annotations": {"example/key": "w"}, "managedFields": [owner("plimsoll", "example/key")]});
        assert_eq!(judged(ours), reverted(&["example/key"], &[]));
    }

    #[test]
    fn what_is_no_object_is_named() {
        for body in ["", "[]", r#"{"metadata":3}"#] {
            assert!(judge(&patch(), body.as_bytes()).is_err(), "{body}");
        }
    }
}
