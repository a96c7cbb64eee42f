//! What changed of an object, in words: the unit that people release, so as short as it can be without leaving anything out.

use serde_json::Value as Json;

/// A value is shown up to so many bytes.
const SHOWN: usize = 64;

/// Steps from the root of a document to a value that differs, and the value before and after.
struct Difference<'a> {
    path: Vec<&'a str>,
    before: Option<&'a Json>,
    after: Option<&'a Json>,
}

/// Says what happened to an object, given what it was and is.
pub(super) fn words(before: Option<&Json>, after: Option<&Json>) -> String {
    let (before, after) = match (before, after) {
        (None, _) => return "added".into(),
        (_, None) => return "removed".into(),
        (Some(before), Some(after)) => (before, after),
    };
    let mut found = Vec::new();
    differences(&mut Vec::new(), (Some(before), Some(after)), &mut found);
    // It counts the others.
    if found.iter().any(|difference| difference.path != ["metadata", "generation"]) {
        found.retain(|difference| difference.path != ["metadata", "generation"]);
    }
    let of = |field: &'static str| move |difference: &&Difference<'_>| difference.path.starts_with(&["metadata", field]);
    let labels: Vec<_> = found.iter().filter(of("labels")).collect();
    let annotations: Vec<_> = found.iter().filter(of("annotations")).collect();
    let rest: Vec<_> = found.iter().filter(|one| !of("labels")(one) && !of("annotations")(one)).collect();
    let phrases = [entry("label", &labels), entry("annotation", &annotations), changed(&rest)];
    let phrases: Vec<String> = phrases.into_iter().flatten().collect();
    if phrases.is_empty() { "changed".into() } else { phrases.join(", ") }
}

/// Of labels or annotations: what became of the one, or that there are several.
fn entry(noun: &str, found: &[&Difference<'_>]) -> Option<String> {
    let [Difference { path, before, after }] = found else { return changed(found) };
    let [_, _, key] = path.as_slice() else { return changed(found) };
    let text = |value: &Option<&Json>| value.and_then(Json::as_str).filter(|text| text.len() <= SHOWN).map(str::to_owned);
    Some(match (before, after) {
        (Some(_), None) => format!("{noun} `{key}` removed"),
        (None, Some(_)) => format!("{noun} `{key}` added"),
        _ => match (text(before), text(after)) {
            (Some(before), Some(after)) => format!("{noun} `{key}`: `{before}` -> `{after}`"),
            _ => format!("{noun} `{key}` changed"),
        },
    })
}

/// The shortest path that covers all.
fn changed(found: &[&Difference<'_>]) -> Option<String> {
    let (first, others) = found.split_first()?;
    let common = |path: &[&str]| {
        let same = |other: &&Difference<'_>| other.path.iter().zip(path).take_while(|(one, other)| one == other).count();
        others.iter().map(same).min().unwrap_or(path.len())
    };
    let path: Vec<&str> = first.path.iter().take(common(&first.path)).copied().collect();
    Some(if path.is_empty() { "several fields changed".into() } else { format!("`{}` changed", path.join(".")) })
}

/// The deepest objects' members that differ; a list is one value, and so is what is there on one side only, but for the map of labels
/// or annotations: it comes and goes with its members.
fn differences<'a>(
    path: &mut Vec<&'a str>,
    (before, after): (Option<&'a Json>, Option<&'a Json>),
    found: &mut Vec<Difference<'a>>,
) {
    if before == after {
        return;
    }
    let is_map = matches!(path.as_slice(), ["metadata", "labels" | "annotations"]);
    let (one, other) = match (before.map(Json::as_object), after.map(Json::as_object)) {
        (Some(Some(one)), Some(Some(other))) => (Some(one), Some(other)),
        (Some(Some(one)), None) if is_map => (Some(one), None),
        (None, Some(Some(other))) if is_map => (None, Some(other)),
        _ => return found.push(Difference { path: path.clone(), before, after }),
    };
    let known = one.into_iter().flatten().map(|(name, value)| (name, Some(value), other.and_then(|other| other.get(name))));
    let is_new = |name: &String| one.is_none_or(|one| !one.contains_key(name));
    let added = other.into_iter().flatten().filter(|(name, _)| is_new(name)).map(|(name, value)| (name, None, Some(value)));
    for (name, before, after) in known.chain(added) {
        path.push(name);
        differences(path, (before, after), found);
        path.pop();
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn one_change_is_named_and_several_are_covered() {
        let before = json!({"metadata": {"name": "c", "generation": 1, "labels": {"a": "1", "b": "1"}},
            "spec": {"x": 1}, "status": {"conditions": [{"s": "True"}], "nodes": 3}});
        let long = "x".repeat(SHOWN + 1);
        let cases = [
            (&[("/metadata/labels", json!({"a": "1"}))][..], "label `b` removed"),
            (&[("/metadata/labels", json!({"a": "1", "b": "1", "c": "2"}))], "label `c` added"),
            (&[("/metadata/labels/a", json!("2"))], "label `a`: `1` -> `2`"),
            (&[("/metadata/labels/a", json!(long))], "label `a` changed"),
            (&[("/metadata/labels", json!({}))], "`metadata.labels` changed"),
            (&[("/metadata/annotations", json!({"n": "1"}))], "annotation `n` added"),
            (&[("/status/conditions", json!([{"s": "False"}]))], "`status.conditions` changed"),
            (&[("/status/conditions", json!([])), ("/status/nodes", json!(4))], "`status` changed"),
            (&[("/metadata/generation", json!(2)), ("/spec/x", json!(2))], "`spec.x` changed"),
            (&[("/metadata/generation", json!(2))], "`metadata.generation` changed"),
            (&[("/spec/x", json!(2)), ("/status/nodes", json!(4))], "several fields changed"),
            (&[("/metadata/labels/a", json!("2")), ("/status/nodes", json!(4))], "label `a`: `1` -> `2`, `status.nodes` changed"),
        ];
        for (changes, expected) in cases {
            let mut after = before.clone();
            for (pointer, value) in changes {
                let (parent, name) = pointer.rsplit_once('/').unwrap();
                after.pointer_mut(parent).unwrap()[name] = value.clone();
            }
            assert_eq!(words(Some(&before), Some(&after)), expected);
        }
        assert_eq!((words(None, Some(&before)), words(Some(&before), None)), ("added".into(), "removed".into()));
        let bare = json!({"metadata": {"name": "c"}});
        assert_eq!(words(Some(&json!({"metadata": {"name": "c", "labels": {"p": "1"}}})), Some(&bare)), "label `p` removed");
    }
}
