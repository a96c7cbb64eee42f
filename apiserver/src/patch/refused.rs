//! What an error shows of a patch, when what it makes of an object cannot be decoded. Source: `apiserver`
//! `pkg/endpoints/handlers/patch.go`: the object that a JSON or merge patch made, the strategic patch itself as Go prints a map.

use serde_json::{Map, Value as Json};

use super::{PatchKind, go_text};

/// The lists that a patch orders are merged, and gone from the patch, before it is shown.
const ORDER: &str = "$setElementOrder/";

/// The value at fault; cut where it is long.
pub fn refused(kind: PatchKind, patch: Option<&Json>, patched: &Json) -> String {
    match (kind, patch) {
        (PatchKind::Strategic, Some(patch)) => go_text::plain(&undirected(patch)),
        _ => go_text::cut(patched.to_string()),
    }
}

fn undirected(patch: &Json) -> Json {
    let Some(fields) = patch.as_object() else { return patch.clone() };
    let shown = |name: &String| !name.starts_with('$') && !fields.contains_key(&format!("{ORDER}{name}"));
    let shown = fields.iter().filter(|(name, _)| shown(name));
    Json::Object(shown.map(|(name, value)| (name.clone(), undirected(value))).collect::<Map<_, _>>())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_strategic_patch_is_shown_without_its_directives() {
        let patch =
            json!({"spec": {"replicaz": 2, "x": null, "$setElementOrder/list": [{"name": "a"}], "list": [{"name": "a"}]}});
        assert_eq!(refused(PatchKind::Strategic, Some(&patch), &Json::Null), "map[spec:map[replicaz:2 x:<nil>]]");
        assert_eq!(refused(PatchKind::Merge, Some(&patch), &json!({"a": [1]})), r#"{"a":[1]}"#);
        assert!(refused(PatchKind::Json, None, &json!("x".repeat(100_000))).len() < 10_000);
    }
}
