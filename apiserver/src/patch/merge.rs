//! JSON merge patch, RFC 7386, with the particulars of `evanphx/json-patch` v4, which upstream uses: a value that takes
//! the place of nothing, or of something that is no object, loses the nulls of its objects, even of those in arrays.

use serde_json::{Map, Value as Json};

use super::PatchError;

/// `live` with the merge patch `patch`.
pub fn merge(live: &Json, patch: &Json) -> Result<Json, PatchError> {
    let mut merged = match live {
        Json::Object(fields) => fields.clone(),
        _ => Map::new(),
    };
    merge_fields(&mut merged, object(patch, "error decoding patch: ")?.clone());
    Ok(Json::Object(merged))
}

/// A merge patch, of either kind, is an object; `prefix` begins the text for what is none.
pub(super) fn object<'a>(patch: &'a Json, prefix: &str) -> Result<&'a Map<String, Json>, PatchError> {
    let kind = match patch {
        Json::Object(fields) => return Ok(fields),
        Json::Array(_) => "array",
        Json::String(_) => "string",
        Json::Bool(_) => "bool",
        Json::Number(_) => "number",
        Json::Null => "null",
    };
    let message = format!("{prefix}json: cannot unmarshal {kind} into Go value of type map[string]interface {{}}");
    Err(PatchError::Malformed(message))
}

fn merge_fields(target: &mut Map<String, Json>, patch: Map<String, Json>) {
    for (name, value) in patch {
        match (target.get_mut(&name), value) {
            (_, Json::Null) => {
                target.remove(&name);
            }
            (Some(Json::Object(fields)), Json::Object(patch)) => merge_fields(fields, patch),
            (Some(current @ Json::Object(_)), value) => *current = value,
            (_, mut value) => {
                without_nulls(&mut value);
                target.insert(name, value);
            }
        }
    }
}

/// Takes the null fields out of every object of `value`.
pub(super) fn without_nulls(value: &mut Json) {
    match value {
        Json::Object(fields) => {
            fields.retain(|_, field| !field.is_null());
            fields.values_mut().for_each(without_nulls);
        }
        Json::Array(items) => items.iter_mut().for_each(without_nulls),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::patch::testing::any_json;

    fn merged(live: &Json, patch: &Json) -> Json {
        merge(live, patch).unwrap()
    }

    #[test]
    fn the_examples_of_the_rfc() {
        let table = [
            (json!({"a": "b"}), json!({"a": "c"}), json!({"a": "c"})),
            (json!({"a": "b"}), json!({"b": "c"}), json!({"a": "b", "b": "c"})),
            (json!({"a": "b"}), json!({"a": null}), json!({})),
            (json!({"a": "b", "b": "c"}), json!({"a": null}), json!({"b": "c"})),
            (json!({"a": ["b"]}), json!({"a": "c"}), json!({"a": "c"})),
            (json!({"a": "c"}), json!({"a": ["b"]}), json!({"a": ["b"]})),
            (json!({"a": {"b": "c"}}), json!({"a": {"b": "d", "c": null}}), json!({"a": {"b": "d"}})),
            (json!({"a": [{"b": "c"}]}), json!({"a": [1]}), json!({"a": [1]})),
            (json!({"e": null}), json!({"a": 1}), json!({"e": null, "a": 1})),
            (json!({}), json!({"a": {"bb": {"ccc": null}}}), json!({"a": {"bb": {}}})),
        ];
        for (live, patch, expected) in table {
            assert_eq!(merged(&live, &patch), expected, "{live} + {patch}");
        }
    }

    #[test]
    fn a_new_array_loses_the_nulls_of_its_objects() {
        assert_eq!(merged(&json!({}), &json!({"a": [{"b": null, "c": 1}]})), json!({"a": [{"c": 1}]}));
    }

    #[test]
    fn what_is_no_object_is_refused() {
        for patch in [json!([]), json!(1), json!("a"), json!(true), json!(null)] {
            let error = merge(&json!({}), &patch).unwrap_err();
            assert!(error.to_string().starts_with("error decoding patch: "), "{patch}: {error}");
        }
    }

    proptest! {
        /// RFC 7386 has an implementation of its own: where no nulls hide in arrays, both agree.
        #[test]
        fn agrees_with_the_crate(live in any_json(), patch in any_json()) {
            let (Json::Object(_), Json::Object(fields)) = (&live, &patch) else { return Ok(()) };
            let mut patch = Json::Object(fields.clone());
            arrays_without_nulls(&mut patch);
            let mut expected = live.clone();
            json_patch::merge(&mut expected, &patch);
            prop_assert_eq!(merged(&live, &patch), expected);
        }
    }

    fn arrays_without_nulls(value: &mut Json) {
        match value {
            Json::Object(fields) => fields.values_mut().for_each(arrays_without_nulls),
            Json::Array(_) => without_nulls(value),
            _ => {}
        }
    }
}
