//! What stands where in an object.

use serde_json::Value as Json;

/// Returns the value at a path such as `/metadata/uid`: names of members, none of which has a slash or a tilde in it. As
/// `serde_json::Value::pointer`, which writes each name anew before it looks for it.
pub fn member<'a>(object: &'a Json, path: &str) -> Option<&'a Json> {
    path.split('/').skip(1).try_fold(object, |value, name| value.get(name))
}

/// Returns the text at such a path; an empty one where there is none.
pub fn text<'a>(object: &'a Json, path: &str) -> &'a str {
    member(object, path).and_then(Json::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_path_leads_where_a_pointer_does() {
        let object = json!({"kind": "K", "metadata": {"name": "n", "annotations": {"a": null}}, "list": [1]});
        for path in
            ["", "/kind", "/metadata", "/metadata/name", "/metadata/annotations/a", "/metadata/none/a", "/kind/x", "/list/x"]
        {
            assert_eq!(member(&object, path), object.pointer(path), "{path}");
        }
        assert_eq!([text(&object, "/metadata/name"), text(&object, "/metadata"), text(&object, "/none")], ["n", "", ""]);
    }
}
