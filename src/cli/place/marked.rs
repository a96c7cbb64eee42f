//! An object as YAML, in which each line is marked as new (`+`), gone (`-`) or unchanged.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};

/// Annotations: the new value by key, or `None` for a key that is removed.
type Patch = BTreeMap<String, Option<String>>;

/// Returns the lines of an object with its patch; only annotations ever differ. Fails when a value cannot be written as YAML.
pub(super) fn lines(object: &Json, patch: &Patch) -> Result<Vec<String>, yaml_serde::Error> {
    let mut lines = Vec::new();
    for (key, value) in object.as_object().into_iter().flatten() {
        match value.as_object().filter(|_| key == "metadata") {
            Some(metadata) => lines.extend(metadata_lines(metadata, patch)?),
            None => lines.extend(entry(' ', 0, key, value)?),
        }
    }
    Ok(lines)
}

fn metadata_lines(metadata: &Map<String, Json>, patch: &Patch) -> Result<Vec<String>, yaml_serde::Error> {
    let none = Map::new();
    let before = metadata.get("annotations").and_then(Json::as_object).unwrap_or(&none);
    let mut lines = vec!["  metadata:".to_owned()];
    if !before.is_empty() || !patch.is_empty() {
        lines.push(format!("{} {:2}annotations:", if before.is_empty() { '+' } else { ' ' }, ""));
        lines.extend(annotation_lines(before, patch)?);
    }
    for (key, value) in metadata.iter().filter(|(key, _)| *key != "annotations") {
        lines.extend(entry(' ', 2, key, value)?);
    }
    Ok(lines)
}

fn annotation_lines(before: &Map<String, Json>, patch: &Patch) -> Result<Vec<String>, yaml_serde::Error> {
    let mut keys: Vec<&String> = before.keys().chain(patch.keys()).collect();
    keys.sort();
    keys.dedup();
    let mut lines = Vec::new();
    for key in keys {
        if let Some(value) = before.get(key) {
            lines.extend(entry(if patch.contains_key(key) { '-' } else { ' ' }, 4, key, value)?);
        }
        if let Some(Some(value)) = patch.get(key) {
            lines.extend(entry('+', 4, key, &value.clone().into())?);
        }
    }
    Ok(lines)
}

fn entry(mark: char, indent: usize, key: &str, value: &Json) -> Result<Vec<String>, yaml_serde::Error> {
    let text = yaml_serde::to_string(&BTreeMap::from([(key, value)]))?;
    Ok(text.lines().map(|line| format!("{mark} {:indent$}{line}", "").trim_end().to_owned()).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shown(object: Json, patch: &[(&str, Option<&str>)]) -> String {
        let patch = patch.iter().map(|(key, value)| ((*key).into(), value.map(Into::into))).collect();
        lines(&object, &patch).unwrap().join("\n")
    }

    #[test]
    fn set_changed_removed_and_untouched_annotations() {
        let object =
            json!({"kind": "X", "metadata": {"name": "x", "annotations": {"a": "1", "b": "1", "c": "1"}}, "spec": {"n": [1]}});
        let expected = "  kind: X\n  metadata:\n    annotations:\n      a: '1'\n-     b: '1'\n+     b: two\n-     c: '1'\n+     d: new\n    name: x\n  spec:\n    n:\n    - 1";
        assert_eq!(shown(object, &[("b", Some("two")), ("c", None), ("d", Some("new"))]), expected);
    }

    #[test]
    fn the_first_annotation_and_none_at_all() {
        let object = json!({"metadata": {"name": "x"}});
        assert_eq!(shown(object.clone(), &[("a", Some("b"))]), "  metadata:\n+   annotations:\n+     a: b\n    name: x");
        assert_eq!(shown(object, &[]), "  metadata:\n    name: x");
    }
}
