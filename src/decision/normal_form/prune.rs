//! Removes what a JSON pointer names; `*` stands for every element or member.

use serde_json::Value as Json;

/// Removes the fields that `pointer` names; what is not there stays not there.
pub fn remove(value: &mut Json, pointer: &str) {
    let segments: Vec<String> =
        pointer.split('/').skip(1).map(|segment| segment.replace("~1", "/").replace("~0", "~")).collect();
    if let Some((last, parents)) = segments.split_last() {
        remove_below(value, parents, last);
    }
}

fn remove_below(value: &mut Json, parents: &[String], last: &str) {
    let Some((first, rest)) = parents.split_first() else {
        return remove_member(value, last);
    };
    match value {
        Json::Object(members) if first == "*" => members.values_mut().for_each(|member| remove_below(member, rest, last)),
        Json::Array(items) if first == "*" => items.iter_mut().for_each(|item| remove_below(item, rest, last)),
        Json::Object(members) => members.get_mut(first).into_iter().for_each(|member| remove_below(member, rest, last)),
        Json::Array(items) => {
            let item = first.parse().ok().and_then(|index: usize| items.get_mut(index));
            item.into_iter().for_each(|item| remove_below(item, rest, last));
        }
        _ => (),
    }
}

fn remove_member(value: &mut Json, name: &str) {
    match value {
        Json::Object(members) if name == "*" => members.clear(),
        Json::Array(items) if name == "*" => items.clear(),
        Json::Object(members) => drop(members.remove(name)),
        Json::Array(items) => {
            if let Some(index) = name.parse().ok().filter(|index: &usize| *index < items.len()) {
                items.remove(index);
            }
        }
        _ => (),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn pointers_with_stars_and_escapes() {
        let object = json!({"status": {"conditions": [{"type": "Ready", "t": 1}, {"t": 2}], "a/b": 1, "m~n": 2}, "list": [1, 2]});
        let cases = [
            ("/status/conditions/*/t", json!({"status": {"conditions": [{"type": "Ready"}, {}], "a/b": 1, "m~n": 2}, "list": [1, 2]})),
            ("/status/a~1b", json!({"status": {"conditions": [{"type": "Ready", "t": 1}, {"t": 2}], "m~n": 2}, "list": [1, 2]})),
            ("/status/m~0n", json!({"status": {"conditions": [{"type": "Ready", "t": 1}, {"t": 2}], "a/b": 1}, "list": [1, 2]})),
            ("/status/*", json!({"status": {}, "list": [1, 2]})),
            ("/status", json!({"list": [1, 2]})),
            ("/list/0", json!({"status": object["status"], "list": [2]})),
            ("/list/7", object.clone()),
            ("/no/such/field", object.clone()),
            ("", object.clone()),
        ];
        for (pointer, expected) in cases {
            let mut pruned = object.clone();
            remove(&mut pruned, pointer);
            assert_eq!(pruned, expected, "{pointer}");
        }
    }
}
